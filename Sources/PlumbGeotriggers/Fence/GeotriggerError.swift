import PlumbCore

/// Why fences, rules or a feed cannot be used, in one line for the user.
public struct GeotriggerError: PlumbFailure, Hashable {
  /// What sort of failure it is.
  public var code: FailureCode
  /// What is wrong, in one line of plain words.
  public var message: String
  private let reason: FailureCause?

  /// An error of this one line.
  public init(
    _ message: String, code: FailureCode = .badInput, cause: (any Error)? = nil
  ) {
    (self.code, self.message) = (code, message)
    reason = cause.map { FailureCause($0) }
  }

  /// The failure behind it; nil when it is the first.
  public var cause: (any Error)? { reason?.error }

  public var description: String { message }
}
