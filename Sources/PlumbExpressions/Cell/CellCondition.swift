import PlumbCore

/// A condition on the values of cells, such as `(qa & 3) = 0 AND ndvi > 0.1`.
///
/// The syntax is that of `Condition` for numbers, with the additional operators `& | ^ << >>` on
/// integers. In order of increasing precedence, the operators are comparisons, `|`, `^`, `&`, shifts,
/// and `+` and `-`. `==` is accepted for `=`. A cell without a value is NULL. The functions are
/// `ABS`, `SIGN`, `FLOOR`, `CEILING`, `SQRT`, `MOD`, `INCLUDES` and `INCLUDESANY`. Integers have 64
/// bits; a result outside this range is NULL, and so is a shift by a negative number of bits.
package struct CellCondition: Sendable {
  /// A variable of a condition: the values of a raster's cells.
  package struct Variable: Sendable, Hashable {
    /// The name. In conditions, its case is ignored.
    package var name: String
    /// Whether the values are integers of at most 64 bits, including the sign.
    package var isInteger: Bool

    package init(name: String, isInteger: Bool) { (self.name, self.isInteger) = (name, isInteger) }
  }

  /// The condition as written.
  package var text: String { source.text }
  /// The operations, in the order of evaluation.
  let steps: [CellStep]
  /// The number of registers for values, and the number of registers for truth values.
  let valueCount: Int
  let truthCount: Int
  /// The register of the result.
  let result: Int
  /// The indices of the variables that the condition uses, ascending.
  package let usedVariables: [Int]
  private let source: SQLSource

  /// The maximum number of operations, which limits the memory of an evaluation.
  private static let stepLimit = 4_000

  /// Parses and compiles a condition.
  ///
  /// - Throws: an error with the column, from 1, for invalid syntax, an unknown variable, or an
  ///   operation that is not available for cells.
  package init(_ text: String, variables: [Variable]) throws(ExpressionError) {
    source = SQLSource(text)
    let node = try SQLParser.node(source, hasBits: true)
    var compiler = CellCompiler(source, variables)
    result = try compiler.truth(node)
    guard compiler.steps.count <= Self.stepLimit else {
      throw ExpressionError("the condition has more than \(Self.stepLimit) operations")
    }
    (steps, valueCount, truthCount) = (compiler.steps, compiler.valueCount, compiler.truthCount)
    usedVariables = compiler.used.sorted()
  }
}

/// An operation on registers. A register contains the values of a block of cells.
enum CellStep: Sendable {
  enum Function: Sendable { case negated, absolute, sign, floor, ceiling, root }

  case load(variable: Int, to: Int)
  case integer(Int64, to: Int)
  case real(Double, to: Int)
  case null(to: Int)
  /// Converts integers to doubles.
  case convert(Int, to: Int)
  /// Converts integral doubles to integers; NULL for other doubles, and outside the range of 64 bits.
  case integral(Int, to: Int)
  case integers(SQLSign, Int, Int, to: Int)
  case reals(SQLSign, Int, Int, to: Int)
  case integerFunction(Function, Int, to: Int)
  case realFunction(Function, Int, to: Int)
  case compareIntegers(SQLComparison, Int, Int, to: Int)
  case compareReals(SQLComparison, Int, Int, to: Int)
  /// Whether an integer is one of a list in ascending order.
  case member(Int, [Int64], to: Int)
  case isNull(Int, to: Int)
  case constant(UInt8, to: Int)
  case not(Int, to: Int)
  case and(Int, Int, to: Int)
  case or(Int, Int, to: Int)
}
