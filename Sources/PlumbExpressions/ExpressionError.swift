/// What is wrong with a condition or an expression, in one line that says where.
public struct ExpressionError: Error, Sendable, Hashable, CustomStringConvertible {
  public var message: String

  public init(_ message: String) { self.message = message }

  public var description: String { message }
}
