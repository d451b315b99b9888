import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Lines of data on standard output.
package enum StandardOutput {
  /// Writes a line.
  ///
  /// - Throws: `SystemError`, on a closed pipe among others.
  package static func write(_ line: String) throws {
    let output = try ByteOutput(path: nil)
    try output.write(Array((line + "\n").utf8))
  }

  private static let claimed = Atomic<Int32>(STDOUT_FILENO)

  /// The descriptor that data goes to.
  package static var file: Int32 { claimed.load(ordering: .relaxed) }

  /// Keeps standard output to the data of this process's Plumb: what libraries print goes to standard
  /// error from here on. For a program that does nothing else; call it before any thread starts.
  package static func claim() {
    guard file == STDOUT_FILENO else { return }
    let copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    guard copy >= 0, dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else { return }
    claimed.store(copy, ordering: .relaxed)
  }

  /// A path as it has to be opened: that of standard output leads elsewhere once it is claimed.
  package static func path(for path: String) -> String {
    let names = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]
    return names.contains(path) && file != STDOUT_FILENO ? claimedPath : path
  }

  /// The path of the descriptor that data goes to.
  package static var claimedPath: String { "/dev/fd/\(file)" }
}
