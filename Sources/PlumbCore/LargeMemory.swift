import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Memory for random access. Large allocations use huge pages, which avoids most TLB misses; with
/// small pages, address translation costs more than the reads.
///
/// Freed large allocations are kept for reuse, up to `maximumKept` bytes. Batches allocate the same
/// sizes repeatedly, and the system has to zero every page of a new allocation.
public enum LargeMemory {
  /// The size of a huge page in bytes on the supported systems.
  public static let pageSize = 2 << 20
  /// The largest total size in bytes of the freed allocations that are kept.
  static let maximumKept = 96 << 20

  /// A freed allocation that is kept for reuse.
  private struct Piece {
    var start: SharedPointer<UnsafeMutableRawPointer>
    var byteCount: Int
  }

  private static let kept = Mutex<(pieces: [Piece], byteCount: Int)>(([], 0))

  /// Allocates uninitialized bytes; allocations of at least `pageSize` bytes are aligned to `pageSize`.
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
