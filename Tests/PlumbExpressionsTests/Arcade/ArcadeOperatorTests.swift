import PlumbCore
import Testing

@testable import PlumbExpressions

/// Operators and values, as documented for the language and its types.
@Suite struct ArcadeOperatorTests {
  private static let arithmetic = [
    ArcadeCase("1 + 2 * 3", "7"), ArcadeCase("(1 + 2) * 3", "9"), ArcadeCase("7 - 2 - 1", "4"),
    ArcadeCase("8 / 4 / 2", "1"), ArcadeCase("7 % 4 * 2", "6"), ArcadeCase("-7 % 4", "-3"),
    ArcadeCase("1 / 0", "Infinity"), ArcadeCase("-1 / 0", "-Infinity"), ArcadeCase("0 / 0", "NaN"),
    ArcadeCase("0x1F + 0Xa", "41"), ArcadeCase("1.5e3", "1500"), ArcadeCase(".5 + 1.", "1.5"),
    ArcadeCase("2E-2", "0.02"), ArcadeCase("1e21", "1e+21"), ArcadeCase("1e-7", "1e-7"),
    ArcadeCase("0.000001", "0.000001"),
    ArcadeCase("123456789012345680000", "123456789012345680000"),
    ArcadeCase("0.1 + 0.2", "0.30000000000000004"), ArcadeCase("- -3", "3"),
    ArcadeCase("-(-3)", "3"),
    ArcadeCase("+'12'", "12"), ArcadeCase("-'x'", "NaN"), ArcadeCase("'3' * '4'", "12"),
    ArcadeCase("'10' - 1", "9"), ArcadeCase("true + true", "2"), ArcadeCase("[1] * 2", "NaN"),
    // Null is 0 in arithmetic.
    ArcadeCase("null + 5", "5"), ArcadeCase("null * 5", "0"), ArcadeCase("5 - null", "5"),
    ArcadeCase("null + null", "0"), ArcadeCase("-null", "0"),
  ]

  private static let texts = [
    ArcadeCase("'a' + 'b'", "\"ab\""), ArcadeCase("'a' + 1 + 2", "\"a12\""),
    ArcadeCase("1 + 2 + 'a'", "\"3a\""), ArcadeCase("1 + '2'", "\"12\""),
    // Null is empty text when joined with text.
    ArcadeCase("'a' + null + 'b'", "\"ab\""), ArcadeCase("null + ''", "\"\""),
    ArcadeCase("'is ' + true", "\"is true\""), ArcadeCase("'' + 0.5", "\"0.5\""),
    ArcadeCase("'' + 3.0", "\"3\""), ArcadeCase("'' + [1, 'a', null]", "\"[1,\\\"a\\\",null]\""),
    ArcadeCase("'' + {'a': true}", "\"{\\\"a\\\":true}\""),
    ArcadeCase("'it''s' == 'x'", "error"), ArcadeCase("\"it's\"", "\"it's\""),
    ArcadeCase(
      "'a\\tb\\n\\'\\\"\\\\\\u0041\\x42\\u{1F600}\\ud83d\\ude00\\q'",
      "\"a\\tb\\n'\\\"\\\\AB😀😀q\""),
    ArcadeCase("`a`", "\"a\""), ArcadeCase("``", "\"\""), ArcadeCase("`${1 + 1}`", "\"2\""),
    ArcadeCase("`a ${null} b`", "\"a  b\""),
    ArcadeCase("`a ${`b ${1 + `${2}`}`} c`", "\"a b 12 c\""),
    ArcadeCase("`${ {'a': {'b': 5}}['a'].b }$`", "\"5$\""), ArcadeCase("`\\${1}\\``", "\"${1}`\""),
    ArcadeCase("`two\nlines`", "\"two\\nlines\""), ArcadeCase("'äö'[1]", "\"ö\""),
    ArcadeCase("TextFormatting.NewLine + textformatting.TAB", "\"\\n\\t\""),
  ]

