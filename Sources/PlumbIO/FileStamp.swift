#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The size and the modification time of a file, which show whether it has changed.
package struct FileStamp: Hashable {
  package let node: UInt64
  package let size: Int
  package let seconds: Int
  package let nanoseconds: Int

  /// - Returns: nil if there is no file.
  package init?(path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    #if canImport(Darwin)
      let time = facts.st_mtimespec
    #else
      let time = facts.st_mtim
    #endif
    node = UInt64(truncatingIfNeeded: facts.st_ino)
    (size, seconds, nanoseconds) = (Int(facts.st_size), time.tv_sec, time.tv_nsec)
  }

  /// The size and the modification time as text.
  package var text: String { "\(size) \(seconds).\(nanoseconds)" }
}
