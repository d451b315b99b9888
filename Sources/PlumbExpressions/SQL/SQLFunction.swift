/// A function that conditions may call. All functions are in `all`. To add a function, it is
/// sufficient to add it to `all`.
struct SQLFunction: Sendable {
  /// The kinds of the arguments.
  enum Parameters: Sendable {
    /// Arguments of these kinds in order. The last `optional` arguments may be missing.
    case these([SQLKind], optional: Int)
    /// At least the given number of values, each of a kind that can be converted to text.
    case texts(atLeast: Int)
    /// A number of values in the given range. The values can be compared with each other. The
    /// result has the kind of the values.
    case alike(ClosedRange<Int>)
  }

  /// The name in upper case.
  var name: String
  var parameters: Parameters
  /// The kind of the result; not used for `alike`.
  var result: SQLKind
  var body: @Sendable (SQLArguments) -> SQLValue

  init(
    _ name: String, _ parameters: Parameters, _ result: SQLKind = .null,
    _ body: @escaping @Sendable (SQLArguments) -> SQLValue
  ) {
    self.name = name
    self.parameters = parameters
    self.result = result
    self.body = body
  }

  static let all: [SQLFunction] = general + texts + numbers + elements

  private static let aliases = [
    "SUBSTR": "SUBSTRING", "LENGTH": "CHAR_LENGTH", "CHARACTER_LENGTH": "CHAR_LENGTH",
    "CEIL": "CEILING", "TRUNC": "TRUNCATE", "LN": "LOG",
  ]

  private static let byName = Dictionary(
    all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

  static func named(_ name: String) -> SQLFunction? { byName[aliases[name] ?? name] }

  static let nameList = all.map(\.name).joined(separator: ", ")

  /// The range of the number of arguments.
  var counts: ClosedRange<Int> {
    switch parameters {
    case .these(let kinds, let optional): (kinds.count - optional)...kinds.count
    case .texts(let minimum): minimum...Int.max
    case .alike(let counts): counts
    }
  }

  var countText: String {
    let (minimum, maximum) = (counts.lowerBound, counts.upperBound)
    if maximum == .max { return "\(minimum) or more values" }
    if minimum == maximum { return minimum == 1 ? "1 value" : "\(minimum) values" }
    return "\(minimum) \(maximum == minimum + 1 ? "or" : "to") \(maximum) values"
  }
}

/// The arguments of a call for one row. Each argument is evaluated when it is accessed.
struct SQLArguments {
  let nodes: [BoundValue]
  let row: SQLRow

  var count: Int { nodes.count }

  subscript(index: Int) -> SQLValue { nodes[index].value(row) }

  func text(_ index: Int) -> String? { self[index].text }

  func double(_ index: Int) -> Double? { self[index].double }
}

extension SQLFunction {
  private static let general = [
    SQLFunction("COALESCE", .alike(1...Int.max)) { values in
      for index in 0..<values.count {
        let value = values[index]
        if case .null = value { continue }
        return value
      }
      return .null
    },
    SQLFunction("NULLIF", .alike(2...2)) { values in
      let value = values[0]
      return SQLValue.order(value, values[1]) == 0 ? .null : value
    },
  ]
}
