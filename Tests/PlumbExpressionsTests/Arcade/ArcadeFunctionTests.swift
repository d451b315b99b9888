import PlumbCore
import Testing

@testable import PlumbExpressions

/// Functions; many of the cases are examples from Esri's public documentation.
@Suite struct ArcadeFunctionTests {
  private static let mathematics = [
    ArcadeCase("Abs(-3)", "3"), ArcadeCase("abs(null)", "0"),
    ArcadeCase("Round(Acos(0.3), 6)", "1.266104"),
    ArcadeCase("Round(Asin(0.3), 6)", "0.304693"), ArcadeCase("Round(Atan(1), 6)", "0.785398"),
    ArcadeCase("Round(Atan2(-1, -1), 6)", "-2.356194"), ArcadeCase("Acos(2)", "NaN"),
    ArcadeCase("Average(1, 2, 3)", "2"), ArcadeCase("Mean([1, 2, 6])", "3"),
    ArcadeCase("Mean([])", "null"),
    ArcadeCase("Ceil(7.2)", "8"), ArcadeCase("Ceil(3456.784, 2)", "3456.79"),
    ArcadeCase("Ceil(-1.5)", "-1"),
    ArcadeCase("Floor(7.8)", "7"), ArcadeCase("Floor(3456.789, 2)", "3456.78"),
    ArcadeCase("Floor(-1.5)", "-2"),
    ArcadeCase("Constrain(5, 1, 3)", "3"), ArcadeCase("Constrain(-5, 1, 3)", "1"),
    ArcadeCase("Constrain(2, 1, 3)", "2"),
    ArcadeCase("Cos(0)", "1"), ArcadeCase("Sin(0)", "0"), ArcadeCase("Tan(0)", "0"),
    ArcadeCase("Exp(0)", "1"),
    ArcadeCase("Log(1)", "0"), ArcadeCase("Log(-1)", "NaN"), ArcadeCase("Pow(2, 10)", "1024"),
    ArcadeCase("Sqrt(9)", "3"),
    ArcadeCase("Sqrt(-1)", "NaN"), ArcadeCase("Max(23, 34, 1)", "34"),
    ArcadeCase("Max([1, 9, 3])", "9"),
    ArcadeCase("Min(23, 34, 1)", "1"), ArcadeCase("Min([])", "null"),
    ArcadeCase("Max(1, 'x')", "NaN"),
    ArcadeCase("Max([null, -5])", "0"), ArcadeCase("Sum(1, 2, '3')", "6"),
    ArcadeCase("Sum([])", "0"),
    ArcadeCase("Round(2316.1473, 2)", "2316.15"), ArcadeCase("Round(2.5)", "3"),
    ArcadeCase("Round(-2.5)", "-3"),
    ArcadeCase("Round(1234, -2)", "1200"), ArcadeCase("Round(1e300, 10)", "1e+300"),
    ArcadeCase("Round(0/0, 2)", "NaN"),
    ArcadeCase("Variance(2, 4, 4, 4, 5, 5, 7, 9)", "4"),
    ArcadeCase("Stdev([2, 4, 4, 4, 5, 5, 7, 9])", "2"),
    ArcadeCase("Number('12.5')", "12.5"), ArcadeCase("Number(' 0x10 ')", "16"),
    ArcadeCase("Number('1,5')", "NaN"),
    ArcadeCase("Number(true)", "1"), ArcadeCase("Number('')", "0"), ArcadeCase("Number([])", "NaN"),
  ]

  private static let logic = [
    ArcadeCase("IIf(1 < 2, 'a', 'b')", "\"a\""), ArcadeCase("IIf(false, [][1], 'b')", "\"b\""),
    ArcadeCase("IIf(1, 2, 3)", "error"), ArcadeCase("When(false, 1, true, 2, 3)", "2"),
    ArcadeCase("When(false, null.x, 3)", "3"), ArcadeCase("When(true, 1, null.x, 2, 3)", "1"),
    ArcadeCase("When(true, 1)", "error"),
    ArcadeCase("Decode(2, 1, 'Residential', 2, 'Commercial', 'Other')", "\"Commercial\""),
    ArcadeCase("Decode(9, 1, 'a', 2, 'b', 'Other')", "\"Other\""),
    ArcadeCase("Decode(9, 1, 'a')", "null"),
    ArcadeCase("Decode(1, 1, 'a', null.x, 'b', null.y)", "\"a\""),
    ArcadeCase("Decode('A', 'a', 1, 2)", "2"),
    ArcadeCase("DefaultValue(null, 5)", "5"), ArcadeCase("DefaultValue('', 5)", "5"),
    ArcadeCase("DefaultValue(0, 5)", "0"), ArcadeCase("DefaultValue(1, null.x)", "1"),
    ArcadeCase("DefaultValue({a: {b: [1, null]}}, ['a', 'b', 1], 7)", "7"),
    ArcadeCase("DefaultValue({a: {b: [1, null]}}, ['a', 'b', 0], 7)", "1"),
    ArcadeCase("DefaultValue([1], 4, 7)", "7"), ArcadeCase("DefaultValue({}, 'x', 7)", "7"),
    ArcadeCase("IsEmpty(null)", "true"), ArcadeCase("IsEmpty('')", "true"),
    ArcadeCase("IsEmpty('a')", "false"),
    ArcadeCase("IsEmpty(0)", "false"), ArcadeCase("IsEmpty([])", "false"),
    ArcadeCase("IsEmpty({})", "false"),
    ArcadeCase("IsNan(0 / 0)", "true"), ArcadeCase("IsNan(1)", "false"),
    ArcadeCase("Boolean('true')", "true"), ArcadeCase("Boolean('TRUE')", "true"),
    ArcadeCase("Boolean(0)", "false"),
    ArcadeCase("Boolean(-2)", "true"), ArcadeCase("Boolean('hello')", "false"),
    ArcadeCase("Boolean(0/0)", "false"),
    ArcadeCase("Equals(1, 1)", "true"), ArcadeCase("Equals('a', 'A')", "false"),
    ArcadeCase("HasKey({a: null}, 'A')", "true"), ArcadeCase("HasKey({a: 1}, 'b')", "false"),
    ArcadeCase("HasValue({a: null}, 'a')", "false"),
    ArcadeCase("HasValue({a: {b: 1}}, ['a', 'b'])", "true"),
    ArcadeCase("HasValue({a: ''}, 'a')", "false"),
    ArcadeCase(
      "TypeOf(1) + TypeOf('') + TypeOf(true) + TypeOf([]) + TypeOf({}) + TypeOf(Abs)",
      "\"NumberStringBooleanArrayDictionaryFunction\""),
  ]

