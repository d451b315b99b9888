import PlumbCore

/// The reason why fences, rules or a feed cannot be used, in one line for the user.
public struct GeotriggerError: PlumbFailure, Hashable {
  /// The kind of failure.
  public var code: FailureCode
  /// The problem, in one line.
  public var message: String
  private let reason: FailureCause?

  /// Creates an error with a one-line message.
  public init(
    _ message: String, code: FailureCode = .badInput, cause: (any Error)? = nil
  ) {
    (self.code, self.message) = (code, message)
    reason = cause.map { FailureCause($0) }
  }

  /// The underlying failure; nil if there is none.
  public var cause: (any Error)? { reason?.error }

  public var description: String { message }
}
