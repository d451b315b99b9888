import PlumbCore
import Testing

@testable import PlumbExpressions

/// Forms in Esri's documentation that other languages lack, and the grammar of JSON.
@Suite struct ArcadeFormTests {
  @Test(
    "A comma may follow the last element and member, and nowhere else",
    arguments: [
      ArcadeCase("[1, 2,]", "[1,2]"), ArcadeCase("[1,\n]", "[1]"), ArcadeCase("[[1,],]", "[[1]]"),
      ArcadeCase("{a: 1,}", "{\"a\":1}"), ArcadeCase("{a: [1,], 'b': {c: 2,},}.b", "{\"c\":2}"),
      ArcadeCase("[]", "[]"), ArcadeCase("var d = {}; d", "{}"),
    ])
  func trailingCommas(_ expected: ArcadeCase) throws {
    #expect(try ArcadeTesting.shown(expected.program) == expected.value)
  }

  @Test(arguments: ["[,]", "[1,,]", "[,1]", "{,}", "{a: 1,,}", "{,a: 1}", "Max(1, 2,)", "[1,"])
  func `other commas are errors`(program: String) {
    #expect(ArcadeTesting.failure(program) != nil)
  }

  @Test(
    "A variable may have a function's name; a call means the function unless the variable holds one",
    arguments: [
      ArcadeCase("var count = 1; count", "1"),
      ArcadeCase("var count = 1; Count([1, 2]) + count", "3"),
      ArcadeCase("function f(count) { return Count([1, 2]) + count } f(3)", "5"),
      ArcadeCase("function f() { return 1 } var f = 2; f", "2"),
      ArcadeCase("function f() { return 1 } var f = 2; f() + f", "3"),
      ArcadeCase("function f(a) { return a * 2 } var f = 4; f(f)", "8"),
      ArcadeCase("function area(x) { var area = x + 1; return area } area(3)", "4"),
      ArcadeCase(
        "function n(k) { var n = k; if (k < 1) { return 0 } return n + n(k - 1) } n(4)", "10"),
      ArcadeCase("function f() { return 1 } var f = Count; f([1, 2])", "2"),
      ArcadeCase("function f() { return 1 } function g() { return 2 } var f = g; f()", "2"),
      ArcadeCase("function f() { return 1 } for (var f in [7, 8]) { } f", "1"),
    ])
  func names(_ expected: ArcadeCase) throws {
    #expect(try ArcadeTesting.shown(expected.program) == expected.value)
  }

  @Test func `a call with the wrong count of values is still an error`() {
    let failure = ArcadeTesting.failure("function f(a) { return a } var f = 2;\nf()")
    #expect(failure == "line 2, column 1: f takes 1 value, not 0")
  }

  @Test(
    "Dictionaries of numbers as keys, and of shapes",
    arguments: [
      ArcadeCase("Dictionary(1, 'a')", "{\"1\":\"a\"}"),
      ArcadeCase("Dictionary(1.5, 'a', 'b', 2)['1.5']", "\"a\""),
      ArcadeCase("Dictionary('field1', 1, 'field2', 2).field2", "2"),
      ArcadeCase("Dictionary('{\"id\": 1, \"population\": 200}').population", "200"),
      ArcadeCase("Dictionary(Geometry($f)).x", "24.5"),
      ArcadeCase("var d = Dictionary(Geometry($f)); d.x *= 2; Point(d).x", "49"),
      ArcadeCase("Dictionary(Geometry($f)).spatialReference.wkid", "4326"),
      ArcadeCase("Dictionary($f).attributes.name", "\"Oak\""),
    ])
  func dictionaries(_ expected: ArcadeCase) throws {
    let globals = [("$f", ArcadeTesting.feature)]
    #expect(try ArcadeTesting.shown(expected.program, globals) == expected.value)
  }

  @Test func `Expects changes nothing`() throws {
    let globals = [("$f", ArcadeTesting.feature)]
    #expect(try ArcadeTesting.shown("Expects($f, 'Name', 'No*')", globals) == "null")
    #expect(try ArcadeTesting.shown("Expects($f, '*')\n$f.name", globals) == "\"Oak\"")
    #expect(ArcadeTesting.failure("Expects($f, 1)", globals) != nil)
  }

  @Test func `Console returns null and passes its values on as text`() throws {
    let program = try ArcadeProgram(
      "for (var i in [1, 2]) { Console('at', i, {a: [i]}, null, true) }\nConsole()\nConsole('x')",
      globals: [])
    let evaluator = ArcadeEvaluator(program)
    #expect(try evaluator.evaluate([], now: ArcadeDate(milliseconds: 0)).asText == "")
    var messages: [String] = []
    evaluator.console = { messages.append($0) }
    let value = try evaluator.evaluate([], now: ArcadeDate(milliseconds: 0))
    guard case .null = value else {
      Issue.record("Console is \(value)")
      return
    }
    #expect(messages == [#"at 0 {"a":[0]}  true"#, #"at 1 {"a":[1]}  true"#, "", "x"])
  }

