import PlumbCore

/// Compiles the syntax tree of a condition on cells to operations on registers.
struct CellCompiler {
  /// A register with values.
  struct Value {
    var register: Int
    var isInteger: Bool
  }

  private let source: SQLSource
  private let variables: [CellCondition.Variable]
  private(set) var steps: [CellStep] = []
  private(set) var valueCount = 0
  private(set) var truthCount = 0
  private(set) var used: Set<Int> = []
  private var loaded: [Int: Value] = [:]

  init(_ source: SQLSource, _ variables: [CellCondition.Variable]) {
    (self.source, self.variables) = (source, variables)
  }

  private mutating func newValue() -> Int {
    valueCount += 1
    return valueCount - 1
  }

  private mutating func newTruth() -> Int {
    truthCount += 1
    return truthCount - 1
  }

  // MARK: Truths

  /// Compiles a condition, and returns the register of its truth value.
  mutating func truth(_ node: SQLNode) throws(ExpressionError) -> Int {
    switch node {
    case .literal(.boolean(let value), _): return constant(value ? CellTruth.yes : CellTruth.no)
    case .literal(.null, _): return constant(CellTruth.unknown)
    case .not(let inner): return inverted(try truth(inner))
    case .all(let nodes): return try combined(nodes) { .and($0, $1, to: $2) }
    case .any(let nodes): return try combined(nodes) { .or($0, $1, to: $2) }
    case .comparison(let comparison, let left, let right):
      return compare(comparison, try value(left), try value(right))
    case .between(let node, let low, let high, let isNot):
      let value = try value(node)
      let above = compare(.greaterOrEqual, value, try self.value(low))
      let below = compare(.lessOrEqual, value, try self.value(high))
      let both = newTruth()
      steps.append(.and(above, below, to: both))
      return isNot ? inverted(both) : both
    case .member(let node, let list, let isNot):
      let found = try member(node, list)
      return isNot ? inverted(found) : found
    case .isNull(let node, let isNot):
      let truth = newTruth()
      steps.append(.isNull(try value(node).register, to: truth))
      return isNot ? inverted(truth) : truth
    case .call(let name, let arguments, _) where ["INCLUDES", "INCLUDESANY"].contains(name):
      let (bits, wanted) = (try integer(arguments[0]), try integer(arguments[1]))
      let common = newValue()
      steps.append(.integers(.bitAnd, bits.register, wanted.register, to: common))
      let value = Value(register: common, isInteger: true)
      return name == "INCLUDES"
        ? compare(.equal, value, wanted) : compare(.notEqual, value, literal(0))
    default:
      throw source.error(
        at: node.offset, "\(node.text.shown) is not a condition: compare it with a value")
    }
  }

  private mutating func constant(_ value: UInt8) -> Int {
    let truth = newTruth()
    steps.append(.constant(value, to: truth))
    return truth
  }

  private mutating func inverted(_ truth: Int) -> Int {
    let result = newTruth()
    steps.append(.not(truth, to: result))
    return result
  }

  private mutating func combined(
    _ nodes: [SQLNode], _ step: (Int, Int, Int) -> CellStep
  ) throws(ExpressionError) -> Int {
    var result = try truth(nodes[0])
    for node in nodes.dropFirst() {
      let other = try truth(node)
      let both = newTruth()
      steps.append(step(result, other, both))
      result = both
    }
    return result
  }

  private mutating func compare(_ comparison: SQLComparison, _ a: Value, _ b: Value) -> Int {
    let truth = newTruth()
    if a.isInteger, b.isInteger {
      steps.append(.compareIntegers(comparison, a.register, b.register, to: truth))
    } else {
      steps.append(.compareReals(comparison, real(a), real(b), to: truth))
    }
    return truth
  }

  private mutating func member(_ node: SQLNode, _ list: [SQLNode]) throws(ExpressionError) -> Int {
    let value = try value(node)
    let integers = list.compactMap { item -> Int64? in
      if case .literal(.integer(let integer), _) = item { integer } else { nil }
    }
    if value.isInteger, integers.count == list.count {
      let truth = newTruth()
      steps.append(.member(value.register, Array(Set(integers)).sorted(), to: truth))
      return truth
    }
    var result = constant(CellTruth.no)
    for item in list {
      let equal = compare(.equal, value, try self.value(item))
      let either = newTruth()
      steps.append(.or(result, equal, to: either))
      result = either
    }
    return result
  }

  // MARK: Values

  private mutating func literal(_ integer: Int64) -> Value {
    let register = newValue()
    steps.append(.integer(integer, to: register))
    return Value(register: register, isInteger: true)
  }

