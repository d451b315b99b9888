import PlumbCore

/// An error in a condition or an expression, with a one-line message and, if known, a position.
public struct ExpressionError: PlumbFailure, Hashable {
  /// Always `.badExpression`.
  public var code: FailureCode { .badExpression }
  /// The message, which starts with the line and column if they are known.
  public var message: String
  /// The line, from 1; nil if the position is not known.
  public var line: Int?
  /// The column in the line, from 1; nil if the position is not known.
  public var column: Int?

  /// Creates an error without a position.
  public init(_ message: String) { self.message = message }

  /// Creates an error at a position. The message starts with the position.
  init(_ message: String, line: Int, column: Int) {
    self.message = "line \(line), column \(column): \(message)"
    self.line = line
    self.column = column
  }

  /// The line and the column, if they are known.
  public var context: FailureContext { FailureContext(line: line, column: column) }

  public var description: String { message }
}
