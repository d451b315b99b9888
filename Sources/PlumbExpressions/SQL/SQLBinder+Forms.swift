import PlumbCore

/// Binding of forms such as CASE, EXTRACT and CURRENT_DATE, and of values of one kind.
extension SQLBinder {
  /// Binds values that are comparable with each other, and returns their kind.
  @inline(never)
  func alike(
    _ nodes: [SQLNode], _ name: String
  ) throws(ExpressionError) -> ([BoundValue], SQLKind) {
    let bounds = try bounds(nodes)
    let lead = bounds.first { $0.kind != .null && $0.literal == nil }
    let kind = lead?.kind ?? (bounds.contains { $0.kind != .null } ? .text : .null)
    var values: [BoundValue] = []
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
    return (values, kind)
  }

  // MARK: CASE

  @inline(never)
  func choice(_ choice: SQLChoice, _ node: SQLNode) throws(ExpressionError) -> Bound {
    var results = choice.branches.map(\.then)
    if let otherwise = choice.otherwise { results.append(otherwise) }
    let cases = try whens(choice)
    let (values, kind) = try alike(results, "CASE")
    let otherwise = choice.otherwise == nil ? nil : values.last
    let bound: BoundChoice.Cases
    switch cases {
    case .searched(let truths): bound = .searched(zip(truths, values).map { ($0, $1) })
    case .simple(let value, let items):
      bound = .simple(value, zip(items, values).map { ($0, $1) })
    }
    return Bound(
      value: .choice(BoundChoice(cases: bound, otherwise: otherwise)), kind: kind, node: node)
  }

  private enum Whens {
    case searched([BoundTruth])
    case simple(BoundValue, [BoundValue])
  }

  @inline(never)
  private func whens(_ choice: SQLChoice) throws(ExpressionError) -> Whens {
    let nodes = choice.branches.map(\.when)
    guard let value = choice.value else {
      var truths: [BoundTruth] = []
      for node in nodes { truths.append(try truth(node)) }
      return .searched(truths)
    }
    let bound = try bound(value)
    let items = try bounds(nodes)
    // A literal after CASE may be parsed as a different kind for each branch.
    if bound.literal != nil {
      var truths: [BoundTruth] = []
      for item in items {
        let (left, right) = try paired(bound, item)
        truths.append(.comparison(.equal, left.value, right.value))
      }
      return .searched(truths)
    }
    var values: [BoundValue] = []
    for item in items { values.append(try paired(bound, item).1.value) }
    return .simple(bound.value, values)
  }

  // MARK: Dates

  /// Binds a keyword for the current time, such as CURRENT_DATE. The row's last value is the current time.
  @inline(never)
  func clock(_ clock: SQLClock, _ node: SQLNode) -> Bound {
    Bound(
      value: .call([.field(clockIndex, .integer)]) { clock.value(at: $0[0]) },
      kind: clock == .time ? .text : .moment, node: node)
  }

  @inline(never)
  func extract(_ nodes: [SQLNode], _ node: SQLNode) throws(ExpressionError) -> Bound {
    guard nodes.count == 2, case .literal(.text(let name), _) = nodes[0],
      let part = SQLPart(rawValue: name)
    else { throw error(node, "EXTRACT takes a part and a date") }
    let value = try bound(nodes[1])
    switch value.kind {
    case .moment, .months, .duration, .text, .null: try checkDate(value)
    case .number, .boolean:
      throw error(nodes[1], "EXTRACT needs a date, and \(describe(value)) is not a date")
    }
    return Bound(value: .call([value.value]) { part.value(of: $0[0]) }, kind: .number, node: node)
  }
}

extension SQLNode {
  /// Whether the node always results in a date without a time of day.
  var isDay: Bool {
    switch self {
    case .literal(.moment(_, _, let isDate), _): isDate
    case .call(let name, _, _): name == SQLClock.date.rawValue
    case .cast(_, .date): true
    default: false
    }
  }
}
