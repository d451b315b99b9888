import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The one error for a path at which nothing is.
package func noSuchFile(_ path: String) -> PlumbError {
  PlumbError(
    "no such file: \(path.printable)", code: .notFound, context: FailureContext(file: path))
}

/// A call of the operating system that failed.
public struct SystemError: PlumbFailure {
  /// Always `system`, unless a file is missing.
  public var code = FailureCode.system
  /// What is wrong, in one line of plain words.
  public var message: String
  /// Whether the reader of a pipe has gone, which ends a run without a word.
  public var isClosedPipe: Bool

  /// Reads `errno`.
  package init(_ what: String) {
    let code = errno
    isClosedPipe = code == EPIPE
    message = what + ": " + String(cString: strerror(code))
  }

  /// What is wrong with a path that cannot be opened, from `errno`.
  package init(opening path: String) {
    let isMissing = errno == ENOENT || errno == ENOTDIR
    self.init(path.printable)
    if isMissing { (message, code) = (noSuchFile(path).message, .notFound) }
  }

  public var description: String { message }
}
