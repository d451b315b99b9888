import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbExpressions

/// Malicious conditions: too long, too deeply nested, truncated, or with invalid bytes.
@Suite struct HostileConditionTests {
  private static let fields = RandomConditions.fields
  private static let row: [FieldValue] = [
    .text("ab"), .null, .integer(.min), .integer(0), .real(-.infinity),
    .real(.leastNonzeroMagnitude),
  ]

  private func isTrue(_ text: String) throws -> Bool {
    try Condition(text).bound(to: Self.fields).isTrue(Self.row)
  }

  @Test("A chain of 100,000 operators works like a short one")
  func longChains() throws {
    let count = 100_000
    func chain(_ part: String, _ sign: String) -> String {
      Array(repeating: part, count: count).joined(separator: " \(sign) ")
    }
    #expect(try isTrue(chain("rank = 1", "OR") + " OR rank = 0"))
    #expect(try !isTrue(chain("rank = 1", "OR")))
    #expect(try isTrue(chain("rank = 0", "AND")))
    #expect(try isTrue(chain("1", "+") + " = \(count)"))
    #expect(try isTrue(chain("1", "*") + " = 1"))
    #expect(try isTrue("CHAR_LENGTH(" + chain("'x'", "||") + ") = \(count)"))
    let list = (1...count).map(String.init).joined(separator: ",")
    #expect(try isTrue("rank NOT IN (\(list))"))
    #expect(try isTrue("rank IN (\(list), 0)"))
    #expect(try isTrue("COALESCE(\(chain("code", ",")), 'x') = 'x'"))
    let whens = String(repeating: " WHEN rank = 1 THEN 1", count: count)
    #expect(try isTrue("CASE\(whens) ELSE 2 END = 2"))
    let items = String(repeating: " WHEN 1 THEN 1", count: count)
    #expect(try isTrue("CASE rank\(items) ELSE 2 END = 2"))
    #expect(
      try isTrue("DATE '2020-01-01' + \(chain("INTERVAL '1' SECOND", "+")) > DATE '2020-01-02'"))
    let description = try Condition(chain("rank = 1", "OR")).description
    #expect(try Condition(description).description == description)
  }

  @Test("Nesting up to the limit works, and deeper nesting is an error")
  func nesting() throws {
    let limit = SQLParser.depthLimit
    func nested(_ open: String, _ inside: String, _ close: String, _ count: Int) -> String {
      String(repeating: open, count: count) + inside + String(repeating: close, count: count)
    }
    let deepest = [
      nested("(", "1 = 1", ")", limit), nested("NOT ", "TRUE", "", limit),
      nested("ABS(", "1", ")", limit) + " = 1", nested("-(", "1", ")", limit / 2) + " = 1",
      nested("CASE WHEN TRUE THEN ", "1", " END", limit) + " = 1",
      nested("CASE WHEN ", "TRUE", " THEN TRUE END", limit),
      nested("CASE (", "1", ") WHEN 1 THEN 1 END", limit / 2) + " = 1",
      nested("EXTRACT(DAY FROM DATE '2020-01-01' + INTERVAL '1' DAY * ", "1", ")", limit) + " = 1",
      nested("TRIM(LEADING ", "'a'", " FROM 'b')", limit) + " = 'b'",
      nested("CAST(", "CURRENT_DATE", " AS DATE)", limit) + " = CURRENT_DATE",
    ]
    for text in deepest {
      let condition = try Condition(text)
      #expect(try Condition(condition.description) == condition)
      _ = try condition.bound(to: Self.fields).isTrue(Self.row)
      #expect(Set([condition, condition]).count == 1)
    }
    let right = nested(
      "(TRUE OR FALSE OR TRUE AND '' = '' || 1 + 1 * CAST(", "1", " AS INTEGER))", 60)
    #expect(try Condition(Condition(right).description) == Condition(right))
    _ = try isTrue(right)
    let minus = nested("- ", "ABS(rank)", "", limit - 1) + " = 0"
    #expect(try Condition(Condition(minus).description) == Condition(minus))
    #expect(try isTrue(minus))
    // All levels of the tree that one pair of parentheses can add.
    let tall = nested(
      "(NOT CAST(", "TRUE", " AS INTEGER) * 1 + 1 || '' = '' AND TRUE OR FALSE)", 42)
    #expect(try Condition(Condition(tall).description) == Condition(tall))
    _ = try isTrue(tall)
    // Each of the two evaluates its operand once; otherwise the evaluation would never end.
    _ = try isTrue(nested("(", "TRUE", " BETWEEN 0 AND 1)", 120))
    _ = try isTrue(nested("(", "TRUE", " IN (rank, 1, rank))", 120))
    _ = try isTrue(nested("NULLIF(", "rank", ", 1)", 120) + " = 0")
    _ = try isTrue(nested("CASE ", "rank", " WHEN 1 THEN 2 WHEN 3 THEN 4 END", 120) + " = 0")
    let mixed = nested(
      "(NOT CASE WHEN ", "TRUE", " THEN 1 + 1 * 2 || '' = '' AND TRUE OR FALSE END)", 42)
    #expect(try Condition(Condition(mixed).description) == Condition(mixed))
    _ = try isTrue(mixed)

    for (open, close) in [
      ("(", ")"), ("NOT ", ""), ("-(", ")"), ("ABS(", ")"), ("(", ""), ("- ", ""),
      ("CASE WHEN ", " THEN 1 END"), ("CASE ", " WHEN 1 THEN 1 END"), ("CASE ", ""),
      ("CASE WHEN TRUE THEN ", ""), ("EXTRACT(DAY FROM ", ")"), ("TRIM(LEADING ", " FROM 'a')"),
    ] {
      let error = #expect(throws: ExpressionError.self) {
        try Condition(nested(open, "rank", close, 100_000) + " = 1")
      }
      #expect(error?.message.contains("nests deeper than 128 levels") == true)
    }
  }

  @Test("A megabyte of anything is accepted or rejected")
  func large() throws {
    let size = 1 << 20
    #expect(try !isTrue("name = '" + String(repeating: "x", count: size) + "'"))
    #expect(try !isTrue("name = '" + String(repeating: "''", count: size) + "'"))
    #expect(try !isTrue("name LIKE '" + String(repeating: "%_", count: size / 2) + "'"))
    #expect(try isTrue(String(repeating: " ", count: size) + "1=1"))
    for text in ["CASE ", "CASE WHEN ", "INTERVAL '1' ", "EXTRACT(", "TRIM(BOTH "] {
      let error = #expect(throws: ExpressionError.self) {
        try isTrue(String(repeating: text, count: size / text.utf8.count))
      }
      #expect(try #require(error).message.count < 400)
    }
    #expect(throws: ExpressionError.self) {
      try isTrue("INTERVAL '" + String(repeating: "1", count: size) + "' DAY = 1")
    }
    for text in ["x", "(", "'", "9", "🙂", ".", "\"", "[", "1 ", "\u{0}", "NOT(", "x.", "=", "-"] {
      let error = #expect(throws: ExpressionError.self) {
        try isTrue(String(repeating: text, count: size / text.utf8.count))
      }
      let message = try #require(error).message
      #expect(message.count < 400 && !message.contains("\n") && !message.contains("\u{0}"))
    }
  }

  @Test("A pattern of many % is quick on a long text that does not match")
  func patterns() throws {
    let text = String(repeating: "a", count: 20_000)
    let pattern = String(repeating: "%a", count: 500) + "b"
    let like = try #require(LikePattern(pattern, escape: nil, ignoresCase: false))
    #expect(!like.matches(text))
    #expect(like.matches(text + "b"))
  }

  @Test("Text cannot grow to fill the memory")
  func growth() throws {
    var text = "'aaaaaaaa'"
    for _ in 0..<100 { text = "REPLACE(\(text), 'a', 'aaaaaaaa')" }
    #expect(try isTrue("\(text) IS NULL"))
    let long = "'" + String(repeating: "a", count: 1 << 16) + "'"
    let many = "REPLACE(\(long), 'a', \(long))"
    #expect(try isTrue("\(many) IS NULL AND CONCAT(\(many), 'a') = 'a'"))
  }

  @Test("LIKE equals a table of all cases")
  func likeByTable() {
    // The matching uses dynamic programming on code points.
    func matches(_ text: [Unicode.Scalar], _ pattern: [Unicode.Scalar]) -> Bool {
      var isReachable = Array(repeating: false, count: text.count + 1)
      isReachable[0] = true
      for wanted in pattern {
        var next = Array(repeating: false, count: text.count + 1)
        for index in 0...text.count {
          if wanted == "%" {
            next[index] = isReachable[index] || (index > 0 && next[index - 1])
          } else if index > 0, isReachable[index - 1], wanted == "_" || wanted == text[index - 1] {
            next[index] = true
          }
        }
        isReachable = next
      }
      return isReachable[text.count]
    }
    var random = RandomConditions(seed: 21, .sqlite)
    var count = 0
    for _ in 0..<20_000 {
      let text = (0..<random.below(9)).map { _ in random.one(["a", "b", "é", "🙂"]) }.joined()
      let pattern = (0..<random.below(7)).map { _ in random.one(["a", "b", "é", "%", "_"]) }
        .joined()
      let expected = matches(Array(text.unicodeScalars), Array(pattern.unicodeScalars))
      let found = LikePattern(pattern, escape: nil, ignoresCase: false)?.matches(text)
      #expect(found == expected, "\(text) LIKE \(pattern)")
      count += expected ? 1 : 0
    }
    #expect(count > 1_000)
  }

  @Test("Mutated conditions are accepted or rejected", arguments: [31, 32] as [UInt64])
  func mutations(seed: UInt64) throws {
    var random = RandomConditions(seed: seed, .sqlite)
    let parts = [
      "(", ")", "'", "\"", "[", "]", "--", "%", "_", ".", ",", "NOT ", " IN (", "NULL", " AND ",
      " BETWEEN ", "9223372036854775807", "-9223372036854775808", "1e308", "1e-400", "/", "%", "||",
      "\u{0}", "\u{301}", "🙂", "é", "\u{202E}", "CAST(", " AS INTEGER)", "ROUND(", "POWER(", "ABS(",
      "MOD(", "SUBSTRING(", "DATE '2020-01-01'", "TIMESTAMP '", " ESCAPE '", "LIKE", "\n", "area",
      "CASE WHEN ", " THEN ", " ELSE ", " END", "CASE ", " + INTERVAL '1' DAY",
      "INTERVAL '1-2' YEAR",
      "EXTRACT(YEAR FROM ", "TRIM(LEADING ", " FROM ", "CURRENT_DATE", "TRUNCATE(",
      " AS DECIMAL(3))",
    ]
    var (read, refused) = (0, 0)
    for _ in 0..<6_000 {
      var scalars = Array(random.condition(2).unicodeScalars)
      for _ in 0...random.below(2) {
        let at = random.below(scalars.count + 1)
        switch random.below(3) {
        case 0: scalars.insert(contentsOf: random.one(parts).unicodeScalars, at: at)
        case 1: scalars.removeSubrange(at..<min(scalars.count, at + 1 + random.below(4)))
        default:
          if at < scalars.count, let other = random.one(parts).unicodeScalars.first {
            scalars[at] = other
          }
        }
      }
      var text = ""
      text.unicodeScalars.append(contentsOf: scalars)
      do throws(ExpressionError) {
        let condition = try Condition(text)
        let again = try Condition(condition.description)
        #expect(again == condition, "\(text)")
        read += 1
        _ = try condition.bound(to: Self.fields).isTrue(Self.row)
      } catch {
        #expect(!error.message.isEmpty && !error.message.contains("\n"))
        refused += 1
      }
    }
    #expect(read > 300 && refused > 300, "\(read) read, \(refused) refused")
  }
}
