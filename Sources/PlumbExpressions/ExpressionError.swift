import PlumbCore

/// What is wrong with a condition or an expression, in one line that says where.
public struct ExpressionError: PlumbFailure, Hashable {
  /// Always `badExpression`.
  public var code: FailureCode { .badExpression }
  /// What is wrong, with the line and column before it where they are known.
  public var message: String
  /// The line and the column in it, both from 1, where the expression language knows the position.
  public var line: Int?
  /// The column in the line, from 1; nil where the position is not known.
  public var column: Int?

  /// An error without a position.
  public init(_ message: String) { self.message = message }

  /// An error at a position; the message begins with it.
  init(_ message: String, line: Int, column: Int) {
    self.message = "line \(line), column \(column): \(message)"
    self.line = line
    self.column = column
  }

  /// The line and the column, where they are known.
  public var context: FailureContext { FailureContext(line: line, column: column) }

  public var description: String { message }
}
