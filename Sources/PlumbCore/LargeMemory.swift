import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Memory that is walked at random: large pieces ask the system for large pages, which spares most
/// of the address look-ups that would otherwise cost more than the reads themselves.
///
/// Some large pieces are kept when they are let go: batches ask for the same sizes again and again,
/// and the system would clear every page of a new piece.
public enum LargeMemory {
  /// A large page of the systems that Plumb runs on.
  public static let pageSize = 2 << 20
  /// Bytes that are kept at most.
  static let mostKept = 96 << 20

  /// Memory that nobody uses.
  private struct Piece {
    var start: SharedPointer<UnsafeMutableRawPointer>
    var byteCount: Int
  }

  private static let kept = Mutex<(pieces: [Piece], byteCount: Int)>(([], 0))

  /// Allocates bytes, of undefined content; from one large page on, aligned to it.
  public static func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
    guard byteCount >= pageSize else {
      return .allocate(byteCount: max(1, byteCount), alignment: 64)
    }
    let byteCount = wholePages(byteCount)
    let known = kept.withLock { kept -> Piece? in
      guard let index = kept.pieces.lastIndex(where: { $0.byteCount == byteCount }) else {
        return nil
      }
      kept.byteCount -= byteCount
      return kept.pieces.remove(at: index)
    }
    if let known { return known.start.pointer }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: pageSize)
    #if os(Linux)
      madvise(memory, byteCount, Int32(MADV_HUGEPAGE))
    #endif
    return memory
  }

  private static func wholePages(_ byteCount: Int) -> Int {
    (byteCount + pageSize - 1) & ~(pageSize - 1)
  }

  /// Lets go of memory that `allocate` gave for as many bytes.
  public static func deallocate(_ memory: UnsafeMutableRawPointer, byteCount: Int) {
    guard byteCount >= pageSize, byteCount <= mostKept else {
      memory.deallocate()
      return
    }
    let byteCount = wholePages(byteCount)
    let piece = Piece(start: SharedPointer(memory), byteCount: byteCount)
    let leaving = kept.withLock { kept in
      kept.pieces.append(piece)
      kept.byteCount += byteCount
      var leaving: [Piece] = []
      while kept.byteCount > mostKept {
        leaving.append(kept.pieces.removeFirst())
        kept.byteCount -= leaving[leaving.count - 1].byteCount
      }
      return leaving
    }
    for piece in leaving { piece.start.pointer.deallocate() }
  }
}
