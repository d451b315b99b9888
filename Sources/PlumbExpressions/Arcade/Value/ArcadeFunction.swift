/// A built-in function. Each function is in the list of its family, and the families are in
/// `ArcadeFunction.all`. A new function has to be added only to the list of its family.
struct ArcadeFunction: Sendable {
  enum Family: String, Sendable {
    case mathematical, text, logical, array, dictionary, date, geometry, conversion, debugging
  }

  /// The name as documented, such as `Count`.
  var name: String
  var family: Family
  /// The range of the number of arguments.
  var counts: ClosedRange<Int>
  /// Evaluates the function. The number of arguments is within `counts`. Errors are thrown without
  /// a position, and the caller adds the position of the call.
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

  /// The argument at a position; null if the argument is missing.
  subscript(position: Int) -> ArcadeValue { position < values.count ? values[position] : .null }
}

/// The evaluation in which a function runs.
protocol ArcadeContext: AnyObject {
  /// The current time, which is the same throughout one evaluation.
  var now: ArcadeDate { get }
  /// The cache of number formats that were already parsed; nil for no cache.
  var patterns: ArcadePatterns? { get }
  /// Charges the budgets for `steps` of work (one per visited element) and `bytes` of new memory (about 16
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
