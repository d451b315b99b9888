#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The identity of a file, which shows whether two paths refer to the same file.
struct FileIdentity: Hashable {
  package let device: UInt64
  package let node: UInt64

  package init?(path: String) {
    var facts = stat()
    guard stat(StandardOutput.path(for: path), &facts) == 0 else { return nil }
    self.init(facts)
  }

  /// - Parameter file: an open file descriptor.
  package init?(file: Int32) {
    var facts = stat()
    guard fstat(file, &facts) == 0 else { return nil }
    self.init(facts)
  }

  /// - Returns: nil if the file is not a regular file, because a terminal may be both input and
  ///   output.
  private init?(_ facts: stat) {
    guard facts.st_mode & S_IFMT == S_IFREG else { return nil }
    device = UInt64(truncatingIfNeeded: facts.st_dev)
    node = UInt64(truncatingIfNeeded: facts.st_ino)
  }
}
