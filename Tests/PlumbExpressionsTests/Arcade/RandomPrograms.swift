import PlumbTestSupport

/// Random programs with every construct of the language; most of them evaluate to an error.
struct RandomPrograms {
  var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  private mutating func one(_ choices: [String]) -> String {
    choices.randomElement(using: &random) ?? ""
  }

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }

  mutating func program() -> String {
    var lines = ["var a = 1, b = [1, 2, 3], c = 'x', d = {k: 1, 'l': [2]};"]
    if chance(60) {
      lines.append("function f(p, q) { \(statement(2, inLoop: false)) return \(expression(2)) }")
    } else {
      lines.append("function f(p, q) { p }")
    }
    for _ in 0..<Int.random(in: 1...4, using: &random) { lines.append(statement(3, inLoop: false)) }
    return lines.joined(separator: one(["\n", " ", " // note\n", " /* note */ "]))
  }

  mutating func statement(_ depth: Int, inLoop: Bool) -> String {
    guard depth > 0 else { return expression(1) + ";" }
    switch Int.random(in: 0..<14, using: &random) {
    case 0: return "var \(one(["a", "e", "C"])) = \(expression(depth)), g;"
    case 1:
      return "if (\(expression(depth))) \(statement(depth - 1, inLoop: inLoop)) "
        + "else \(statement(depth - 1, inLoop: inLoop))"
    case 2: return "IF (\(condition(depth))) { \(statement(depth - 1, inLoop: inLoop)) }"
    case 3:
      return "for (var i = 0; i < \(one(["3", "a", "Count(b)"])); i++) "
        + statement(depth - 1, inLoop: true)
    case 4:
      return "for (var k \(one(["in", "of"])) \(one(["b", "d", "$f", expression(1)]))) "
        + "{ \(statement(depth - 1, inLoop: true)) }"
    case 5: return "while (\(condition(depth))) { a++; \(statement(depth - 1, inLoop: true)) }"
    case 6: return inLoop ? one(["break;", "continue;"]) : "return \(expression(depth));"
    case 7:
      return "{ \(statement(depth - 1, inLoop: inLoop)) \(statement(depth - 1, inLoop: inLoop)) }"
    case 8: return ";"
    case 9: return "if (\(condition(1))) return \(expression(1)); else if (true) \(expression(1));"
    default: return assignment(depth) + ";"
    }
  }

  private mutating func condition(_ depth: Int) -> String {
    "\(expression(depth - 1)) \(one(["<", "<=", ">", ">=", "==", "!="])) \(expression(depth - 1))"
  }

  private mutating func target() -> String {
    one(["a", "B[0]", "b[-1]", "d.k", "d['l'][0]", "c", "b[Count(b)]", "d.new"])
  }

  private mutating func assignment(_ depth: Int) -> String {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: one(["++", "--"]) + target()
    case 1: target() + one(["++", "--"])
    case 2: "\(target()) \(one(["=", "+=", "-=", "*=", "/=", "%="])) \(expression(depth))"
    default: expression(depth)
    }
  }

  mutating func expression(_ depth: Int) -> String {
    guard depth > 0 else {
      return one([
        "a", "b", "c", "d", "1", "0", "2.5", "1e3", "0xFF", "'t'", "\"q\\n\"", "true", "false",
        "null", "PI", "$f", "$f.name", "b[1]", "d.k", "[]", "``", "Infinity", "f", "Abs",
      ])
    }
    switch Int.random(in: 0..<15, using: &random) {
    case 0...4:
      let signs = [
        "+", "-", "*", "/", "%", "&&", "||", "==", "!=", "<", "<=", ">", ">=", "&", "|", "^", "<<",
        ">>",
      ]
      return "\(expression(depth - 1)) \(one(signs)) \(expression(depth - 1))"
    case 5: return "(\(expression(depth - 1)))"
    case 6: return one(["-", "+", "!", "~", "- -", "!!"]) + " " + expression(depth - 1)
    case 7: return "[\(expression(depth - 1)), \(expression(depth - 1))]"
    case 8: return "{m: \(expression(depth - 1)), 'n o': \(expression(depth - 1))}.m"
    case 9: return "`t ${\(expression(depth - 1))} \\${ ${\(expression(depth - 1))}`"
    case 10: return "f(\(expression(depth - 1)), \(expression(depth - 1)))"
    case 11:
      let name = one(["IIf", "Max", "decode", "When", "Round", "Splice", "Slice", "DefaultValue"])
      let count = name == "Round" || name == "DefaultValue" ? 2 : 3
      return name + "(" + (0..<count).map { _ in expression(depth - 1) }.joined(separator: ", ")
        + ")"
    case 12: return "(\(expression(depth - 1)))[\(expression(depth - 1))]"
    case 13:
      return
        "\(one(["Push", "HasKey", "Includes", "Map", "Filter"]))(\(one(["b", "d"])), \(expression(depth - 1)))"
    default: return "(\(assignment(depth - 1)))"
    }
  }
}
