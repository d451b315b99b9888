import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Memory for random access: large pieces use large pages, which avoids most of the address look-ups that
/// would otherwise cost more than the reads.
///
/// Some large pieces are kept when they are freed: batches allocate the same sizes repeatedly, and the system
/// would clear every page of a new piece.
public enum LargeMemory {
  /// The size of a large page on the supported systems.
  public static let pageSize = 2 << 20
  /// The largest number of bytes kept.
  static let maximumKept = 96 << 20

  /// Unused memory.
  private struct Piece {
    var start: SharedPointer<UnsafeMutableRawPointer>
    var byteCount: Int
  }

  private static let kept = Mutex<(pieces: [Piece], byteCount: Int)>(([], 0))

  /// Allocates bytes of undefined content; pieces of at least one large page are aligned to it.
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

  /// Frees memory that `allocate` returned for the same number of bytes.
  public static func deallocate(_ memory: UnsafeMutableRawPointer, byteCount: Int) {
    guard byteCount >= pageSize, byteCount <= maximumKept else {
      memory.deallocate()
      return
    }
    let byteCount = wholePages(byteCount)
    let piece = Piece(start: SharedPointer(memory), byteCount: byteCount)
    let leaving = kept.withLock { kept in
      kept.pieces.append(piece)
      kept.byteCount += byteCount
      var leaving: [Piece] = []
      while kept.byteCount > maximumKept {
        leaving.append(kept.pieces.removeFirst())
        kept.byteCount -= leaving[leaving.count - 1].byteCount
      }
      return leaving
    }
    for piece in leaving { piece.start.pointer.deallocate() }
  }
}
