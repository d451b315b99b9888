import PlumbCore

extension Condition {
  /// The parts of a condition that a PostgreSQL database can evaluate, in its SQL. They are true for
  /// all rows for which the condition is true, and possibly for others: the caller has to evaluate
  /// the condition itself, too.
  ///
  /// - Parameters:
  ///   - text: the condition; nil for all rows.
  ///   - fields: the columns of the table.
  ///   - comparable: the columns whose values the database compares with constants as Plumb does.
  /// - Returns: nil if the database cannot evaluate any part, and for an invalid condition.
  package static func databaseFilter(
    _ text: String?, on fields: [Field], comparable: [Field]
  ) -> String? {
    guard let text, !comparable.isEmpty, let condition = try? Condition(text) else { return nil }
    return DatabaseFilter(fields: fields, comparable: comparable).text(of: condition.node)
  }
}

/// Converts conditions to the SQL of PostgreSQL.
private struct DatabaseFilter {
  let fields: [Field]
  let comparable: [Field]

  /// - Returns: nil for conditions whose result in the database may differ.
  func text(of node: SQLNode) -> String? {
    switch node {
    case .all(let nodes):
      // An operand of AND may be omitted, because the rest is true for at least the same rows.
      let texts = nodes.compactMap { text(of: $0) }
      return texts.isEmpty ? nil : "(" + texts.joined(separator: " AND ") + ")"
    case .any(let nodes):
      let texts = nodes.compactMap { text(of: $0) }
      return texts.count == nodes.count ? "(" + texts.joined(separator: " OR ") + ")" : nil
    case .comparison(let comparison, let left, let right):
      if let field = field(left) { return compare(field, comparison, right) }
      return field(right).flatMap { compare($0, comparison.flipped, left) }
    case .member(let node, let list, isNot: false):
      guard let field = field(node) else { return nil }
      let texts = list.compactMap { compare(field, .equal, $0) }
      return texts.count == list.count ? "(" + texts.joined(separator: " OR ") + ")" : nil
    case .between(let node, let low, let high, isNot: false):
      guard let field = field(node), let from = compare(field, .greaterOrEqual, low),
        let to = compare(field, .lessOrEqual, high)
      else { return nil }
      return "(\(from) AND \(to))"
    case .isNull(let node, let isNot):
      // NaN is NULL in conditions.
      guard let field = field(node), isNot || field.kind != .real else { return nil }
      return column(field) + (isNot ? " IS NOT NULL" : " IS NULL")
    default: return nil
    }
  }

  private func field(_ node: SQLNode) -> Field? {
    guard case .field(let name, _) = node else { return nil }
    let exact = fields.filter { $0.name == name }
    let found = exact.isEmpty ? fields.filter { $0.name.lowercased() == name.lowercased() } : exact
    return found.count == 1 && comparable.contains(found[0]) ? found[0] : nil
  }

  private func column(_ field: Field) -> String { field.name.asIdentifier }

  private func compare(_ field: Field, _ comparison: SQLComparison, _ node: SQLNode) -> String? {
    let isNumber = field.kind == .integer || field.kind == .real
    let (literal, sign): (SQLLiteral, String)
    switch node {
    case .literal(let found, _): (literal, sign) = (found, "")
    case .negated(.literal(let found, _)) where isNumber: (literal, sign) = (found, "-")
    default: return nil
    }
    // The order of text depends on the database's collation.
    guard isNumber || comparison == .equal, let value = value(literal, of: field) else {
      return nil
    }
    let type = field.kind == .text ? "::text" : field.kind == .real ? "::float8" : ""
    return "\(column(field))\(type) \(comparison.rawValue) \(sign)\(value)"
  }

  private func value(_ literal: SQLLiteral, of field: Field) -> String? {
    switch (literal, field.kind) {
    case (.integer(let integer), .integer) where integer >= 0: "\(integer)"
    case (.integer(let integer), .real) where (0..<1 << 53).contains(integer):
      "\(integer)::float8"
    case (.real(let real), .real) where real.isFinite && real >= 0: "\(real)::float8"
    case (.boolean(let boolean), .boolean): boolean ? "TRUE" : "FALSE"
    case (.text(let text), .text) where !text.utf8.contains { $0 == 0 || $0 == 0x5C }:
      text.asLiteral
    default: nil
    }
  }
}

extension SQLComparison {
  /// The comparison with the operands exchanged.
  fileprivate var flipped: SQLComparison {
    switch self {
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    case .equal, .notEqual: self
    }
  }
}
