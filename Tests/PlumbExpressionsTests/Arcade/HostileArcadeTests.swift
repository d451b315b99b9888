import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbExpressions

/// Random programs, and malicious programs.
@Suite struct HostileArcadeTests {
  private let globals = [("$f", ArcadeTesting.feature)]

  @Test("Printing a program and parsing it again gives the same tree, and the same value")
  func printing() throws {
    var programs = RandomPrograms(seed: 41)
    var values = 0
    for _ in 0..<400 {
      let text = programs.program()
      let program = try ArcadeProgram(text, globals: ["$f"])
      let again = try ArcadeProgram(program.description, globals: ["$f"])
      #expect(again == program, "\(text)")
      #expect(again.description == program.description)
      let shown = [program, again].map { program -> String in
        do throws(ExpressionError) {
          let value = try ArcadeEvaluator(program, limits: ArcadeTesting.small)
            .evaluate([ArcadeTesting.feature], now: ArcadeDate(milliseconds: 0))
          values += 1
          return value.asText
        } catch {
          // The positions may differ.
          return String(error.message.drop { $0 != ":" })
        }
      }
      #expect(shown[0] == shown[1], "\(text)")
    }
    #expect(values > 100)
  }

  @Test("Decimals beyond all digits", arguments: ["-9223372036854775808", "-1e15", "1e15"])
  func decimals(_ count: String) throws {
    let program = try ArcadeProgram("Round(12.5, \(count))", globals: [])
    let value = try ArcadeEvaluator(program).evaluate([], now: ArcadeDate(milliseconds: 0))
    #expect(value.asText == (count.hasPrefix("-") ? "0" : "12.5"))
  }

