#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Memory that is walked at random: large pieces ask the system for large pages, which spares most
/// of the address look-ups that would otherwise cost more than the reads themselves.
public enum LargeMemory {
  /// A large page of the systems that Plumb runs on.
  public static let pageSize = 2 << 20

  /// Allocates bytes; from one large page on, aligned to it. Free with `deallocate()`.
  public static func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
    guard byteCount >= pageSize else {
      return .allocate(byteCount: max(1, byteCount), alignment: 64)
    }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: pageSize)
    #if os(Linux)
      madvise(memory, byteCount, Int32(MADV_HUGEPAGE))
    #endif
    return memory
  }
}
