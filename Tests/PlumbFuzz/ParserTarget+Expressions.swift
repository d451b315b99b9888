import PlumbCore
import PlumbExpressions

/// Conditions and Arcade.
extension ParserTarget {
  static var expressions: [ParserTarget] {
    [conditions, programs, values]
  }

  private static var conditions: ParserTarget {
    let fields: [Field] = [
      Field(name: "a", kind: .integer), Field(name: "b", kind: .text),
      Field(name: "c", kind: .real),
    ]
    let rows: [[FieldValue]] = [
      [.integer(3), .text("Abc"), .real(1.5)], [.null, .null, .null],
      [.integer(.min), .text("2026-05-01"), .real(.infinity)],
    ]
    return ParserTarget(
      "condition",
      texts: [
        "a = 3 AND b LIKE 'A%c' ESCAPE '\\' OR NOT (c BETWEEN -1 AND 2.5e0)",
        "\"a\" IN (1, 2, 3) AND b IS NOT NULL AND b NOT LIKE '_x' AND a NOT IN (5)",
        "UPPER(b) = 'ABC' AND CHAR_LENGTH(b) > 2 AND SUBSTRING(b FROM 2 FOR 1) = 'b'",
        "a + 1 * 2 - 3 / 4 <> 5 AND MOD(a, 2) = 1 AND ROUND(c, -1) >= 0 AND ABS(a) <= 9",
        "b > DATE '2026-01-01' OR b < TIMESTAMP '2026-01-01 10:00:00'", "1 = 1", "a IS NULL",
        "CASE WHEN a > 1 THEN 'x' ELSE 'y' END = 'x' OR COALESCE(a, 0) = 0 OR NULLIF(a, 1) = 2",
        "CAST(a AS VARCHAR(5)) || b = '3Abc' -- end", "CAST(b AS INTEGER) = 3",
        "CAST(a AS DOUBLE PRECISION) > 1 OR CAST(b AS FLOAT) < 2", "CAST(b AS CHAR) = 'x'",
        "a > '5' AND c = ' -1.5e0' AND CAST(b AS BIGINT) < 7",
        "TRIM(b) = 'x' AND CONCAT(b, 'y') = 'z'", "d = 1", "a = DATE 'x'", "ABS(a, 2) = 1",
        "a = 9223372036854775808 OR a = -5 OR a = +6",
        "EXTRACT(YEAR FROM b) = 2026 AND CURRENT_DATE > b AND TRIM(LEADING 'x' FROM b) = ''",
        "POSITION('b' IN b) = 2 AND CONCAT(b, 'x') = 'y' AND POWER(a, 2) > 1 AND LOWER(b) < 'c'",
      ],
      words: [
        "(", ")", "'", "\"", "AND ", "OR ", "NOT ", "a", "b", "c", "=", "<", ">", ",", "-", "+",
        "*",
        "/", "||", "IN (", "LIKE ", "BETWEEN ", "CASE WHEN ", "CASE ", " WHEN ", " THEN ", " ELSE ",
        " END", " + INTERVAL '1' DAY",
        "INTERVAL '1-2' YEAR TO MONTH", "EXTRACT(DAY FROM ", "TRIM(LEADING ", " FROM ",
        "CURRENT_DATE",
        "TRUNCATE(", " AS DATE)", "NULL", "--", "''", "DATE '",
        "CAST(", "ROUND(a,", "é", "\0",
      ]
    ) { bytes in
      let condition = try Condition(bytes.string)
      let again = try Condition(condition.description)
      precondition(again == condition, "printed as another condition")
      let bound = try condition.bound(to: fields)
      for row in rows { _ = bound.isTrue(row) }
      return true
    }
  }

  private static let words = [
    "(", ")", "{", "}", "`", "${", "'", "\"", "\\", "/*", "//", "=", "++", ";", ",", "é", "\0", "$",
    "[", "]", ".", "function f() {", "var ", "return ", "for (", "if (", "1e", "0x", "=> ", "? ",
    ":",
    "!", "-", "while (", "\n",
  ]

