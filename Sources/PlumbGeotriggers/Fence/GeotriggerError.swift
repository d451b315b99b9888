import PlumbCore

/// Why fences, rules or a feed cannot be used, in one line for the user.
public struct GeotriggerError: PlumbFailure, Hashable {
  public var code: FailureCode
  public var message: String
  private let reason: FailureCause?

  public init(
    _ message: String, code: FailureCode = .badInput, cause: (any Error)? = nil
  ) {
    (self.code, self.message) = (code, message)
    reason = cause.map { FailureCause($0) }
  }

  public var cause: (any Error)? { reason?.error }

  public var description: String { message }
}