  private static let comparisons = [
    ArcadeCase("1 < 2", "true"), ArcadeCase("2 <= 2", "true"), ArcadeCase("2 > 2", "false"),
    ArcadeCase("3 >= 4", "false"), ArcadeCase("'a' < 'b'", "true"), ArcadeCase("'B' < 'a'", "true"),
    ArcadeCase("'10' < '9'", "true"), ArcadeCase("'10' < 9", "false"),
    ArcadeCase("null < 1", "true"),
    ArcadeCase("null <= null", "true"), ArcadeCase("'x' < 1", "false"),
    ArcadeCase("'x' >= 1", "false"), ArcadeCase("0/0 == 0/0", "false"),
    ArcadeCase("0/0 != 0/0", "true"), ArcadeCase("0/0 <= 0/0", "false"),
    // Strings are compared case-sensitively, names are not.
    ArcadeCase("'Oak' == 'oak'", "false"), ArcadeCase("'oak' != 'oak'", "false"),
    ArcadeCase("'e\\u0301' == '\\u00e9'", "false"),
    ArcadeCase("1 == '1'", "false"), ArcadeCase("null == 0", "false"),
    ArcadeCase("null == ''", "false"),
    ArcadeCase("null == null", "true"), ArcadeCase("[1] == [1]", "false"),
    ArcadeCase("var a = [1]; var b = a; a == b", "true"), ArcadeCase("true == 1", "false"),
    ArcadeCase("1 < 2 == true", "true"), ArcadeCase("3 > 2 > 1", "false"),
  ]

  private static let logic = [
    ArcadeCase("true && false", "false"), ArcadeCase("true && true && true", "true"),
    ArcadeCase("false || false || true", "true"), ArcadeCase("!true", "false"),
    ArcadeCase("!(1 > 2) && 2 > 1", "true"), ArcadeCase("true || false && false", "true"),
    // The right operand is not evaluated if the left operand determines the result.
    ArcadeCase("false && [][5]", "false"), ArcadeCase("true || null.x", "true"),
    ArcadeCase("var n = 0; false && n++ > 0; true || n++ > 0; n", "0"),
    ArcadeCase("1 && true", "error"), ArcadeCase("true && 1", "error"), ArcadeCase("!1", "error"),
    ArcadeCase("5 & 3", "1"), ArcadeCase("5 | 3", "7"), ArcadeCase("5 ^ 3", "6"),
    ArcadeCase("~5", "-6"), ArcadeCase("1 << 4", "16"), ArcadeCase("-16 >> 2", "-4"),
    ArcadeCase("4294967295 & 4294967295", "-1"), ArcadeCase("1 << 33", "2"),
    ArcadeCase("1e20 | 0", "1661992960"), ArcadeCase("0/0 | 1", "1"), ArcadeCase("3.9 | 0", "3"),
    ArcadeCase("1 | 2 ^ 3 & 4", "3"), ArcadeCase("1 + 1 << 2", "8"),
  ]

  private static let setting = [
    ArcadeCase("var x = 5; x += 2; x -= 1; x *= 6; x /= 4; x %= 5; x", "4"),
    ArcadeCase("var x = 'a'; x += 1; x", "\"a1\""), ArcadeCase("var x; x += 1; x", "1"),
    ArcadeCase("var x = 5; x++", "5"), ArcadeCase("var x = 5; ++x", "6"),
    ArcadeCase("var x = 5; x--; x", "4"), ArcadeCase("var x = 5; --x + x--", "8"),
    ArcadeCase("var x = '5'; x++; x", "6"), ArcadeCase("var x, y = 2; x = y = 3; x + y", "6"),
    ArcadeCase("var a = [1, 2]; a[0] = 5; a[2] = 9; a", "[5,2,9]"),
    ArcadeCase("var a = [1, 2]; a[-1] += 5; a[0]++; a", "[2,7]"),
    ArcadeCase("var a = [1]; a[2] = 9", "error"), ArcadeCase("var a = [1]; a[0.5] = 1", "error"),
    ArcadeCase("var a = [10, 20, 30]; a[-1]", "30"), ArcadeCase("[1][1]", "error"),
    ArcadeCase("[1][-2]", "error"), ArcadeCase("[1]['0']", "error"),
    ArcadeCase(
      "var d = {'a': 1, b: 2, 3: 4}; d.c = d.A + d['B'] + d[3]; d",
      "{\"a\":1,\"b\":2,\"3\":4,\"c\":7}"),
    ArcadeCase("var d = {}; d.n = 1; d.n += 4; d['n']++; ++d.n; d.N--", "7"),
    ArcadeCase("var d = {a: [{b: 1}]}; d.a[0].b = 5; d.a[0].b", "5"),
    ArcadeCase("{a: 1}.b", "error"),
    ArcadeCase("null.a", "error"), ArcadeCase("(5).a", "error"),
    ArcadeCase("var a = [1]; a[0] = a", "error"),
    ArcadeCase("var d = {}; var a = [d]; d.x = a", "error"),
  ]

