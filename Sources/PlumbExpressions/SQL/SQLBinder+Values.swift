import PlumbCore

/// Binding of values, operators and functions, with their kinds.
extension SQLBinder {
  func bound(_ node: SQLNode) throws(ExpressionError) -> Bound {
    switch node {
    case .literal(let literal, _): return Self.bound(literal, node)
    case .field(let name, _): return try field(name, node)
    case .negated(let operand): return try negated(operand, node)
    case .chain(let first, let terms): return try chain(first, terms, node)
    case .joined(let nodes): return try joined(nodes, node)
    case .call(let name, let values, _): return try call(name, values, node)
    case .cast(let operand, let type): return try cast(operand, type, node)
    case .choice(let choice, _): return try self.choice(choice, node)
    case .not, .all, .any, .comparison, .member, .between, .like, .isNull:
      return try boolean(node)
    }
  }

  @inline(never)
  private func field(_ name: String, _ node: SQLNode) throws(ExpressionError) -> Bound {
    let index = try index(of: name, node)
    let kind = fields[index].kind
    return Bound(value: .field(index, kind), kind: SQLKind(kind), node: node)
  }

  @inline(never)
  private func boolean(_ node: SQLNode) throws(ExpressionError) -> Bound {
    Bound(value: .truth(try truth(node)), kind: .boolean, node: node)
  }

  @inline(never)
  private func negated(_ operand: SQLNode, _ node: SQLNode) throws(ExpressionError) -> Bound {
    let value = try bound(operand)
    if !value.kind.isInterval { try checkNumber(value, "-") }
    let kind = value.kind.isInterval ? value.kind : .number
    return Bound(value: .negated(value.value), kind: kind, node: node)
  }

  @inline(never)
  private func chain(
    _ first: SQLNode, _ terms: [SQLTerm], _ node: SQLNode
  ) throws(ExpressionError) -> Bound {
    let first = try bound(first)
    var operands: [Bound] = []
    operands.reserveCapacity(terms.count)
    for term in terms { operands.append(try bound(term.operand)) }
    let rest = zip(terms, operands).map { BoundTerm(sign: $0.sign, operand: $1.value) }
    if ([first] + operands).contains(where: { $0.kind == .moment || $0.kind.isInterval }) {
      let kind = try kind(ofTimes: first, terms, operands)
      return Bound(value: .timeChain(first.value, rest), kind: kind, node: node)
    }
    try checkNumber(first, terms.first?.sign.rawValue ?? "")
    for (term, operand) in zip(terms, operands) { try checkNumber(operand, term.sign.rawValue) }
    return Bound(value: .chain(first.value, rest), kind: .number, node: node)
  }

  /// The kind of the result of a chain of operators with dates or intervals.
  @inline(never)
  private func kind(
    ofTimes first: Bound, _ terms: [SQLTerm], _ operands: [Bound]
  ) throws(ExpressionError) -> SQLKind {
    for operand in [first] + operands { try checkDate(operand) }
    var kind = first.kind
    for (term, operand) in zip(terms, operands) {
      guard let next = SQLArithmetic.kind(term.sign, kind, operand.kind) else {
        let isDays = kind == .moment && operand.kind == .number
        let advice = isDays ? "; write days as INTERVAL '7' DAY" : ""
        throw error(
          operand.node,
          "\(term.sign.rawValue) does not take \(kind.article) and \(describe(operand))\(advice)")
      }
      kind = next
    }
    return kind
  }

  /// Throws if literal text that is used as a date is not a date.
  func checkDate(_ value: Bound) throws(ExpressionError) {
    guard let literal = value.literal, SQLMoment(literal) == nil else { return }
    throw error(value.node, "'\(literal.shown)' is used as a date but is not a date")
  }

  @inline(never)
  private func joined(_ nodes: [SQLNode], _ node: SQLNode) throws(ExpressionError) -> Bound {
    Bound(value: .joined(try texts(nodes, "||")), kind: .text, node: node)
  }