  @Test("Programs with random changes give errors or values, and never crash or run forever")
  func mutations() {
    var programs = RandomPrograms(seed: 43)
    var random = SeededGenerator(seed: 47)
    let pieces = [
      "(", ")", "{", "}", "`", "${", "'", "\"", "\\", "/*", "//", "=", "++", ";", ",", "é", "\0",
      "$", "[", "]", ".", "function ", "var ", "return ", "for (", "1e", "0x",
    ]
    var (parsed, failed) = (0, 0)
    for _ in 0..<1500 {
      var bytes = Array(programs.program().utf8)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let position = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[position] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: position)
        case 2:
          bytes.insert(
            contentsOf: Array((pieces.randomElement(using: &random) ?? "").utf8), at: position)
        default: bytes.removeSubrange(position..<min(bytes.count, position + 9))
        }
        if bytes.isEmpty { bytes = [0x31] }
      }
      do throws(ExpressionError) {
        let program = try ArcadeProgram(String(decoding: bytes, as: UTF8.self), globals: ["$f"])
        parsed += 1
        let again = try ArcadeProgram(program.description, globals: ["$f"])
        #expect(again == program)
        _ = try ArcadeEvaluator(program, limits: ArcadeTesting.small)
          .evaluate([ArcadeTesting.feature], now: ArcadeDate(milliseconds: 0))
      } catch {
        failed += 1
        #expect(error.line != nil && error.message.hasPrefix("line "), "\(error)")
      }
    }
    #expect(parsed > 100 && failed > 500, "\(parsed) parsed, \(failed) failed")
  }

  @Test("Arithmetic equals the same arithmetic in Swift")
  func arithmetic() throws {
    var random = SeededGenerator(seed: 53)
    /// An expression and its value, every operation in parentheses.
    func tree(_ depth: Int) -> (String, Double) {
      if depth == 0 || Int.random(in: 0..<6, using: &random) == 0 {
        let number = Double(Int.random(in: -1000...1000, using: &random)) / 8
        return number < 0 ? ("(\(number))", number) : ("\(number)", number)
      }
      let (left, a) = tree(depth - 1)
      let (right, b) = tree(depth - 1)
      switch Int.random(in: 0..<7, using: &random) {
      case 0: return ("(\(left) + \(right))", a + b)
      case 1: return ("(\(left) - \(right))", a - b)
      case 2: return ("(\(left) * \(right))", a * b)
      case 3: return ("(\(left) / \(right))", a / b)
      case 4: return ("(\(left) % \(right))", a.truncatingRemainder(dividingBy: b))
      case 5: return ("Max(\(left), -\(right))", a.isNaN || b.isNaN ? .nan : max(a, -b))
      default: return ("IIf(\(left) < \(right), \(left), \(right))", a < b ? a : b)
      }
    }
    for _ in 0..<1000 {
      let (text, expected) = tree(5)
      let found = try ArcadeTesting.value(text).asNumber
      #expect(found == expected || found.isNaN && expected.isNaN, "\(text)")
    }
  }

  @Test("Operators bind by their levels: the same without parentheses as with them")
  func precedence() throws {
    var random = SeededGenerator(seed: 59)
    let levels = [["|"], ["^"], ["&"], ["<<", ">>"], ["+", "-"], ["*", "%"]]
    for _ in 0..<1000 {
      var items: [(text: String, level: Int)] = []
      var plain = ""
      for index in 0..<Int.random(in: 2...7, using: &random) {
        let number = String(Int.random(in: 1...9, using: &random))
        if index > 0 {
          let level = Int.random(in: 0..<levels.count, using: &random)
          let sign = levels[level].randomElement(using: &random) ?? "+"
          items.append((sign, level))
          plain += " \(sign) "
        }
        items.append((number, -1))
        plain += number
      }
      // The operators with the highest precedence first, from the left.
      for level in levels.indices.reversed() {
        while let position = items.firstIndex(where: { $0.level == level }) {
          let joined =
            "(\(items[position - 1].text) \(items[position].text) \(items[position + 1].text))"
          items.replaceSubrange((position - 1)...(position + 1), with: [(joined, -1)])
        }
      }
      #expect(
        try ArcadeTesting.value(plain).asNumber == ArcadeTesting.value(items[0].text).asNumber,
        "\(plain)")
    }
  }

  @Test("Chains of 10,000 parts work like short ones")
  func longChains() throws {
    let count = 10_000
    func chain(_ part: String, _ sign: String) -> String {
      Array(repeating: part, count: count).joined(separator: sign)
    }
    #expect(try ArcadeTesting.value(chain("1", "+")).asNumber == Double(count))
    #expect(try ArcadeTesting.shown(chain("true", "&&")) == "true")
    #expect(try ArcadeTesting.shown("Count(" + chain("'x'", "+") + ")") == "\(count)")
    #expect(try ArcadeTesting.shown("Count([" + chain("1", ",") + "])") == "\(count)")
    #expect(try ArcadeTesting.shown("var x = 0;" + chain("x++", ";") + "; x") == "\(count)")
    #expect(
      try ArcadeTesting.shown("var x = 5; " + chain("if (x == 1) 2", " else ") + " else 3") == "3")
    #expect(try ArcadeTesting.shown("`" + chain("${1}", "") + "`").utf8.count == count + 2)
    let long = chain("1", " - ")
    #expect(try ArcadeProgram(long, globals: []).description == long + ";")
    #expect(ArcadeTesting.failure("1" + chain("", ".x")) != nil)
    #expect(ArcadeTesting.failure("[1]" + chain("[0]", "")) != nil)
  }

  @Test(
    "Nesting too deep is an error",
    arguments: [
      "(", "[", "-", "!", "{", "{a:", "`${", "Abs(", "if (true) ", "while (true) ", "x = ", "a[",
      "++", "for (;;) ", "(1 + 2 * ", "true || (true && 1 == 1 + 1 * (", "function f() {",
    ])
  func nesting(_ piece: String) throws {
    for count in [201, 1000, 10_000] {
      let text = "var x = 1, a = [0];" + String(repeating: piece, count: count)
      #expect(ArcadeTesting.failure(text) != nil)
    }
  }

  @Test("Nesting up to the limit is parsed, printed and evaluated")
  func deepest() throws {
    let count = ArcadeParser.depthLimit - 1
    for (open, inside, close) in [
      ("(", "1", ")"), ("[", "1", "]"), ("- ", "1", ""), ("Abs(", "1", ")"), ("{", "1", "}"),
      ("`${", "1", "}`"), ("if (true) ", "1", ""), ("1 * (", "1", ")"),
    ] {
      let repeats = open == "1 * (" ? count / 2 : count
      let text =
        String(repeating: open, count: repeats) + inside + String(repeating: close, count: repeats)
      let program = try ArcadeProgram(text, globals: [])
      #expect(try ArcadeProgram(program.description, globals: []) == program)
      _ = try ArcadeTesting.value(text)
    }
  }

  private static let greedy = [
    "while (true) {}", "for (;;) {}", "var s = 'xxxxxxxx'; while (true) s += s",
    "var a = []; while (true) Push(a, 1)", "var a = [1]; for (var i in a) Push(a, 1)",
    "var a = []; while (true) a = [a]", "var d = {}; while (true) { d = {a: d} }",
    "var a = [1]; while (true) a = Splice(a, a)", "var a = ['x']; while (true) a = [a, a]",
    "var a = 'x'; while (true) a = `${a}${a}`", "Array(1e9)", "var a = []; Resize(a, 1e12)",
    "function f() { f() } f()", "function f(x) { Map([x], f) } f(1)", "Reduce(Array(1e6), Max)",
    "var a = ['xxxxxxxxxxxxxxxx']; for (var i = 0; i < 99; i++) a = [a, a]; '' + a",
    "function f(a, b) { Sort([1, 2], f) } Sort([2, 1], f)",
    "var a = Array(1e5); while (true) Sort(a)",
    "var a = Array(1e4); while (true) Includes(a, 5)",
    "function f(x) { Push(a, 1); Push(a, 2); 1 } var a = [1]; while (true) Map(a, f)",
  ]

  @Test("Programs over the limits end with an error", arguments: greedy)
  func budgets(_ program: String) {
    let limits = ArcadeLimits(steps: 50_000, bytes: 1 << 20)
    var message: String?
    do throws(ExpressionError) {
      _ = try ArcadeTesting.value(program, limits: limits)
    } catch {
      message = error.message
    }
    #expect(
      message?.contains("steps") == true || message?.contains("bytes") == true
        || message?.contains("deep") == true || message?.contains("too long") == true,
      "\(message ?? "nothing")")
  }

  @Test("An evaluator works after an error and keeps no state between evaluations")
  func again() throws {
    let program = try ArcadeProgram(
      "var a; function f(x) { return Map([x], g)[0] } function g(x) { if (x > 1) x.y; return x } a == null && f($x) == 1",
      globals: ["$x"])
    let evaluator = ArcadeEvaluator(program)
    for turn in 0..<100 {
      let isBad = turn % 3 == 0
      do throws(ExpressionError) {
        let value = try evaluator.evaluate(
          [.number(isBad ? 2 : 1)], now: ArcadeDate(milliseconds: 0))
        #expect(value.isTrue && !isBad)
      } catch {
        #expect(isBad && error.column == 76, "\(error)")
      }
    }
  }

  @Test("Arrays that nest 200,000 deep end without a crash")
  func teardown() throws {
    var array = ArcadeArray()
    for turn in 0..<200_000 {
      let next = ArcadeArray([.number(1), .array(array)])
      if turn % 2 == 0 {
        let dictionary = ArcadeDictionary()
        dictionary["a"] = .array(next)
        array = ArcadeArray([.dictionary(dictionary)])
      } else {
        array = next
      }
    }
    #expect(array.elements.count == 2)
  }
}
