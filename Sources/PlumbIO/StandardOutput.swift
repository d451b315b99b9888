import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Writes lines of output data to standard output.
package enum StandardOutput {
  /// Writes a line.
  ///
  /// - Throws: `SystemError`, for example if the pipe is closed.
  package static func write(_ line: String) throws {
    let output = try ByteOutput(path: nil)
    try output.write(Array((line + "\n").utf8))
  }

  private static let claimed = Atomic<Int32>(STDOUT_FILENO)

  /// The file descriptor for output data.
  package static var file: Int32 { claimed.load(ordering: .relaxed) }

  /// Reserves standard output for output data. From then on, output that libraries print is written
  /// to standard error. Intended for programs that do not use standard output otherwise. Must be
  /// called before any thread starts.
  package static func claim() {
    guard file == STDOUT_FILENO else { return }
    let copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    guard copy >= 0, dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else { return }
    claimed.store(copy, ordering: .relaxed)
  }

  /// Returns the path to open for a given path. After `claim()`, paths of standard output, such as
  /// `/dev/stdout`, are replaced by the path of the reserved file descriptor.
  package static func path(for path: String) -> String {
    let names = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]
    return names.contains(path) && file != STDOUT_FILENO ? claimedPath : path
  }

  /// The path of the file descriptor for output data.
  static var claimedPath: String { "/dev/fd/\(file)" }
}
