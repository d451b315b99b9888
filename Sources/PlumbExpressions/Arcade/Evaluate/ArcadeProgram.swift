/// An Arcade program: parsed, checked and ready to be evaluated by any number of threads.
///
/// Names and keywords ignore case, texts are distinguished by it. The value of the last statement
/// is the result, or what `return` gives; an `if` at the end has the value of the branch taken,
/// while a loop or a declaration there gives null. `IIf`, `When`, `Decode` and `DefaultValue`
/// evaluate no more than the branch that they choose.
public struct ArcadeProgram: Sendable, Hashable, CustomStringConvertible {
  let statements: [ArcadeStatement]
  let code: ArcadeCode

  /// - Parameters:
  ///   - text: the program.
  ///   - globals: what the evaluation is given, as `$feature`; case is ignored.
  /// - Throws: the first mistake, at its line and column.
  public init(_ text: String, globals: [String]) throws(ExpressionError) {
    statements = try ArcadeParser.statements(text)
    guard !statements.isEmpty else {
      throw ArcadePosition(line: 1, column: 1).error("the expression is empty")
    }
    code = try ArcadeCompiler.code(statements, globals: globals)
  }

  /// The program printed; parsing it again gives the same tree.
  public var description: String { ArcadePrinter.text(statements) }

  /// Positions of the globals that the program reads, ascending.
  public var usedGlobals: [Int] { code.usedGlobals.sorted() }

  /// Variables that are set without a declaration, and so declared there, a line each with the position.
  public var notes: [String] { code.notes }

  /// Programs are the same that say the same, wherever it stands.
  public static func == (a: Self, b: Self) -> Bool {
    a.statements == b.statements && a.code.globals == b.code.globals
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(statements) }
}

/// What one evaluation may use before it ends with an error.
public struct ArcadeLimits: Sendable, Hashable {
  /// Turns of loops, calls, and elements that functions walk.
  public var steps: Int
  /// Of texts, arrays and dictionaries made, those since dropped included.
  public var bytes: Int
  /// How deep functions may call one another.
  public var callDepth: Int

  /// Limits that ordinary expressions do not come near.
  public init(steps: Int = 10_000_000, bytes: Int = 64 << 20, callDepth: Int = 128) {
    self.steps = steps
    self.bytes = bytes
    self.callDepth = callDepth
  }
}
