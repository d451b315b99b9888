import PlumbCore

/// Values, the operators and functions that make them, and their kinds.
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
    Bound(value: .negated(try number(operand, "-").value), kind: .number, node: node)
  }

  @inline(never)
  private func chain(
    _ first: SQLNode, _ terms: [SQLTerm], _ node: SQLNode
  ) throws(ExpressionError) -> Bound {
    let first = try number(first, terms.first?.sign.rawValue ?? "").value
    var rest: [BoundTerm] = []
    rest.reserveCapacity(terms.count)
    for term in terms {
      let operand = try number(term.operand, term.sign.rawValue).value
      rest.append(BoundTerm(sign: term.sign, operand: operand))
    }
    return Bound(value: .chain(first, rest), kind: .number, node: node)
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
    guard value.kind != .moment else { throw error(operand, "a date cannot be CAST") }
    let kind: SQLKind = if case .text = type { .text } else { .number }
    return Bound(value: .cast(value.value, type), kind: kind, node: node)
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
      }
    var bound = Bound(value: .constant(value), kind: kind, node: node)
    if case .text(let text) = literal { bound.literal = text }
    return bound
  }

  @inline(never)
  private func number(_ node: SQLNode, _ sign: String) throws(ExpressionError) -> Bound {
    let value = try bound(node)
    guard value.kind == .number || value.kind == .null else {
      let advice = value.kind == .text && sign == "+" ? "; texts are joined by ||" : ""
      throw error(node, "\(sign) needs numbers, and \(describe(value)) is none\(advice)")
    }
    return value
  }

  @inline(never)
  private func texts(
    _ nodes: [SQLNode], _ name: String
  ) throws(ExpressionError) -> [BoundValue] {
    var values: [BoundValue] = []
    for node in nodes {
      let value = try bound(node)
      guard value.kind != .moment else { throw error(node, "\(name) does not take a date") }
      values.append(value.value)
    }
    return values
  }

  @inline(never)
  private func call(
    _ name: String, _ nodes: [SQLNode], _ node: SQLNode
  ) throws(ExpressionError) -> Bound {
    if name == SQLFunction.category { return try category(nodes, node) }
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
            node, "\(name) needs \(wanted.article), and \(describe(value)) is none\(advice)")
        }
        values.append(value.value)
      }
    case .alike:
      let bounds = try bounds(nodes)
      let lead = bounds.first { $0.kind != .null && $0.literal == nil }
      kind = lead?.kind ?? (bounds.contains { $0.kind != .null } ? .text : .null)
      for bound in bounds {
        guard let lead else {
          values.append(bound.value)
          continue
        }
        let value = try paired(lead, bound).1
        guard value.kind == kind || value.kind == .null else {
          throw error(
            bound.node,
            "\(name) needs values of one kind: \(describe(bound)) is not \(kind.article)")
        }
        values.append(value.value)
      }
    }
    return Bound(value: .call(values, function.body), kind: kind, node: node)
  }

  @inline(never)
  private func category(_ nodes: [SQLNode], _ node: SQLNode) throws(ExpressionError) -> Bound {
    guard let categories else {
      throw error(node, "category() asks of elements of a network, and here there are none")
    }
    guard case .literal(.text(let name), _)? = nodes.first else {
      throw error(node, "category() needs a name between quotes")
    }
    guard let index = categories.firstIndex(of: name) else {
      let known = categories.prefix(10).map(\.shown).joined(separator: ", ")
      throw error(
        node,
        "there is no category \(name.shown); "
          + (categories.isEmpty ? "there are none" : "there are \(known)"))
    }
    let word = BoundValue.field(fields.count + index / 63, .integer)
    return Bound(
      value: .call([word], SQLFunction.test(ofBit: index % 63)), kind: .boolean, node: node)
  }
}