  private static let arrays = [
    ArcadeCase("Array(3, 1)", "[1,1,1]"), ArcadeCase("Array(2)", "[null,null]"),
    ArcadeCase("Array(-1)", "error"),
    ArcadeCase("Array(1e18)", "error"), ArcadeCase("Count([1, 2, 3])", "3"),
    ArcadeCase("Count('äb')", "2"), ArcadeCase("Count('😀a')", "3"),
    ArcadeCase("var t = '😀a'; Left(t, Count(t)) == t && Mid(t, Count(t) - 1) == 'a'", "true"),
    ArcadeCase(
      "var t = '😀a'; [Find('a', t), t[2], t[-1], t[0] == Mid(t, 0, 1)]",
      """
      [2,"a","a",true]
      """),
    ArcadeCase("Count({a: 1})", "1"), ArcadeCase("Back([1, 2])", "2"),
    ArcadeCase("Back([])", "error"),
    ArcadeCase("Front([1, 2])", "1"), ArcadeCase("Front([])", "error"),
    ArcadeCase("First([])", "null"),
    ArcadeCase("First(['a', 'b'])", "\"a\""),
    ArcadeCase("Distinct(['a', 'b', 'a', 1, '1', 1, null, null])", "[\"a\",\"b\",1,\"1\",null]"),
    ArcadeCase("Distinct(2, 1, 2)", "[2,1]"),
    ArcadeCase("var a = [1, 2, 3]; Erase(a, 1); a", "[1,3]"),
    ArcadeCase("var a = [1, 2, 3]; Erase(a, -1); a", "[1,2]"), ArcadeCase("Erase([1], 1)", "error"),
    ArcadeCase("Includes([1, 'a'], 'a')", "true"), ArcadeCase("Includes([1], '1')", "false"),
    ArcadeCase("IndexOf(['a', 'b'], 'b')", "1"), ArcadeCase("IndexOf(['a'], 'B')", "-1"),
    ArcadeCase("var a = ['o', 'b']; Insert(a, 1, 'x'); a", "[\"o\",\"x\",\"b\"]"),
    ArcadeCase("var a = [1, 2]; Insert(a, -1, 9); a", "[1,9,2]"),
    ArcadeCase("var a = [1]; Insert(a, 1, 2); a", "[1,2]"),
    ArcadeCase("Insert([1], 3, 2)", "error"),
    ArcadeCase("var a = [1, 2]; Pop(a) * 10 + Count(a)", "21"),
    ArcadeCase("Pop([])", "error"), ArcadeCase("var a = [1]; Push(a, 5) * 10 + a[1]", "25"),
    ArcadeCase("var a = [1]; Push(a, a)", "error"),
    ArcadeCase("var a = [1]; Resize(a, 3, 0); a", "[1,0,0]"),
    ArcadeCase("var a = [1, 2]; Resize(a, 1); a", "[1]"),
    ArcadeCase("Reverse([1, 2, 3])", "[3,2,1]"),
    ArcadeCase("Slice([1, 2, 3, 4], 1, 3)", "[2,3]"), ArcadeCase("Slice([1, 2, 3], -2)", "[2,3]"),
    ArcadeCase("Slice([1, 2, 3], 2, 1)", "[]"), ArcadeCase("Slice([1, 2], 0, 99)", "[1,2]"),
    ArcadeCase("Sort([10, 9, 2])", "[2,9,10]"),
    ArcadeCase("Sort(['b', 'B', 'a'])", "[\"B\",\"a\",\"b\"]"),
    ArcadeCase("Sort([10, '9', 2])", "[10,2,\"9\"]"), ArcadeCase("Sort([])", "[]"),
    ArcadeCase("Sort([0/0, 2, 1])", "[1,2,null]"),
    ArcadeCase("function down(a, b) { return b - a } Sort([1, 3, 2], down)", "[3,2,1]"),
    ArcadeCase(
      "function byN(a, b) { return a.n - b.n } Map(Sort([{n: 2}, {n: 1}], byN), pick); function pick(d) { d.n }",
      "[1,2]"),
    ArcadeCase("Splice([1, 2], 3, [4])", "[1,2,3,4]"),
    ArcadeCase("Top([43, 32, 19, 0], 2)", "[43,32]"), ArcadeCase("Top([1], 5)", "[1]"),
    ArcadeCase("function isEven(v) { return v % 2 == 0 } All([1, 2, 3, 4, 5], isEven)", "false"),
    ArcadeCase("function isEven(v) { return v % 2 == 0 } Any([1, 2, 3, 4, 5], isEven)", "true"),
    ArcadeCase("function isEven(v) { return v % 2 == 0 } None([1, 3], isEven)", "true"),
    ArcadeCase("function isEven(v) { return v % 2 == 0 } Filter([1, 2, 3, 4], isEven)", "[2,4]"),
    ArcadeCase("All([null, ''], isEmpty)", "true"), ArcadeCase("Map([1, -2], Abs)", "[1,2]"),
    ArcadeCase("function add(a, b) { return a + b } Reduce([1, 2, 3], add)", "6"),
    ArcadeCase("function add(a, b) { return a + b } Reduce([1, 2, 3], add, 'n')", "\"n123\""),
    ArcadeCase("function add(a, b) { return a + b } Reduce([], add)", "null"),
    ArcadeCase(
      "var n = 0; function f(v) { n++; return Filter([v], g) } function g(v) { return v > 1 } Map([1, 2], f)",
      "[[],[2]]"),
  ]

