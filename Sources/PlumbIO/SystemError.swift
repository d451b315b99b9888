import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A call of the operating system that failed.
public struct SystemError: PlumbFailure {
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
    if isMissing { message = "no such file: \(path.printable)" }
  }

  public var description: String { message }
}
