import PlumbCore

extension SQLNode {
  /// The node as the text of a condition, with only the necessary parentheses.
  var text: String {
    var text = ""
    write(to: &text)
    return text
  }

  /// Writes the node, in parentheses if its precedence is below `minimum`.
  private func write(to text: inout String, minimum: SQLLevel = .or) {
    guard level >= minimum else {
      text += "("
      write(to: &text)
      text += ")"
      return
    }
    switch self {
    case .literal(let literal, _): text += literal.text
    case .field(let name, _): text += Self.fieldText(name)
    case .negated(let node):
      text += "-"
      switch node {
      case .field, .call, .cast: node.write(to: &text)
      // Two adjacent minus signs would be a comment, and a number would be parsed with the sign.
      case _ where node.level == .sign:
        text += " "
        node.write(to: &text)
      default: node.writeInside(&text)
      }
    case .chain(let first, let terms):
      first.write(to: &text, minimum: level.tighter)
      for term in terms {
        text += " \(term.sign.rawValue) "
        term.operand.write(to: &text, minimum: level.tighter)
      }
    case .joined(let nodes): Self.write(nodes, " || ", to: &text, minimum: level.tighter)
    case .not(let node):
      text += "NOT "
      node.write(to: &text, minimum: .not)
    case .all(let nodes): Self.write(nodes, " AND ", to: &text, minimum: level.tighter)
    case .any(let nodes): Self.write(nodes, " OR ", to: &text, minimum: level.tighter)
    case .call("POSITION", let values, _) where values.count == 2:
      text += "POSITION("
      values[0].write(to: &text, minimum: .joined)
      text += " IN "
      values[1].write(to: &text)
      text += ")"
    case .call("EXTRACT", let values, _):
      if case .literal(.text(let part), _)? = values.first { text += "EXTRACT(\(part) FROM " }
      values.last?.write(to: &text)
      text += ")"
    case .call(let name, [], _) where SQLClock(rawValue: name) != nil: text += name
    case .call(let name, let values, _):
      text += name + "("
      Self.write(values, ", ", to: &text)
      text += ")"
    case .cast(let node, let type):
      text += "CAST("
      node.write(to: &text)
      text += " AS \(type.text))"
    case .choice(let choice, _): Self.write(choice, to: &text)
    case .comparison, .member, .between, .like, .isNull: writePredicate(to: &text)
    }
  }

  private static func write(_ choice: SQLChoice, to text: inout String) {
    text += "CASE"
    if let value = choice.value {
      text += " "
      // If a sign or a keyword followed CASE, CASE might be parsed as a field.
      if value.level >= .primary { value.write(to: &text) } else { value.writeInside(&text) }
    }
    for branch in choice.branches {
      text += " WHEN "
      branch.when.write(to: &text)
      text += " THEN "
      branch.then.write(to: &text)
    }
    if let otherwise = choice.otherwise {
      text += " ELSE "
      otherwise.write(to: &text)
    }
    text += " END"
  }

  private func writePredicate(to text: inout String) {
    let operand = SQLLevel.comparison.tighter
    switch self {
    case .comparison(let comparison, let left, let right):
      left.write(to: &text, minimum: operand)
      text += " \(comparison.rawValue) "
      right.write(to: &text, minimum: operand)
    case .member(let node, let list, let isNot):
      node.write(to: &text, minimum: operand)
      text += isNot ? " NOT IN (" : " IN ("
      Self.write(list, ", ", to: &text)
      text += ")"
    case .between(let node, let low, let high, let isNot):
      node.write(to: &text, minimum: operand)
      text += isNot ? " NOT BETWEEN " : " BETWEEN "
      low.write(to: &text, minimum: operand)
      text += " AND "
      high.write(to: &text, minimum: operand)
    case .like(let node, let pattern, let like):
      node.write(to: &text, minimum: operand)
      text += (like.isNot ? " NOT" : "") + (like.ignoresCase ? " ILIKE " : " LIKE ")
      pattern.write(to: &text, minimum: operand)
      if let escape = like.escape { text += " ESCAPE \(SQLLiteral.text(String(escape)).text)" }
    case .isNull(let node, let isNot):
      node.write(to: &text, minimum: operand)
      text += isNot ? " IS NOT NULL" : " IS NULL"
    default: break
    }
  }

  private func writeInside(_ text: inout String) {
    text += "("
    write(to: &text)
    text += ")"
  }

  private static func write(
    _ nodes: [SQLNode], _ separator: String, to text: inout String, minimum: SQLLevel = .or
  ) {
    for (index, node) in nodes.enumerated() {
      if index > 0 { text += separator }
      node.write(to: &text, minimum: minimum)
    }
  }

  /// The name of a field, without quotes if possible, otherwise in double quotes.
  private static func fieldText(_ name: String) -> String {
    if let tokens = try? SQLTokenizer.tokens(SQLSource(name), hasBits: false), tokens.count == 2,
      case .word(let word) = tokens[0].kind, word == name, !SQLParser.isSpecial(word)
    {
      return name
    }
    return name.asIdentifier
  }
}

extension SQLLiteral {
  var text: String {
    switch self {
    case .null: "NULL"
    case .boolean(let boolean): boolean ? "TRUE" : "FALSE"
    case .integer(let integer): integer.description
    case .real(let real): real.description
    case .text(let text): text.asLiteral
    case .moment(_, let text, let isDate): (isDate ? "DATE '" : "TIMESTAMP '") + text + "'"
    case .interval(_, let text, let first, let last):
      "INTERVAL '\(text)' \(first.rawValue)" + (first == last ? "" : " TO \(last.rawValue)")
    }
  }
}

extension SQLType {
  var text: String {
    switch self {
    case .integer: "INTEGER"
    case .real: "FLOAT"
    case .decimal(nil): "DECIMAL"
    case .decimal(let form?): "DECIMAL(\(form.precision), \(form.scale))"
    case .date: "DATE"
    case .timestamp: "TIMESTAMP"
    case .text(nil): "VARCHAR"
    case .text(let length?): "VARCHAR(\(length))"
    }
  }
}
