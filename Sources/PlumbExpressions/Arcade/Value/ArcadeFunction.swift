/// A built-in function. All are in the lists of their families, and the families in
/// `ArcadeFunction.all`; new ones are added only there.
struct ArcadeFunction: Sendable {
  enum Family: String, Sendable {
    case mathematical, text, logical, array, dictionary, date, geometry, conversion, debugging
  }

  /// The name as documented, such as `Count`.
  var name: String
  var family: Family
  /// The range of the number of arguments.
  var counts: ClosedRange<Int>
  /// Evaluates the function, with a number of arguments within `counts`. Errors are thrown without a
  /// position; that of the call is added.
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

/// The arguments of a call, and the evaluation's context.
struct ArcadeArguments {
  let values: [ArcadeValue]
  let context: any ArcadeContext

  init(_ values: [ArcadeValue], _ context: any ArcadeContext) {
    self.values = values
    self.context = context
  }

  var count: Int { values.count }

  /// The argument at a position; null if it is missing.
  subscript(position: Int) -> ArcadeValue { position < values.count ? values[position] : .null }
}

/// The evaluation that a function runs in.
protocol ArcadeContext: AnyObject {
  /// The current time; the same throughout one evaluation.
  var now: ArcadeDate { get }
  /// Number formats that were parsed before; nil for none.
  var patterns: ArcadePatterns? { get }
  /// Spends from the budgets: `steps` of work (one per visited element), `bytes` of new memory (about 16
  /// for a value, one for a byte of text).
  func spend(steps: Int, bytes: Int) throws(ArcadeFailure)
  /// Whether console messages are received.
  var hasConsole: Bool { get }
  /// Logs a message of `Console`.
  func log(_ message: String)
  /// Calls a function value, for functions such as Map and Filter.
  func call(_ function: ArcadeCallable, _ values: [ArcadeValue]) throws(ArcadeFailure)
    -> ArcadeValue
}

extension ArcadeContext {
  var patterns: ArcadePatterns? { nil }
  var hasConsole: Bool { false }
  func log(_ message: String) {}
}
