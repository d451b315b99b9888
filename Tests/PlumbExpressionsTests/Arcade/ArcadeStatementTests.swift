import PlumbCore
import Testing

@testable import PlumbExpressions

/// Statements, and the value of a program.
@Suite struct ArcadeStatementTests {
  private static let cases = [
    // The result is the value of the last statement or of return.
    ArcadeCase("1; 2; 3", "3"), ArcadeCase("1\n2", "2"), ArcadeCase("return 5; 6", "5"),
    ArcadeCase("var x = 1", "null"), ArcadeCase("if (true) 4 else 5", "4"),
    ArcadeCase("if (false) { 4 } else { 5; 6 }", "6"), ArcadeCase("if (false) 4", "null"),
    ArcadeCase("if (false) 1 else if (true) { if (true) { 7 } }", "7"),
    ArcadeCase("for (var i = 0; i < 3; i++) i", "null"), ArcadeCase("{ 1; 2 }", "2"),
    ArcadeCase("return", "null"), ArcadeCase("return\n5", "null"),
    ArcadeCase("{'a': 1}", "{\"a\":1}"),
    ArcadeCase("return {}", "{}"), ArcadeCase("VAR X = 2; IF (TRUE) RETURN x * PI > 6", "true"),
    // Loops from Esri's documentation.
    ArcadeCase(
      "var result = 0; for (var z = 0; z < 100; z++) { result += z; } return result;", "4950"),
    ArcadeCase(
      "var a = [10,20,30,40,50,60,70]; var t = 0; for (var i in a) { t += a[i]; } return t", "280"),
    ArcadeCase(
      "var a = [10,20,30,40,50,60,70]; var t = 0; for (var i in a) { t += i; } return t", "21"),
    ArcadeCase("var t = ''; for (var k in {'b': 1, 'a': 2}) t += k; t", "\"ba\""),
    ArcadeCase("var t = 0; for (var v of [5, 6]) t += v; t", "11"),
    ArcadeCase("var t = 0, v; for (v of [5, 6]) { t += v } v", "6"),
    ArcadeCase("var t = 0; for (var k in null) t++; t", "0"),
    ArcadeCase("var n = 1; while (n < 100) { n *= 2 } n", "128"),
    ArcadeCase("var n = 0; while (true) { n++; if (n == 7) break } n", "7"),
    ArcadeCase(
      "var t = 0; for (var i = 0; i < 10; i++) { if (i % 2 == 0) continue; t += i } t", "25"),
    ArcadeCase(
      "var t = 0; for (var i in [1,2,3,4]) { if (i == 1) continue; if (i == 3) break; t += i } t",
      "2"),
    ArcadeCase("var t = 0; for (;;) { if (++t > 4) return t }", "5"),
    ArcadeCase(
      "var t = 0; for (var i = 0; i < 3; i++) for (var j = 0; j < 3; j++) { if (j == 2) break; t++ } t",
      "6"),
    ArcadeCase("var i = 9; for (i = 0; i < 2; i++); i", "2"),
    // Functions: hoisted, recursive, with local variables; names ignore case.
    ArcadeCase("Double(4); function double(x) { return x * 2 }", "8"),
    ArcadeCase(
      "function fib(n) { if (n < 2) return n; return fib(n - 1) + FIB(n - 2) } fib(15)", "610"),
    ArcadeCase("function f(x) { x + 1 } f(1)", "2"), ArcadeCase("function f() {} f()", "null"),
    ArcadeCase("function f(x) { var y = x; y++; return y } var y = 10; f(1) + y", "12"),
    ArcadeCase("var total = 0; function add(x) { total += x; } add(2); add(3); total", "5"),
    ArcadeCase(
      "function isOdd(v) { if (Boolean(v % 2)) { return 'Yes' } else { return 'No' } } isOdd(213)",
      "\"Yes\""),
    ArcadeCase("function count(x) { return -1 } Count([1])", "-1"),
    ArcadeCase("var count = Count([1, 2]); count + Count([1])", "3"),
    ArcadeCase("function sq(x) { return x * x } var f = sq; f(3)", "9"),
    ArcadeCase("var f = Max; f(3, 4)", "4"),
    // Comments, and line breaks that end a statement.
    ArcadeCase("// one\n1 /* two\n*/ + /**/ 2 // three", "3"),
    ArcadeCase("var x = 1\nvar y = 2\nx + y", "3"),
    ArcadeCase("var x = 1\n++x\nx", "2"), ArcadeCase("1\n+ 2", "3"), ArcadeCase(";;1;;", "1"),
    ArcadeCase("\u{FEFF}1", "1"), ArcadeCase("var größe = 2; GRÖSSE", "error"),
    ArcadeCase("var größe = 2; Größe", "2"),
  ]

  @Test("Statements", arguments: cases)
  func statements(_ expected: ArcadeCase) throws {
    if expected.value == "error" {
      #expect(ArcadeTesting.failure(expected.program) != nil)
    } else {
      #expect(try ArcadeTesting.shown(expected.program) == expected.value)
    }
  }

