/// A function of the language. Every one there is stands in a list of its family, and the families
/// in `ArcadeFunction.all`, the only list to add more.
struct ArcadeFunction: Sendable {
  enum Family: String, Sendable {
    case mathematical, text, logical, array, dictionary, date, geometry, conversion, debugging
  }

  /// As documented: `Count`.
  var name: String
  var family: Family
  /// How many values it takes.
  var counts: ClosedRange<Int>
  /// Evaluates the function; `counts` holds already. What is wrong is thrown without a position:
  /// the call's own is added.
  var body: @Sendable (borrowing ArcadeArguments) throws(ArcadeFailure) -> ArcadeValue

  init(
    _ name: String, _ family: Family, _ counts: ClosedRange<Int>,
    _ body: @escaping @Sendable (borrowing ArcadeArguments) throws(ArcadeFailure) -> ArcadeValue
  ) {
    self.name = name
    self.family = family
    self.counts = counts
    self.body = body
  }
}

/// The values of one call, and what a function may ask of the evaluator.
struct ArcadeArguments {
  let values: [ArcadeValue]
  let context: any ArcadeContext

  init(_ values: [ArcadeValue], _ context: any ArcadeContext) {
    self.values = values
    self.context = context
  }

  var count: Int { values.count }

  /// The value at a position; null when the call has fewer.
  subscript(position: Int) -> ArcadeValue { position < values.count ? values[position] : .null }
}

/// The evaluation that a function runs in.
protocol ArcadeContext: AnyObject {
  /// The milliseconds since 1970 that count as now; the same all through one evaluation.
  var now: ArcadeDate { get }
  /// Formats of numbers that were read before; nil for none.
  var patterns: ArcadePatterns? { get }
  /// Takes from the budgets: `steps` of work (a million elements walked is a million), `bytes` of
  /// new memory (about 16 for a value, one for a byte of text).
  func spend(steps: Int, bytes: Int) throws(ArcadeFailure)
  /// Whether somebody reads what is logged.
  var hasConsole: Bool { get }
  /// Takes a message of `Console`.
  func log(_ message: String)
  /// Calls a function value, as Map and Filter do.
  func call(_ function: ArcadeCallable, _ values: [ArcadeValue]) throws(ArcadeFailure)
    -> ArcadeValue
}

extension ArcadeContext {
  var patterns: ArcadePatterns? { nil }
  var hasConsole: Bool { false }
  func log(_ message: String) {}
}