  @Test(
    "Number reads with a pattern what Text writes with it",
    arguments: [
      ("'1,365'", "'#,###'", 1365), ("'1365'", "'#,###'", 1365), ("'30%'", "'#%'", 0.3),
      ("'12.5‰'", "'#.0‰'", 0.0125), ("' $1,234.55 '", "'$#,###.00'", 1234.55),
      ("'(5)'", "'#;(#)'", -5), ("'-5'", "'#'", -5), ("'Basement 2'", "'Floor #;Basement #'", -2),
      ("'0123'", "'0000'", 123), ("'5'", "'#.##'", 5), ("'5.25'", "'#.##'", 5.25),
      ("'.5'", "'#.0'", 0.5),
      ("'1,23,45,678'", "'#,##,###'", 12_345_678), ("'7'", "''", 7), ("7", "'00'", 7),
      ("true", "'#'", 1),
      ("'5.5'", "'#'", nil), ("'5'", "'#.0'", nil), ("'5.123'", "'#.##'", nil),
      ("'1,2'", "'#,###'", nil),
      ("'12,34'", "'#'", nil), ("'abc'", "'#'", nil), ("''", "'#'", nil), ("'5'", "'$#'", nil),
      ("'5.'", "'#.##'", nil), ("'-'", "'#'", nil), ("'1e5'", "'#'", nil), ("'0x10'", "'#'", nil),
    ] as [(String, String, Double?)])
  func numberPatterns(text: String, pattern: String, value: Double?) throws {
    let found = try ArcadeTesting.value("Number(\(text), \(pattern))").asNumber
    if let value { #expect(found == value) } else { #expect(found.isNaN) }
  }

  @Test(
    "JSON by its grammar",
    arguments: [
      ("0", "0"), ("-0.5", "-0.5"), ("1e5", "100000"), ("1E+2", "100"), ("12.50e-1", "1.25"),
      (" [ ] ", "[]"), (#"{"a" : [ true , null ] }"#, #"{"a":[true,null]}"#),
      (#""\u00e9\ud83d\ude00\/\b""#, "\"é😀/\\b\""), ("\t\"a\"\r\n", "\"a\""), ("-0", "0"),
      ("\"\u{7F}\"", "\"\u{7F}\""),
    ])
  func goodJSON(text: String, value: String) throws {
    #expect(try ArcadeTesting.shown("FromJSON($t)", [("$t", .text(text))]) == value)
  }

  @Test(
    "Invalid JSON is an error",
    arguments: [
      "[01, 1., -.5]", "01", "-01", "1.", ".5", "-.5", "-", "+1", "1e", "1e+", "1.e5", "0x10",
      "NaN",
      "Infinity", "-Infinity", "[1,]", "[,1]", "[1 2]", "{\"a\":1,}", "{a:1}", "{'a':1}", "'a'",
      "{\"a\" 1}", "{\"a\":}", "[", "{", "\"", "\"a", "\"\\", "\"\\u12\"", "\"\\x41\"", "\"\\'\"",
      "\"\\ud800\"", "\"\\ude00\"", "\"\\ud800\\u0041\"", "\"\\ud800a\"", "\"\n\"", "\"\t\"",
      "\"\u{0}\"", "1 2", "[] x", "nul", "truex", "TRUE", "", " ", "//c\n1", "\u{FEFF}1", "\u{A0}1",
      "1_000", "[1]]", "null,", "1e400",
    ])
  func badJSON(text: String) {
    #expect(ArcadeTesting.failure("FromJSON($t)", [("$t", .text(text))]) != nil)
  }

  @Test(
    "Round, Ceil and Floor take the number as written",
    arguments: [
      ArcadeCase("Round(1.005, 2)", "1.01"), ArcadeCase("Round(-1.005, 2)", "-1.01"),
      ArcadeCase("Round(0.285, 2)", "0.29"), ArcadeCase("Text(0.285, '0.00')", "\"0.29\""),
      ArcadeCase("Text(-0.001, '#.00')", "\"0.00\""), ArcadeCase("Text(-0.3, '#;(#)')", "\"0\""),
      ArcadeCase("Floor(4.35, 2)", "4.35"), ArcadeCase("Ceil(1.1, 1)", "1.1"),
      ArcadeCase("Ceil(0.07, 2)", "0.07"), ArcadeCase("Floor(0.000057, 6)", "0.000057"),
      ArcadeCase("Round(1.0049999999999997, 2)", "1"), ArcadeCase("Round(2.5e-5, 5)", "0.00003"),
      ArcadeCase("Round(1234.5, -2)", "1200"), ArcadeCase("Round(1250, -2)", "1300"),
    ])
  func rounding(_ expected: ArcadeCase) throws {
    #expect(try ArcadeTesting.shown(expected.program) == expected.value)
  }
}
