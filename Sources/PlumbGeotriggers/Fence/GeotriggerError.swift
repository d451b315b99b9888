import PlumbCore

/// Why fences, rules or a feed cannot be used, in one line for the user.
public struct GeotriggerError: PlumbFailure, Hashable {
  public var message: String

  public init(_ message: String) { self.message = message }

  public var description: String { message }
}
