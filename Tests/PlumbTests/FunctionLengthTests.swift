import Foundation
import PlumbTestSupport
import Testing

/// Functions in Sources are limited in length.
@Suite struct FunctionLengthTests {
  /// The limit in lines, from `func` to the closing brace.
  private static let limit = 80

  private struct Function: Equatable {
    var name: String
    var line: Int
    var length: Int
  }

  /// The scope that a brace opens.
  private struct Scope {
    /// The declaration whose body the brace opens.
    var declaration: Declaration?
    /// The declaration that continues after the brace. A brace within parentheses belongs to a
    /// parameter's default value.
    var pending: Declaration?
    /// The number of open parentheses and brackets.
    var depth: Int
  }

  /// A declaration that may have a body.
  private struct Declaration {
    var name: String
    var line: Int
    /// The number of open parentheses and brackets.
    var depth: Int
    var isVariable: Bool
  }

  private static let withBody: Set<String> = ["func", "init", "deinit", "subscript", "var"]
  private static let withoutBody: Set<String> = [
    "struct", "class", "enum", "actor", "protocol", "extension", "import", "typealias", "case",
    "let",
  ]

  /// The functions, initializers and computed properties of a file, including nested ones.
  private static func functions(in text: String) -> [Function] {
    var result: [Function] = []
    var scopes: [Scope] = []
    var declared: Declaration?
    var depth = 0
    var before: SourceToken?
    for (token, line) in SourceToken.tokens(of: text) {
      defer { before = token }
      switch token {
      case .word(let word):
        // A member with that name.
        if before == .symbol(UInt8(ascii: ".")) { continue }
        if withBody.contains(word) {
          declared = Declaration(name: word, line: line, depth: depth, isVariable: word == "var")
        } else if withoutBody.contains(word) {
          declared = nil
        } else if case .word(let keyword) = before, ["func", "var"].contains(keyword) {
          declared?.name = word
        }
      case .symbol(UInt8(ascii: "(")), .symbol(UInt8(ascii: "[")): depth += 1
      case .symbol(UInt8(ascii: ")")), .symbol(UInt8(ascii: "]")): depth -= 1
      case .symbol(UInt8(ascii: "=")):
        // The value follows.
        if let known = declared, known.isVariable, known.depth == depth { declared = nil }
      case .symbol(UInt8(ascii: "{")):
        let isBody = declared?.depth == depth
        scopes.append(
          Scope(
            declaration: isBody ? declared : nil, pending: isBody ? nil : declared, depth: depth))
        declared = nil
      case .symbol(UInt8(ascii: "}")):
        guard let scope = scopes.popLast() else { continue }
        (declared, depth) = (scope.pending, scope.depth)
        if let declarationName = scope.declaration {
          result.append(
            Function(
              name: declarationName.name, line: declarationName.line,
              length: line - declarationName.line + 1))
        }
      case .symbol: break
      }
    }
    return result
  }

  @Test func noFunctionIsTooLong() throws {
    let sources = TestPaths.root + "/Sources"
    var count = 0
    for path in try FileManager.default.subpathsOfDirectory(atPath: sources)
    where path.hasSuffix(".swift") {
      let text = try String(contentsOfFile: sources + "/" + path, encoding: .utf8)
      let functions = Self.functions(in: text)
      count += functions.count
      for function in functions where function.length > Self.limit {
        Issue.record("\(path):\(function.line): \(function.name) has \(function.length) lines")
      }
    }
    // Checks that functions were found.
    #expect(count > 3000)
  }

  @Test func lengthsAreThoseOfTheText() {
    let text = #"""
      struct A {
        var list = [1, 2].map {
          $0 + 1
        }
        init(_ body: () -> Void = {
          print("{")
        }) {
          self.init()
        }
        // func remark() {
        func long(
          _ text: String = "func } {"
        ) -> Int {
          func inner() {}
          let text = """
            \(text.map {
              $0
            })
            """
          return 0
        }
        var computed: Int {
          0
        }
        static func == (a: A, b: A) -> Bool { true }
      }
      protocol B {
        func required()
      }
      """#
    #expect(
      Self.functions(in: text) == [
        Function(name: "init", line: 5, length: 5), Function(name: "inner", line: 14, length: 1),
        Function(name: "long", line: 11, length: 11),
        Function(name: "computed", line: 22, length: 3),
        Function(name: "func", line: 25, length: 1),
      ])
  }
}