  private static var programs: ParserTarget {
    ParserTarget(
      "arcade",
      texts: [
        "function f(x) { return x * 2 } function g() { return } f(1) + (g() ?? 1);",
        "for (var i = 0; i < 3; i++) { if (i == 1) { continue } else if (i == 2) break; } ;",
        "for (;;) break; while (true) { break } for (i in [1]) { i } var z; return 1", "class A {}",
        "if (true) { 1 } else { 2 }", "switch (1) { }",
        "function f(x, y) { for (var i = 0; i < 3; i++) { if (i == 1) continue; break } return x + y }"
          + " f(1, 2)", "var a = 5; a *= 2; a /= 3; a %= 4; a -= 1; ++a; --a; a++; a || true",
        "var b = [1, 'x', {y: 2, 'z w': $f}]; b[2].y; b[0] >= 1e-3; 0x1F; -.5 % 2 /* c */ // d",
        "var g = IIf(!true, 1, 2); g != null && g ?? 1; `a${g}b` + \"q\\u00e9\" + 'r\\''",
        "{a: 1, 2: 3, 'b': 4}", "const a = 1", "try { }",
        "var a = 1, b = [1, 'x', {y: 2, \"z w\": $f.name}]; if (a > 0 && !b) { a += 1 } else a--; a",
        "function f(x, y) { for (var i = 0; i < 3; i++) { if (i == 1) continue; break } return x ?? y }"
          + " f(1, 2)",
        "for (var k in {a: 1}) { k } while (false) {} `t ${1 + `${2}`} \\n` + \"q\\u00e9\" + 'r\\''",
        "$f.a.b[0][\"c\"] >= 1e-3 ? 0x1F : -.5 % 2 /* c */ // d\n",
        "var g = (x) => x * 2; Map([1, 2], g); for (var v of [1]) v; var h = x => { return x }",
        "a = 5; a *= 2; a /= 3; a %= 4; a -= 1; ++a; --a; a++; (a || true) == (a && false); import",
        "switch (1) { case 1: 2; break; default: 3 } null != true",
        "When(1 < 2, 'a', 'b') + Decode(1, 1, 'x', 'y') + IIf(true, 1, 2)",
      ], words: words
    ) { bytes in
      let program = try ArcadeProgram(bytes.string, globals: ["$f"])
      let again = try ArcadeProgram(program.description, globals: ["$f"])
      precondition(again == program, "printed as another program")
      let limits = ArcadeLimits(steps: 2000, bytes: 1 << 16, callDepth: 16)
      _ = try? ArcadeEvaluator(program, limits: limits).evaluate(
        [.text("x")], now: ArcadeDate(milliseconds: 0))
      return true
    }
  }

  /// Arcade functions that parse strings: JSON, numbers, dates, and the patterns of numbers and dates.
  private static var values: ParserTarget {
    let calls = [
      "FromJSON($t)", "Number($t)", "Number($t, '#,##0.###')", "Number($t, '0.00%')",
      "Text(Number($t), '#,##0.00')", "Number($t, '#,##0.00')", "Number('1,234.5', $t)", "Date($t)",
      "Text(-1234.5678, $t)", "Text(Date(2026, 4, 1, 10, 5, 3, 7), $t)", "Text($t)",
      "Text(FromJSON($t))", "Geometry($t)", "Split($t, 'a')", "Replace($t, '%', 'x')", "Proper($t)",
      "Mid($t, 1, 3)", "Round(Number($t), Number($t))", "DateAdd(Date(0), Number($t), 'months')",
      "DateAdd(Date($t), 1, 'years')", "FromCodePoint(Number($t))", "Left($t, Number($t))",
      "Date(Number($t))", "Date(2026, Number($t), 1)", "[1,2][Number($t)]",
    ]
    let programs = calls.compactMap { try? ArcadeProgram($0, globals: ["$t"]) }
    return ParserTarget(
      "arcade texts",
      texts: [
        "{\"a\": [1, 2.5e3, \"x\\u00e9\", null, true], \"b\": {}}", "1234.5", "#,##0.00;(0.0)",
        "-5",
        "2026-05-01T10:00:00+02:00", "YYYY-MM-DD hh:mm:ss a", "dddd, MMMM Do Y", "%0.###", "'x'0",
        "{\"x\":1,\"y\":2,\"spatialReference\":{\"wkid\":4326}}", "1e308", "Q W DDD E X SSS ZZ",
        "{\"rings\":[[[0,0],[0,1],[1,1],[0,0]]]}", "0.00%", "$#,##0", "99", "1,234.5", "-0.999e-5",
        "(5)", "12.50%", ".5", "0.0000005", "-123456789.987654321", "##0", "+7e2",
      ],
      words: jsonWords + ["#", "0", ".", "%", ";", "'", "YYYY", "MMM", "[", "hh", "e", "-", "é"]
    ) { bytes in
      let limits = ArcadeLimits(steps: 2000, bytes: 1 << 16, callDepth: 16)
      var count = 0
      for program in programs {
        let evaluator = ArcadeEvaluator(program, limits: limits)
        let value = try? evaluator.evaluate(
          [.text(bytes.string)], now: ArcadeDate(milliseconds: 1_777_630_000_000))
        if value != nil { count += 1 }
      }
      return count > 0
    }
  }
}