  private static let dictionaries = [
    ArcadeCase("Dictionary('a', 1, 'b', [2])", "{\"a\":1,\"b\":[2]}"),
    ArcadeCase("Dictionary()", "{}"),
    ArcadeCase(
      "Dictionary('{\"a\": [1, {\"b\": null}], \"c\": \"\\\\u00e9\\\\n\"}')",
      "{\"a\":[1,{\"b\":null}],\"c\":\"é\\n\"}"),
    ArcadeCase("Dictionary('[1]')", "error"), ArcadeCase("Dictionary('{')", "error"),
    ArcadeCase("Dictionary('a', 1, 'b')", "error"),
    ArcadeCase("FromJSON('[1, 2.5e1, true]')", "[1,25,true]"),
    ArcadeCase("FromJSON('1 2')", "error"),
    ArcadeCase("Feature(null, 'name', 'Oak', 'n', 2).N", "2"),
    ArcadeCase("Feature(null, {'name': 'Oak'}).name", "\"Oak\""),
    ArcadeCase("Feature({geometry: null, attributes: {a: 5}}).a", "5"),
    ArcadeCase("Feature(null, 'a', [1])", "error"),
    ArcadeCase("Feature(null, {a: 1})", "{\"geometry\":null,\"attributes\":{\"a\":1}}"),
    ArcadeCase("var d = {a: 1}; var e = Dictionary(d); e.a = 2; d.a", "1"),
  ]

  @Test("Functions", arguments: mathematics + logic + arrays + dictionaries)
  func cases(_ expected: ArcadeCase) throws {
    if expected.value == "error" {
      #expect(ArcadeTesting.failure(expected.program) != nil)
    } else {
      #expect(try ArcadeTesting.shown(expected.program) == expected.value)
    }
  }

  @Test("Every function accepts or rejects values of every kind, and never crashes")
  func kinds() throws {
    let values = [
      "null", "true", "0", "-1", "1.5", "1e300", "0/0", "''", "'a'", "[]", "[1, 'a', null]", "{}",
      "{a: 1}", "$f", "Abs", "Dictionary($f).geometry",
    ]
    let globals = [("$f", ArcadeTesting.feature)]
    var evaluated = 0
    for function in ArcadeFunction.all {
      for count in function.counts.lowerBound...min(function.counts.upperBound, 3) {
        for first in values {
          for second in count > 1 ? values : [""] {
            let arguments = [first, second, "2"].prefix(count).joined(separator: ", ")
            _ = ArcadeTesting.failure("\(function.name)(\(arguments))", globals)
            evaluated += 1
          }
        }
      }
    }
    #expect(evaluated > 3000)
  }

  @Test("A function's name is listed once, and found regardless of case")
  func names() {
    let names = ArcadeFunction.all.map(\.name)
    let twice = Dictionary(grouping: names) { $0.lowercased() }.values.filter { $0.count > 1 }
    #expect(twice.isEmpty, "\(twice)")
    for name in names { #expect(ArcadeFunction.named(name.uppercased())?.name == name) }
    #expect(ArcadeFunction.named("Nothing") == nil)
  }
}