  @Test("Operators", arguments: arithmetic + texts + comparisons + logic + setting)
  func cases(_ expected: ArcadeCase) throws {
    if expected.value == "error" {
      #expect(ArcadeTesting.failure(expected.program) != nil)
    } else {
      #expect(try ArcadeTesting.shown(expected.program) == expected.value)
    }
  }

  @Test("Attributes and shapes: $f.name, $f[\"name\"], g.x; errors list similar names")
  func features() throws {
    let globals = [("$feature", ArcadeTesting.feature)]
    for (program, value) in [
      ("$feature.name", "\"Oak\""), ("$FEATURE.NAME", "\"Oak\""), ("$feature['NAME']", "\"Oak\""),
      ("$feature.height * 2", "25"), ("$feature.empty + 1", "1"), ("$feature.open", "true"),
      ("'<' + $feature.empty + '>'", "\"<>\""), ("Geometry = 1", "1"),
      ("Dictionary($feature).geometry.x", "24.5"),
      ("var g = Dictionary($feature).geometry; g.Y + g.spatialReference.wkid", "4386.25"),
      ("Dictionary($feature).geometry.type", "\"point\""),
      ("Dictionary($feature).geometry.z", "null"),
      ("var names = ''; for (var k in $feature) names += k; names", "\"NameHeightEmptyOpen\""),
    ] {
      if value == "error" {
        #expect(ArcadeTesting.failure(program, globals) != nil)
      } else {
        #expect(try ArcadeTesting.shown(program, globals) == value, "\(program)")
      }
    }
    #expect(
      ArcadeTesting.failure("1;\n$feature.hight", globals)
        == "line 2, column 9: the feature has no field hight; did you mean Height?")
    #expect(ArcadeTesting.failure("$feature.x = 1", globals)?.contains("global") == true)
    #expect(
      ArcadeTesting.failure("var f = $feature; f.name = 1", globals)
        == "line 1, column 20: a feature cannot be changed")
  }

  @Test("One program reads features with the same field in different columns")
  func fieldPositions() throws {
    let program = try ArcadeProgram("$f.b", globals: ["$f"])
    let evaluator = ArcadeEvaluator(program)
    let (first, second) = (ArcadeFields(["a", "b"]), ArcadeFields(["B", "c"]))
    for turn in 0..<6 {
      let isFirst = turn % 3 != 1
      let feature = ArcadeFeature(
        fields: isFirst ? first : second, attributes: [.number(1), .number(2)])
      let value = try evaluator.evaluate([.feature(feature)], now: ArcadeDate(milliseconds: 0))
      #expect(value.asNumber == (isFirst ? 2 : 1))
    }
  }

  @Test("Members of every kind of shape")
  func shapes() throws {
    let vertices = VertexList(
      [SIMD2(0, 0), SIMD2(0, 4), SIMD2(3, 4), SIMD2(0, 0)], z: [1, 2, 3, 1])
    let globals: [(String, ArcadeValue)] = [
      ("$line", .geometry(.polyline(Polyline(vertices)))),
      ("$area", .geometry(.polygon(Polygon(vertices)))),
      ("$points", .geometry(.multipoint(Multipoint(vertices)))),
      ("$box", .geometry(.envelope(Envelope(xMin: 1, yMin: 2, xMax: 5, yMax: 4)))),
    ]
    for (program, value) in [
      ("$line.paths[0][2].x", "3"), ("$line.paths[0][1].z", "2"), ("$line.hasZ", "true"),
      ("$line.hasM", "false"), ("$area.rings[0][1].y", "4"), ("$points.points[3].z", "1"),
      ("$box.xmax - $box.XMIN", "4"), ("$box.height", "2"), ("$area.extent.xmax", "3"),
      ("$area.type", "\"polygon\""), ("$box.zmin", "null"), ("$area.spatialReference", "null"),
    ] {
      #expect(try ArcadeTesting.shown(program, globals) == value, "\(program)")
    }
    #expect(
      ArcadeTesting.failure("$line.path", globals)
        == "line 1, column 6: a polyline has no member path; did you mean paths?")
  }
}