  @inline(never)
  private func cast(
    _ operand: SQLNode, _ type: SQLType, _ node: SQLNode
  ) throws(ExpressionError) -> Bound {
    let value = try bound(operand)
    let isDate = value.kind == .moment
    var (made, kind) = (value.value, SQLKind.number)
    switch type {
    case .text:
      kind = .text
      if isDate { made = Self.text(of: made, isDay: operand.isDay) }
    case .date, .timestamp:
      kind = .moment
      guard isDate || value.kind == .text || value.kind == .null else {
        throw error(operand, "\(describe(value)) cannot be CAST AS \(type.text)")
      }
      try checkDate(value)
    case .integer, .real, .decimal:
      guard !isDate else {
        throw error(operand, "a date cannot be CAST AS \(type.text): EXTRACT its parts")
      }
    }
    guard !value.kind.isInterval else {
      throw error(operand, "an interval cannot be CAST: EXTRACT its parts")
    }
    return Bound(value: .cast(made, type), kind: kind, node: node)
  }

  /// A date as text. The time of day is omitted if the expression always results in a date without
  /// a time.
  private static func text(of moment: BoundValue, isDay: Bool) -> BoundValue {
    .call([moment]) { values in
      guard case .moment(let moment) = values[0] else { return .null }
      return .text(isDay ? moment.dateText : moment.text)
    }
  }

  @inline(never)
  private static func bound(_ literal: SQLLiteral, _ node: SQLNode) -> Bound {
    let (value, kind): (SQLValue, SQLKind) =
      switch literal {
      case .null: (.null, .null)
      case .boolean(let boolean): (.boolean(boolean), .boolean)
      case .integer(let integer): (.integer(integer), .number)
      case .real(let real): (.real(real), .number)
      case .text(let text): (.text(text), .text)
      case .moment(let moment, _, _): (.moment(moment), .moment)
      case .interval(let interval, _, let unit, _):
        (.interval(interval), unit.isOfMonths ? .months : .duration)
      }
    var bound = Bound(value: .constant(value), kind: kind, node: node)
    if case .text(let text) = literal { bound.literal = text }
    return bound
  }

  @inline(never)
  private func checkNumber(_ value: Bound, _ sign: String) throws(ExpressionError) {
    guard value.kind == .number || value.kind == .null else {
      let advice = value.kind == .text && sign == "+" ? "; use || to join text" : ""
      throw error(value.node, "\(sign) needs numbers, and \(describe(value)) is not one\(advice)")
    }
  }

  @inline(never)
  private func texts(
    _ nodes: [SQLNode], _ name: String
  ) throws(ExpressionError) -> [BoundValue] {
    var values: [BoundValue] = []
    for node in nodes {
      let value = try bound(node)
      guard value.kind != .moment, !value.kind.isInterval else {
        throw error(node, "\(name) does not take \(value.kind.article)")
      }
      values.append(value.value)
    }
    return values
  }

  @inline(never)
  private func call(
    _ name: String, _ nodes: [SQLNode], _ node: SQLNode
  ) throws(ExpressionError) -> Bound {
    switch name {
    case SQLFunction.category: return try category(nodes, node)
    case "EXTRACT": return try extract(nodes, node)
    default: if let clock = SQLClock(rawValue: name) { return self.clock(clock, node) }
    }
    guard let function = SQLFunction.named(name) else {
      throw error(node, "there is no function \(name.shown)")
    }
    var (values, kind): ([BoundValue], SQLKind) = ([], function.result)
    switch function.parameters {
    case .texts: values = try texts(nodes, name)
    case .these(let kinds, _):
      for (node, wanted) in zip(nodes, kinds) {
        let value = try bound(node)
        guard value.kind == wanted || value.kind == .null else {
          let advice = wanted == .text ? ": CAST(… AS VARCHAR)" : ""
          throw error(
            node, "\(name) needs \(wanted.article), and \(describe(value)) is not one\(advice)")
        }
        values.append(value.value)
      }
    case .alike: (values, kind) = try alike(nodes, name)
    }
    return Bound(value: .call(values, function.body), kind: kind, node: node)
  }

  @inline(never)
  private func category(_ nodes: [SQLNode], _ node: SQLNode) throws(ExpressionError) -> Bound {
    guard let categories else {
      throw error(node, "category() is only available for elements of a network")
    }
    guard case .literal(.text(let name), _)? = nodes.first else {
      throw error(node, "category() needs a name in quotes")
    }
    guard let index = categories.firstIndex(of: name) else {
      throw error(
        node,
        "there is no category \(name.shown)" + NameSuggestions.list(categories.map(\.shown)))
    }
    let word = BoundValue.field(fields.count + index / 63, .integer)
    return Bound(
      value: .call([word], SQLFunction.test(ofBit: index % 63)), kind: .boolean, node: node)
  }
}