  @Test("A variable that is set without a declaration is declared, with a note")
  func undeclared() throws {
    let program = try ArcadeProgram(
      "total = 1;\nfunction f() { n = 2; return n }\ntotal + f()", globals: [])
    #expect(
      program.notes == [
        "line 1, column 1: total is not declared; declare it with var",
        "line 2, column 16: n is not declared; declare it with var",
      ])
    #expect(
      try ArcadeTesting.shown("total = 1; function f() { n = 2; return n } total + f()") == "3")
    #expect(try ArcadeProgram("var a = 1; a = 2", globals: []).notes == [])
  }

  @Test("The globals that a program reads")
  func usedGlobals() throws {
    let globals = ["$feedFeature", "$fenceFeature", "$type"]
    #expect(try ArcadeProgram("1", globals: globals).usedGlobals == [])
    #expect(
      try ArcadeProgram("$TYPE + f(); function f() { $feedfeature.x }", globals: globals)
        .usedGlobals == [0, 2])
  }

  private static let errors: [(String, String)] = [
    ("", "line 1, column 1: the expression is empty"),
    ("a ? b : c", "line 1, column 3: ? : is not supported; use IIf(condition, value, otherwise)"),
    ("1 +", "line 1, column 4: expected a value, but the expression ends"),
    ("1 2", "line 1, column 3: expected an operator, ; or a new line instead of 2"),
    (
      "var x = 1;\n  y += 2",
      "line 2, column 3: y is not declared; declare it with var; did you mean x?"
    ),
    (
      "var height = 1; hight + 1",
      "line 1, column 17: the name hight is unknown; did you mean height?"
    ),
    ("cuont([1])", "line 1, column 1: there is no function cuont; did you mean Count?"),
    ("\n\n Count()", "line 3, column 2: Count takes 1 value, not 0"),
    ("IIf(true, 1)", "line 1, column 1: IIf takes 3 values, not 2"),
    ("Round(1, 2, 3)", "line 1, column 1: Round takes 1 to 2 values, not 3"),
    ("Sum()", "line 1, column 1: Sum takes at least 1 value, not 0"),
    ("function f(a, b) {} f(1)", "line 1, column 21: f takes 2 values, not 1"),
    ("function f() {}\nfunction F() {} 1", "line 2, column 10: the function F is declared twice"),
    ("function f(a, A) {} 1", "line 1, column 15: the parameter A is declared twice"),
    ("function f() {} f = 1", "line 1, column 17: f is a function and cannot be set"),
    (
      "if (true) { function f() {} }",
      "line 1, column 22: a function can only be declared outside of other functions"
    ),
    ("break", "line 1, column 1: break is outside of a loop"),
    ("while (true) { break }; continue", "line 1, column 25: continue is outside of a loop"),
    ("$fature.x", "line 1, column 1: there is no global $fature; did you mean $feature?"),
    ("feature.x", "line 1, column 1: the name feature is unknown; did you mean $feature?"),
    ("$feature = 1", "line 1, column 1: $feature is a global and cannot be set"),
    ("5 = 1", "line 1, column 3: only a variable, a member or an element can be set"),
    ("let x = 1", "line 1, column 1: let is not supported; use var"),
    ("class A {}", "line 1, column 1: classes are not supported"),
    ("'abc", "line 1, column 1: the text that starts here has no closing '"),
    ("1 + `a ${1`", "line 1, column 11: the template has no closing `"),
    ("/* a", "line 1, column 1: the comment that starts here has no closing */"),
    ("[1, 2", "line 1, column 6: expected a comma or ], but the expression ends"),
    ("'é' + 12a", "line 1, column 9: the number is followed by other characters"),
    ("1 + #", "line 1, column 5: \"#\" is unexpected here"),
    (
      "if (1) 2",
      "line 1, column 1: a condition must be true or false; "
        + "use Boolean(value) for numbers and text"
    ),
    ("var a = [1];\r\na[3]", "line 2, column 2: the index 3 is out of range for 1 elements"),
    (
      "function f(x) {\n  return x[1]\n}\nMap([[1]], f)",
      "line 2, column 11: the index 1 is out of range for 1 elements"
    ),
    ("Map([1], 5)", "line 1, column 1: value 2 of the call must be a function's name, not 5"),
    (
      "function f() { return f() } f()",
      "line 1, column 23: function calls nest deeper than 128 levels"
    ),
  ]

  @Test("Errors are reported with their line and column", arguments: errors.indices)
  func points(_ index: Int) throws {
    let (program, message) = Self.errors[index]
    #expect(ArcadeTesting.failure(program, [("$feature", ArcadeTesting.feature)]) == message)
  }

  @Test("An error also has its position as numbers")
  func pointNumbers() {
    #expect {
      _ = try ArcadeProgram("1;\n  foo()", globals: [])
    } throws: { error in
      (error as? ExpressionError)?.line == 2 && (error as? ExpressionError)?.column == 3
    }
  }
}
