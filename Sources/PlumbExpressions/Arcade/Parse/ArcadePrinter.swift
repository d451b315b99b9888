/// Prints trees as text that parses to equal trees.
struct ArcadePrinter {
  private(set) var text = ""
  private var indent = ""

  static func text(_ statements: [ArcadeStatement]) -> String {
    var printer = ArcadePrinter()
    printer.write(statements)
    return printer.text
  }

  private mutating func write(_ statements: [ArcadeStatement]) {
    var isFirst = true
    for statement in statements {
      text += isFirst ? indent : "\n" + indent
      isFirst = false
      write(statement)
    }
  }

  private mutating func write(_ statement: ArcadeStatement) {
    switch statement {
    case .variables(let variables):
      write(variables)
      text += ";"
    case .function(let declaration):
      let names = declaration.parameters.map(\.name).joined(separator: ", ")
      text += "function \(declaration.name)(\(names)) "
      write(.block(declaration.body))
    case .condition(let branches, let otherwise):
      for (index, branch) in branches.enumerated() {
        text += index == 0 ? "if (" : " else if ("
        write(branch.condition)
        text += ") "
        write(branch.body)
      }
      if let otherwise {
        text += " else "
        write(otherwise)
      }
    case .forLoop(let start, let test, let step, let body, _):
      text += "for ("
      switch start {
      case .variables(let variables)?: write(variables)
      case .expression(let node, _)?: write(node)
      default: break
      }
      text += "; "
      if let test { write(test) }
      text += "; "
      if let step { write(step) }
      text += ") "
      write(body)
    case .forEach(let each, let body):
      text += "for (\(each.isDeclared ? "var " : "")\(each.name) \(each.isOf ? "of" : "in") "
      write(each.values)
      text += ") "
      write(body)
    case .whileLoop(let test, let body, _):
      text += "while ("
      write(test)
      text += ") "
      write(body)
    case .leave: text += "break;"
    case .next: text += "continue;"
    case .result(let node, _):
      text += node == nil ? "return" : "return "
      if let node { write(node) }
      text += ";"
    case .block(let statements):
      guard !statements.isEmpty else {
        text += "{}"
        return
      }
      let outer = indent
      text += "{\n"
      indent += "  "
      write(statements)
      indent = outer
      text += "\n\(indent)}"
    case .expression(let node, _):
      // Without parentheses, a brace would start a block.
      let isBraced = node.startsWithBrace
      if isBraced { text += "(" }
      write(node)
      text += isBraced ? ");" : ";"
    }
  }

  private mutating func write(_ variables: [ArcadeVariable]) {
    text += "var "
    for (index, variable) in variables.enumerated() {
      text += (index == 0 ? "" : ", ") + variable.name
      if let value = variable.value {
        text += " = "
        write(value)
      }
    }
  }

  // MARK: Expressions

  /// Prints a node, in parentheses if its precedence is below `minimum`.
  private mutating func write(_ node: ArcadeNode, minimum: Int = 0) {
    guard node.level >= minimum else {
      text += "("
      write(node)
      text += ")"
      return
    }
    switch node {
    case .null: text += "null"
    case .boolean(let boolean): text += boolean ? "true" : "false"
    case .number(let number): text += ArcadeNumber.text(number)
    case .text(let value): text += "\"" + Self.escaped(value, "\"") + "\""
    case .name(let name, _), .global(let name, _): text += name
    case .array(let nodes, _):
      text += "["
      write(nodes)
      text += "]"
    case .dictionary(let members, _):
      text += "{"
      for (index, member) in members.enumerated() {
        text += (index == 0 ? "\"" : ", \"") + Self.escaped(member.key, "\"") + "\": "
        write(member.value)
      }
      text += "}"
    case .template(let pieces, let values, _):
      text += "`"
      for (index, piece) in pieces.enumerated() {
        text += Self.escaped(piece, "`")
        if index < values.count {
          text += "${"
          write(values[index])
          text += "}"
        }
      }
      text += "`"
    case .prefix(let sign, let operand, _):
      text += sign.rawValue
      // Without a space, two adjacent signs would be parsed as another sign.
      switch operand {
      case .prefix(sign, _, _), .change(_, _, isBefore: true, _): text += " "
      default: break
      }
      write(operand, minimum: 11)
    case .chain(let first, let terms):
      write(first, minimum: node.level + 1)
      for term in terms {
        text += " \(term.sign.rawValue) "
        write(term.operand, minimum: node.level + 1)
      }
    case .call(let name, let values, _):
      text += name + "("
      write(values)
      text += ")"
    case .path(let base, let steps): write(base, steps)
    case .assignment(let target, let sign, let value, _):
      write(target, minimum: 12)
      text += " \(sign?.rawValue ?? "")= "
      write(value)
    case .change(let target, let sign, let isBefore, _):
      if isBefore { text += sign.rawValue }
      write(target, minimum: 12)
      if !isBefore { text += sign.rawValue }
    }
  }

  private mutating func write(_ base: ArcadeNode, _ steps: [ArcadeStep]) {
    // Without parentheses, the dot after a number would be parsed as a decimal point, and the steps
    // of a nested path would be parsed as steps of the outer path.
    switch base {
    case .number, .path:
      text += "("
      write(base)
      text += ")"
    default: write(base, minimum: 12)
    }
    for step in steps {
      switch step {
      case .member(let name, _): text += "." + name
      case .index(let node, _):
        text += "["
        write(node)
        text += "]"
      }
    }
  }

  private mutating func write(_ nodes: [ArcadeNode]) {
    for (index, node) in nodes.enumerated() {
      if index > 0 { text += ", " }
      write(node)
    }
  }

  private static func escaped(_ text: String, _ quote: Unicode.Scalar) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", quote: result += "\\" + String(scalar)
      case "$" where quote == "`": result += "\\$"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        result += "\\u{" + String(scalar.value, radix: 16) + "}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension ArcadeNode {
  /// The precedence of a node: 0 for an assignment, the level of the operator for binary operators,
  /// 11 for unary operators and steps, and 12 for all other nodes.
  fileprivate var level: Int {
    switch self {
    case .assignment: 0
    case .chain(_, let terms): terms.first?.sign.level ?? 12
    case .prefix, .change: 11
    default: 12
    }
  }

  fileprivate var startsWithBrace: Bool {
    switch self {
    case .dictionary: true
    case .path(let base, _): base.startsWithBrace
    case .chain(let first, _): first.startsWithBrace
    case .assignment(let target, _, _, _), .change(let target, _, isBefore: false, _):
      target.startsWithBrace
    default: false
    }
  }
}
