import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The error for a path that does not exist.
package func noSuchFile(_ path: String) -> PlumbError {
  PlumbError(
    "no such file: \(path.printable)", code: .notFound, context: FailureContext(file: path))
}

/// A failed system call.
public struct SystemError: PlumbFailure {
  /// The kind of the failure: `notFound` if a file is missing, otherwise `system`.
  public var code = FailureCode.system
  /// The message in one line.
  public var message: String
  /// Whether the reader has closed the pipe. This error ends a run without a message.
  public var isClosedPipe: Bool

  /// Creates an error from `errno`.
  package init(_ what: String) {
    let code = errno
    isClosedPipe = code == EPIPE
    message = what + ": " + String(cString: strerror(code))
  }

  /// Creates an error from `errno` for a path that cannot be opened.
  package init(opening path: String) {
    let isMissing = errno == ENOENT || errno == ENOTDIR
    self.init(path.printable)
    if isMissing { (message, code) = (noSuchFile(path).message, .notFound) }
  }

  public var description: String { message }
}