  /// The register with the value of an expression.
  private mutating func value(_ node: SQLNode) throws(ExpressionError) -> Value {
    switch node {
    case .literal(.integer(let integer), _): return literal(integer)
    case .literal(.boolean(let isTrue), _): return literal(isTrue ? 1 : 0)
    case .literal(.real(let real), _):
      let register = newValue()
      steps.append(.real(real, to: register))
      return Value(register: register, isInteger: false)
    case .literal(.null, _):
      let register = newValue()
      steps.append(.null(to: register))
      return Value(register: register, isInteger: true)
    case .field(let name, let position): return try variable(name, position)
    case .negated(let inner): return function(.negated, try value(inner))
    case .chain(let first, let terms):
      var result = try value(first)
      for term in terms { result = try operation(term.sign, result, term.operand, first) }
      return result
    case .call(let name, let arguments, let position):
      return try call(name, arguments, position)
    default:
      throw source.error(
        at: node.offset, "\(node.text.shown) is not available for the values of cells")
    }
  }

  private mutating func variable(
    _ name: String, _ position: SQLPosition
  ) throws(ExpressionError) -> Value {
    let exact = variables.firstIndex { $0.name == name }
    let found = variables.indices.filter { variables[$0].name.lowercased() == name.lowercased() }
    guard let index = exact ?? found.first, exact != nil || found.count == 1 else {
      throw source.error(
        at: position.offset,
        found.isEmpty
          ? "there is no raster \(name.shown)" + NameSuggestions.list(variables.map(\.name.shown))
          : "\(name.shown) is ambiguous: several raster names differ only in case")
    }
    if let known = loaded[index] { return known }
    used.insert(index)
    let register = newValue()
    steps.append(.load(variable: index, to: register))
    let value = Value(register: register, isInteger: variables[index].isInteger)
    loaded[index] = value
    return value
  }

  private mutating func integer(_ node: SQLNode) throws(ExpressionError) -> Value {
    let value = try value(node)
    guard value.isInteger else {
      throw source.error(
        at: node.offset, "\(node.text.shown) is not an integer, as bitwise operators require")
    }
    return value
  }

  /// Returns the register of a value as doubles, and converts the value if it consists of integers.
  private mutating func real(_ value: Value) -> Int {
    guard value.isInteger else { return value.register }
    let register = newValue()
    steps.append(.convert(value.register, to: register))
    return register
  }

  private mutating func operation(
    _ sign: SQLSign, _ left: Value, _ node: SQLNode, _ first: SQLNode
  ) throws(ExpressionError) -> Value {
    let right = try sign.isOfBits ? integer(node) : value(node)
    guard !sign.isOfBits || left.isInteger else {
      throw source.error(
        at: first.offset, "\(first.text.shown) is not an integer, as \(sign.rawValue) requires")
    }
    return arithmetic(sign, left, right)
  }

  private mutating func arithmetic(_ sign: SQLSign, _ left: Value, _ right: Value) -> Value {
    // The quotient of two integers is a real number, as in NumPy.
    if left.isInteger, right.isInteger, sign != .divided {
      let register = newValue()
      steps.append(.integers(sign, left.register, right.register, to: register))
      return Value(register: register, isInteger: true)
    }
    let (a, b) = (real(left), real(right))
    let register = newValue()
    steps.append(.reals(sign, a, b, to: register))
    return Value(register: register, isInteger: false)
  }

  private mutating func function(_ function: CellStep.Function, _ value: Value) -> Value {
    let register = newValue()
    steps.append(
      value.isInteger
        ? .integerFunction(function, value.register, to: register)
        : .realFunction(function, value.register, to: register))
    return Value(register: register, isInteger: value.isInteger)
  }

  /// Returns a value as integers. A value of doubles must contain only whole numbers.
  private mutating func integral(_ value: Value) -> Value {
    guard !value.isInteger else { return value }
    let register = newValue()
    steps.append(.integral(value.register, to: register))
    return Value(register: register, isInteger: true)
  }

  private mutating func call(
    _ name: String, _ arguments: [SQLNode], _ position: SQLPosition
  ) throws(ExpressionError) -> Value {
    switch name {
    case "ABS": return function(.absolute, try value(arguments[0]))
    case "SIGN": return function(.sign, try value(arguments[0]))
    case "FLOOR": return integral(function(.floor, try value(arguments[0])))
    case "CEILING": return integral(function(.ceiling, try value(arguments[0])))
    case "SQRT":
      let register = real(try value(arguments[0]))
      return function(.root, Value(register: register, isInteger: false))
    case "MOD": return arithmetic(.remainder, try value(arguments[0]), try value(arguments[1]))
    default:
      throw source.error(
        at: position.offset,
        "\(name) is not available for the values of cells; available functions: ABS, SIGN, FLOOR, CEILING, SQRT, "
          + "MOD, INCLUDES, INCLUDESANY")
    }
  }
}
