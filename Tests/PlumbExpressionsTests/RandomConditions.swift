import PlumbCore
import PlumbTestSupport

/// Seeded rows, and conditions with the same meaning in Plumb and another SQL.
struct RandomConditions {
  /// The other SQL that has to read the conditions.
  enum Dialect { case ogr, sqlite }

  static let fields = [
    Field(name: "name", kind: .text), Field(name: "code", kind: .text),
    Field(name: "pop", kind: .integer), Field(name: "rank", kind: .integer),
    Field(name: "area", kind: .real), Field(name: "depth", kind: .real),
  ]

  var generator: SeededGenerator
  var dialect: Dialect

  init(seed: UInt64, _ dialect: Dialect) {
    generator = SeededGenerator(seed: seed)
    self.dialect = dialect
  }

  mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

  mutating func one<T>(_ items: [T]) -> T { items[below(items.count)] }

  // MARK: Rows

  /// Few distinct values, so that conditions match them; one in six is NULL.
  mutating func rows(_ count: Int) -> [[FieldValue]] {
    (0..<count).map { _ in
      [word(), word(), integer(), integer(), real(), real()].map { below(6) == 0 ? .null : $0 }
    }
  }

  private mutating func word() -> FieldValue { .text(rawWord()) }

  private mutating func rawWord() -> String {
    // In OGR, = ignores case and _ matches a byte, so the words are plain.
    let letters =
      dialect == .ogr ? ["a", "b", "c", " ", "%"] : ["a", "B", "b", "%", "_", "é", "'", "🙂"]
    return (0..<below(5)).map { _ in one(letters) }.joined()
  }

  private mutating func integer() -> FieldValue {
    .integer(Int64(below(21) - 10) * (dialect == .ogr ? 1 : one([1, 1, 1, 1_000_000_007])))
  }

  private mutating func real() -> FieldValue { .real(Double(below(81) - 40) / 4) }

  // MARK: Conditions

  mutating func condition(_ depth: Int = 3) -> String {
    guard depth > 0, below(4) > 0 else { return predicate(depth) }
    switch below(5) {
    case 0, 1: return "(\(condition(depth - 1)) AND \(condition(depth - 1)))"
    case 2, 3: return "(\(condition(depth - 1)) OR \(condition(depth - 1)))"
    default: return "NOT (\(condition(depth - 1)))"
    }
  }

  private mutating func predicate(_ depth: Int) -> String {
    let isText = below(2) == 0
    // OGR's IN, BETWEEN and LIKE accept a field and constants.
    let field = isText ? one(["name", "code"]) : one(["pop", "rank", "area", "depth"])
    switch below(7) {
    case 0, 1, 2:
      let comparison = one(["=", "<>", "<", "<=", ">", ">="])
      let (left, right) = isText ? (text(2), text(2)) : (number(2), number(2))
      return "\(left) \(comparison) \(right)"
    case 3: return "\(field) IS \(one(["", "NOT "]))NULL"
    case 4:
      let left = dialect == .ogr ? field : isText ? text(1) : number(1)
      let list = (0...below(7)).map { _ in isText ? textLiteral() : numberLiteral() }
      return "\(left) \(one(["", "NOT "]))IN (\(list.joined(separator: ", ")))"
    case 5:
      let (low, high) =
        isText ? (textLiteral(), textLiteral()) : (numberLiteral(), numberLiteral())
      return "\(field) \(one(["", "NOT "]))BETWEEN \(low) AND \(high)"
    default:
      let escape = dialect == .sqlite ? one(["", " ESCAPE '!'"]) : ""
      return
        "\(one(["name", "code"])) \(one(["", "NOT "]))LIKE \(pattern(!escape.isEmpty))\(escape)"
    }
  }

  private mutating func pattern(_ hasEscape: Bool) -> String {
    let letters =
      ["a", "b", "%", "_", dialect == .ogr ? "c" : "é"] + (hasEscape ? ["!%", "!_", "!!"] : [])
    let parts = (0..<below(5)).map { _ in one(letters) }
    // OGR finds no match if a string ends with a second %.
    let isDouble = { (index: Int) in index > 0 && parts[index - 1] == "%" && parts[index] == "%" }
    let kept = parts.indices.filter { dialect == .sqlite || !isDouble($0) }
    return "'" + kept.map { parts[$0] }.joined() + "'"
  }

  private mutating func textLiteral() -> String {
    "'" + rawWord().map { $0 == "'" ? "''" : String($0) }.joined() + "'"
  }

  private mutating func numberLiteral() -> String {
    below(2) == 0 ? "\(below(21) - 10)" : "\(Double(below(81) - 40) / 4)"
  }

  private mutating func text(_ depth: Int) -> String {
    guard depth > 0, below(2) == 0 else {
      return below(3) == 0 ? textLiteral() : one(["name", "code"])
    }
    if dialect == .ogr { return one(["name", "code"]) }
    let (a, b) = (text(depth - 1), text(depth - 1))
    switch below(11) {
    case 8: return "CASE WHEN \(condition(1)) THEN \(a) ELSE \(b) END"
    case 9: return "CASE \(one(["code", "name"])) WHEN \(b) THEN \(a) END"
    case 10: return "\(one(["TRIM", "LTRIM", "RTRIM"]))(\(a), \(textLiteral()))"
    case 0: return "(\(a) || \(b))"
    case 1: return "REPLACE(\(a), 'a', \(b))"
    case 2: return "TRIM(\(a))"
    case 3: return "LTRIM(\(a))"
    case 4: return "SUBSTR(\(a), \(1 + below(4)), \(below(4)))"
    case 5: return "COALESCE(\(a), \(b))"
    case 6: return "NULLIF(\(a), \(b))"
    default: return "CAST(\(one(["pop", "rank"])) AS TEXT)"
    }
  }

  private mutating func number(_ depth: Int) -> String {
    guard depth > 0, below(2) == 0 else {
      return below(3) == 0 ? numberLiteral() : one(["pop", "rank", "area", "depth"])
    }
    let (a, b) = (number(depth - 1), number(depth - 1))
    if dialect == .ogr { return "(\(a) \(one(["+", "-", "*"])) \(b))" }
    switch below(17) {
    case 13: return "CASE WHEN \(condition(1)) THEN \(a) ELSE \(b) END"
    case 14: return "CASE \(a) WHEN \(b) THEN 1 WHEN \(numberLiteral()) THEN \(b) END"
    case 15: return "SIGN(\(one(["area", "depth"])))"
    case 16: return "TRUNC(\(one(["area", "depth"])))"
    case 0: return "(\(a) + \(b))"
    case 1: return "(\(a) - \(b))"
    case 2: return "(\(a) * \(b))"
    case 3, 4: return "(\(a) / \(b))"
    case 5: return "(\(one(["pop", "rank"])) % \(below(9) - 4))"
    case 6: return "(-(\(a)))"
    case 7: return "ABS(\(a))"
    case 8: return "ROUND(\(one(["area", "depth"])))"
    case 9: return "LENGTH(\(text(depth - 1)))"
    case 10: return "CAST(\(a) AS INTEGER)"
    case 11: return "COALESCE(\(a), \(b))"
    default: return "NULLIF(\(a), \(b))"
    }
  }
}
