import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbExpressions

/// The text functions against the examples and rules of Esri's function reference.
@Suite struct ArcadeTextFunctionTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let make: @Sendable () -> (values: [ArcadeValue], expected: ArcadeValue)
    var testDescription: String { name }

    init(
      _ name: String, _ values: @autoclosure @escaping @Sendable () -> [ArcadeValue],
      _ expected: @autoclosure @escaping @Sendable () -> ArcadeValue
    ) {
      self.name = name
      make = { (values(), expected()) }
    }
  }

  static let cases: [Case] = [
    Case("Concatenate", [["red", "blue", "green"], "/"], "red/blue/green"),
    Case("Concatenate", [["red", "blue"]], "redblue"),
    Case("Concatenate", ["a", 1, .null, true], "a1true"),
    Case("Concatenate", [[1234.5, 2], "; ", "#,###.00"], "1,234.50; 2.00"),
    Case("Concatenate", [[] as ArcadeValue, ","], ""),
    Case("Find", ["380", "Esri, 380 New York Street", 0], 6),
    Case("Find", ["e", "Esri, 380 New York Street", 12], 22),
    Case("Find", ["x", "abc"], -1),
    Case("Find", ["abc", "ab"], -1),
    Case("Find", ["", "abc", 2], 2),
    Case("Find", ["a", "abca", 1], 3),
    Case("Find", ["b", "🌉b"], 2),
    Case("Find", ["b", "🌉b", 1], 2),
    Case("Find", ["é", "e\u{301}é"], 2),
    Case("FromCharCode", [88, 89, 90], "XYZ"),
    Case("FromCharCode", [55356, 57097], "🌉"),
    Case("FromCharCode", [97, 55356, 98], "ab"),
    Case("FromCodePoint", [88, 89, 90], "XYZ"),
    Case("FromCodePoint", [127753], "🌉"),
    Case("Left", ["the quick brown fox", 3], "the"),
    Case("Left", ["ab", 9], "ab"),
    Case("Left", ["🌉a", 1], ""),
    Case("Left", ["🌉a", 2], "🌉"),
    Case("Left", [12345, 2], "12"),
    Case("Lower", ["HELLO"], "hello"),
    Case("Lower", ["ÄÖÜ İ"], "äöü i\u{307}"),
    Case("Mid", ["the quick brown fox", 4, 5], "quick"),
    Case("Mid", ["the quick brown fox", 10], "brown fox"),
    Case("Mid", ["abc", 3, 1], ""),
    Case("Mid", ["abc", 9, 1], ""),
    Case("Mid", ["a🌉b", 2, 2], "b"),
    Case("Proper", ["the quick brown fox", "everyword"], "The Quick Brown Fox"),
    Case("Proper", ["the quick brown fox", "firstword"], "The quick brown fox"),
    Case("Proper", ["  the QUICK  fox"], "  The Quick  Fox"),
    Case("Proper", [""], ""),
    Case("Replace", ["the quick brown fox", "brown", "red"], "the quick red fox"),
    Case("Replace", ["aaa", "a", "bb"], "bbbbbb"),
    Case("Replace", ["aaa", "a", "bb", false], "bbaa"),
    Case("Replace", ["aaa", "a", "bb", .null], "bbbbbb"),
    Case("Replace", ["aaaa", "aa", "a"], "aa"),
    Case("Replace", ["abc", "", "x"], "abc"),
    Case("Replace", [["a", 1, "a"], "a", .null], [.null, 1, .null]),
    Case("Replace", [["a", 1, "a"], "a", "b", false], ["b", 1, "a"]),
    Case("Right", ["the quick brown fox", 3], "fox"),
    Case("Right", ["ab", 9], "ab"),
    Case("Split", ["red,green,blue,orange", ",", 2], ["red", "green"]),
    Case("Split", ["a  b", " ", -1, true], ["a", "b"]),
    Case("Split", ["a  b", " "], ["a", "", "b"]),
    Case("Split", [",a,b,", ",", 1, true], ["a"]),
    Case("Split", ["", ","], [""]),
    Case("Split", ["a🌉", ""], ["a", "🌉"]),
    Case("Split", ["a,b", ",", 0], []),
    Case(
      "StandardizeGuid", ["{DB894515-ed21-4df1-af67-36232256f59a}", "digits"],
      "DB894515ed214df1af6736232256f59a"),
    Case(
      "StandardizeGuid", ["db894515ed214df1af6736232256f59a", "digits-hyphen-braces"],
      "{db894515-ed21-4df1-af67-36232256f59a}"),
    Case(
      "StandardizeGuid", ["db894515ed214df1af6736232256f59a", "digits-hyphen-parentheses"],
      "(db894515-ed21-4df1-af67-36232256f59a)"),
    Case("ToCharCode", ["XYZ"], 88),
    Case("ToCharCode", ["XYZ", 1], 89),
    Case("ToCharCode", ["\u{FFFF}\u{FFFE}"], 65535),
    Case("ToCharCode", ["🌉"], 55356),
    Case("ToCharCode", ["🌉", 1], 57097),
    Case("ToCodePoint", ["XYZ", 1], 89),
    Case("ToCodePoint", ["🌉"], 127753),
    Case("ToCodePoint", ["🌉", 1], 57097),
    Case("ToHex", [16], "10"),
    Case("ToHex", [-255], "-ff"),
    Case("Trim", ["   hello world"], "hello world"),
    Case("Trim", ["\u{FEFF}\u{A0}\n a b \t\u{2003}"], "a b"),
    Case("Trim", ["  "], ""),
    Case("Upper", ["Hello"], "HELLO"),
    Case("Upper", ["straße"], "STRASSE"),
    Case("UrlEncode", ["a b&c/é-_.!~*'()"], "a%20b%26c%2F%C3%A9-_.!~*'()"),
    Case(
      "UrlEncode", [["itemID": "36ff9e8c", "center": "43,-112"] as ArcadeValue],
      "itemID=36ff9e8c&center=43%2C-112"),
    Case("Text", [.null], ""),
    Case("Text", ["abc", "#"], "abc"),
    Case("Text", [true], "true"),
  ]

  @Test("Examples of the function reference, and edges of its rules", arguments: cases)
  func examples(_ example: Case) throws {
    let (values, expected) = example.make()
    let found = try arcade(example.name, values, CallContext())
    #expect(same(found, expected), "\(example.name)(\(values.map(\.asText))) is \(found.asText)")
  }

  @Test("Number patterns of the function reference")
  func numbers() throws {
    let cases: [(Double, String, String)] = [
      (123, "0000", "0123"), (123, "00", "23"), (12.3456, ".00", "12.35"),
      (-0.5, ".0#", "-0.5"), (3, "~.00", "~3.00"), (42, "No.00", "No.42"), (1234, "#,###", "1,234"),
      (12_345_678.123, "#,###.00", "12,345,678.12"), (1234.55, "$#,###.00", "$1,234.55"),
      (1.236, "#.00", "1.24"), (1234.5678, "#,##0.00#", "1,234.568"),
      (-2, "Floor #;Basement #", "Basement 2"), (2, "Floor #;Basement #", "Floor 2"),
      (0.3, "#%", "30%"), (0.3125, "#.0%", "31.3%"), (0.0125, "#.0‰", "12.5‰"),
      // Halves are rounded away from zero according to the decimal notation: the binary value of
      // 1.005 is below the half.
      (0.5, "#", "1"), (2.5, "#", "3"), (-2.5, "#", "-3"), (0.125, "#.00", "0.13"),
      (1.005, "#.00", "1.01"), (0.285, "0.00", "0.29"), (-1.005, "0.00", "-1.01"), (0, "#", "0"),
      (0, "#.##", "0"),
      (-1234.5, "$#,##0.00", "-$1,234.50"),
      (9.99, "#.0", "10.0"), (999_999.5, "#,###", "1,000,000"),
      (1e21, "#,###", "1,000,000,000,000,000,000,000"),
      (12_345_678, "#,##,###", "1,23,45,678"), (5, "#,##0", "5"), (1234, "0,000,000", "0,001,234"),
      (5, "No. #.", "No. 5."), (-5, "(#)", "-(5)"), (-5, "#;(#)", "(5)"),
      (7, "about, #", "about, 7"),
      (0.1, "0.00000000000000000000", "0.10000000000000000000"),
      (.leastNonzeroMagnitude, "#.0", "0.0"),
    ]
    for (number, pattern, text) in cases {
      let found = try arcade("Text", .number(number), .text(pattern))
      #expect(found.asText == text, "\(number) by \(pattern) is \(found.asText)")
    }
    for number in [Double.nan, .infinity, -.infinity] {
      #expect(same(try arcade("Text", .number(number), "#.0"), .null))
    }
    for pattern in ["abc", ";#", ",", "%"] {
      #expect(throws: ArcadeFailure.self) { try arcade("Text", 1, .text(pattern)) }
    }
  }

  @Test("Positions below 0, codes of empty text and unknown words are failures")
  func failures() {
    let calls: [(String, [ArcadeValue])] = [
      ("Left", ["abc", -1]), ("Mid", ["abc", -1, 2]), ("Mid", ["abc", 0, -2]),
      ("Find", ["a", "b", -1]), ("Left", ["abc", .number(.nan)]),
      ("Right", ["abc", .number(.infinity)]), ("FromCharCode", [65536]), ("FromCharCode", [-1]),
      ("FromCodePoint", [0xD800]), ("FromCodePoint", [0x110000]), ("ToCharCode", ["", 0]),
      ("ToCodePoint", ["abc", 3]), ("ToHex", [1.5]), ("ToHex", [1e300]), ("ToHex", ["abc"]),
      ("Proper", ["a", "lastword"]), ("StandardizeGuid", ["123", "digits"]),
      ("StandardizeGuid", ["db894515ed214df1af6736232256f59a", "braces"]),
      ("Left", ["abc", "x"]),
    ]
    for (name, values) in calls {
      #expect(throws: ArcadeFailure.self, "\(name)") { try arcade(name, values, CallContext()) }
    }
  }

  @Test("Searching and replacing agree with a search at each position, with any repetition")
  func searching() throws {
    var random = SeededGenerator(seed: 71)
    for _ in 0..<3000 {
      let letters = ["a", "b", "🌉", "é"].prefix(Int.random(in: 1...4, using: &random))
      func text(_ maximum: Int) -> String {
        (0..<Int.random(in: 0...maximum, using: &random)).map { _ in
          letters.randomElement(using: &random) ?? "a"
        }.joined()
      }
      let (whole, part) = (text(24), text(4))
      let (bytes, wanted) = (Array(whole.utf16), Array(part.utf16))
      let from = Int.random(in: 0...26, using: &random)
      var point = -1
      if from + wanted.count <= bytes.count {
        for start in from...bytes.count - wanted.count
        where Array(bytes[start..<start + wanted.count]) == wanted {
          point = start
          break
        }
      } else if wanted.isEmpty {
        point = bytes.count
      }
      let found = try arcade("Find", .text(part), .text(whole), .number(Double(from)))
      #expect(same(found, .number(Double(point))), "\(part) in \(whole) from \(from)")
      guard !part.isEmpty else { continue }
      // Split text can be joined again.
      let pieces = try arcade("Split", .text(whole), .text(part))
      #expect(same(try arcade("Concatenate", pieces, .text(part)), .text(whole)))
      let other = try arcade("Replace", .text(whole), .text(part), "-+")
      #expect(same(try arcade("Concatenate", pieces, "-+"), other))
    }
  }

  @Test("Repetition costs no more than its length, and growth is limited by the budget")
  func budgets() throws {
    let long = String(repeating: "a", count: 200_000)
    let context = CallContext(steps: 10_000_000)
    let found = try arcade(
      "Find", .text(String(repeating: "a", count: 100_000) + "b"), .text(long), context: context)
    #expect(same(found, -1))
    #expect(throws: ArcadeFailure.self) {
      try arcade(
        "Replace", .text(long), "a", .text(long), context: CallContext(bytes: 1_000_000_000))
    }
  }
}
