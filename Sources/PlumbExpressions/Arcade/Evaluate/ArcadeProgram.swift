/// A parsed and checked Arcade program, which any number of threads can evaluate.
///
/// Names and keywords are case-insensitive, and text is case-sensitive. The result is the value of
/// the last statement or of `return`. The value of an `if` at the end is the value of the executed
/// branch. The value of a loop or a declaration is null. `IIf`, `When`, `Decode`, and
/// `DefaultValue` with two arguments evaluate only the branch that they select.
public struct ArcadeProgram: Sendable, Hashable, CustomStringConvertible {
  let statements: [ArcadeStatement]
  let code: ArcadeCode

  /// - Parameters:
  ///   - text: the program.
  ///   - globals: the case-insensitive names of the globals, such as `$feature`.
  /// - Throws: the first error, with its line and column.
  public init(_ text: String, globals: [String]) throws(ExpressionError) {
    statements = try ArcadeParser.statements(text)
    guard !statements.isEmpty else {
      throw ArcadePosition(line: 1, column: 1).error("the expression is empty")
    }
    code = try ArcadeCompiler.code(statements, globals: globals)
  }

  /// The program as text that parses to an equal tree.
  public var description: String { ArcadePrinter.text(statements) }

  /// The positions of the globals that the program uses, ascending.
  public var usedGlobals: [Int] { code.usedGlobals.sorted() }

  /// Notes about variables that are set without a declaration, and are thereby declared. Each note
  /// is one line that contains the position.
  public var notes: [String] { code.notes }

  /// Programs are equal if their trees and globals are equal, regardless of positions.
  public static func == (a: Self, b: Self) -> Bool {
    a.statements == b.statements && a.code.globals == b.code.globals
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(statements) }
}

/// The limits of one evaluation. An evaluation that exceeds a limit throws an error.
public struct ArcadeLimits: Sendable, Hashable {
  /// The number of loop iterations, calls, and elements visited by functions.
  public var steps: Int
  /// The number of bytes of text, arrays and dictionaries created, including released ones.
  public var bytes: Int
  /// The depth of nested function calls.
  public var callDepth: Int

  /// Creates limits. The defaults are far above the needs of ordinary expressions.
  public init(steps: Int = 10_000_000, bytes: Int = 64 << 20, callDepth: Int = 128) {
    self.steps = steps
    self.bytes = bytes
    self.callDepth = callDepth
  }
}
