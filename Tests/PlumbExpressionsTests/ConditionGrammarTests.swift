import PlumbCore
import Testing

@testable import PlumbExpressions

/// The meaning of each form of a condition, row by row.
@Suite struct ConditionGrammarTests {
  static let fields = [
    Field(name: "NAME", kind: .text), Field(name: "POP", kind: .integer),
    Field(name: "AREA", kind: .real), Field(name: "OPEN", kind: .boolean),
    Field(name: "BUILT", kind: .text), Field(name: "NOTE", kind: .text),
    Field(name: "BIG", kind: .integer), Field(name: "town.Straße", kind: .text),
    Field(name: "and", kind: .integer),
  ]
  static let row: [FieldValue] = [
    .text("San José"), .integer(7), .real(2.5), .boolean(true), .text("2020-05-31T12:30:00Z"),
    .null, .integer(.max), .text("Süd"), .integer(3),
  ]

  static func isTrue(_ text: String, _ row: [FieldValue] = row) throws -> Bool {
    try Condition(text).bound(to: fields).isTrue(row)
  }

  static let comparisons: [(String, Bool)] = [
    ("1=1", true), ("1 = 2", false), ("POP = 7", true), ("POP <> 7", false), ("POP != 8", true),
    ("POP < 8", true), ("POP <= 7", true), ("POP > 7", false), ("POP >= 7", true),
    ("pop = 7", true), ("\"POP\" = 7", true), ("[POP] = 7", true), ("\"and\" = 3", true),
    ("[and] = 3", true), ("town.Straße = 'Süd'", true), ("TOWN.STRAßE = 'Süd'", true),
    ("\"town\".\"Straße\" = 'Süd'", true), ("[town].Straße = 'Süd'", true),
    ("NAME = 'San José'", true), ("NAME = N'San José'", true), ("NAME = 'san josé'", false),
    ("NAME = 'San Jose\u{301}'", false), ("NAME > 'San'", true), ("NAME < 'san'", true),
    ("'it''s' = 'it''s'", true), ("'' = ''", true), ("'' = ' '", false),
    ("AREA = 2.5", true), ("AREA = 25e-1", true), ("AREA > .5", true), ("AREA < 3.", true),
    ("OPEN", true), ("NOT OPEN", false), ("OPEN = TRUE", true), ("OPEN = 1", true),
    ("OPEN = 0", false), ("OPEN <> false", true), ("OPEN = 'True'", true), ("OPEN = 2", false),
    ("POP = '7'", true), ("POP = ' 7.0 '", true), ("'6' < POP", true),
    ("POP IN (1, 7)", true), ("POP NOT IN (1, 7)", false), ("POP IN ('1', '7')", true),
    ("POP IN (1,2,3,4,5,6,7.0)", true), ("NAME IN ('a','b','c','d','e','San José')", true),
    ("NAME IN ('a','b','c','d','e','San Jose\u{301}')", false),
    ("POP BETWEEN 7 AND 7", true), ("POP BETWEEN 8 AND 6", false),
    ("POP NOT BETWEEN 8 AND 6", true), ("POP BETWEEN '1' AND '9'", true),
    ("POP BETWEEN 1 AND 9 AND AREA BETWEEN 2 AND 3", true), ("'8' BETWEEN POP AND 9", true),
    ("(POP = 7) = (AREA = 2.5)", true), ("pOp = 7 aNd nOt pop iS nUlL", true),
    ("POP\u{A0}=\t7\n", true),
  ]

  static let likes: [(String, Bool)] = [
    ("NAME LIKE 'San%'", true), ("NAME LIKE 'san%'", false), ("NAME ILIKE 'SAN JOSÉ'", true),
    ("NAME NOT ILIKE 'sAn%'", false), ("NAME NOT LIKE 'san%'", true), ("NAME LIKE '%'", true),
    ("NAME LIKE ''", false), ("'' LIKE ''", true), ("'' LIKE '%%'", true), ("'' LIKE '_'", false),
    ("NAME LIKE 'San Jos_'", true), ("NAME LIKE 'San Jos__'", false),
    ("NAME LIKE '________'", true),
    ("NAME LIKE '%n%s%'", true), ("NAME LIKE '%é'", true), ("NAME LIKE 'San'", false),
    ("'50%' LIKE '50!%' ESCAPE '!'", true), ("'505' LIKE '50!%' ESCAPE '!'", false),
    ("'a!' LIKE 'a!!' ESCAPE '!'", true), ("'a\\' LIKE '_\\'", true),
    ("'abcabd' LIKE '%abd'", true), ("'🙂x' LIKE '_x'", true), ("NAME LIKE NAME", true),
    ("NAME LIKE NAME || '_'", false), ("NAME LIKE NOTE", false), ("NOTE LIKE '%'", false),
    ("NOTE NOT LIKE '%'", false), ("'aaaa' LIKE '%a%a%'", true), ("'a.b' LIKE 'a_b'", true),
  ]

  static let arithmetic: [(String, Bool)] = [
    ("1 + 2 * 3 = 7", true), ("(1 + 2) * 3 = 9", true), ("10 - 4 - 3 = 3", true),
    ("7 / 2 = 3", true), ("-7 / 2 = -3", true), ("7 / 2.0 = 3.5", true), ("-7 % 3 = -1", true),
    ("7.5 % 2 = 1.5", true), ("24 / 4 / 2 = 3", true), ("2 * 7 / 4 = 3", true),
    ("POP / 0 IS NULL", true), ("POP / 0.0 IS NULL", true), ("POP % 0 IS NULL", true),
    ("-POP = -7", true), ("- -7 = 7", true), ("-(-7) = 7", true), ("+7 = POP", true),
    ("BIG + 1 = 9223372036854775808", true), ("BIG + 1 > BIG", true),
    ("BIG = 9223372036854775807", true), ("BIG = 9223372036854775807.0", false),
    ("BIG < 9223372036854775808", true), ("BIG > 9.2e18", true), ("BIG <> 9.3e18", true),
    ("-9223372036854775808 < -BIG", true), ("-9223372036854775808 / -1 > BIG", true),
    ("-9223372036854775808 % -1 = 0", true), ("ABS(-9223372036854775808) > BIG", true),
    ("-(-9223372036854775808) > BIG", true), ("9007199254740993 = 9007199254740992.0", false),
    ("9007199254740993 > 9007199254740992.0", true), ("0.1 + 0.2 = 0.3", false),
    ("1e308 * 10 > 1e308", true), ("1e308 * 10 - 1e308 * 10 IS NULL", true),
    ("BIG * BIG > 8e37", true), ("NOTE || 'a' IS NULL", true),
    ("NAME || '!' = 'San José!'", true), ("'a' || 1 + 2 = 'a3'", true),
    ("'a' || 'b' || 'c' = 'abc'", true),
  ]

  static let logic: [(String, Bool)] = [
    ("NOTE IS NULL", true), ("NOTE IS NOT NULL", false), ("NOTE = NULL", false),
    ("NULL", false), ("NOT NULL", false), ("NULL IS NULL", true), ("NOTE = 'a'", false),
    ("NOTE <> 'a'", false), ("NOT NOTE = 'a'", false), ("NOTE = 'a' OR POP = 7", true),
    ("NOTE = 'a' AND POP = 8", false), ("NOT (NOTE = 'a' AND POP = 8)", true),
    ("NOT (NOTE = 'a' AND POP = 7)", false), ("(NOTE = 'a') IS NULL", true),
    ("POP IN (1, NULL)", false), ("POP NOT IN (1, NULL)", false), ("POP IN (7, NULL)", true),
    ("POP IN (1,2,3,4,5,NULL)", false), ("POP NOT IN (1,2,3,4,5,NULL)", false),
    ("POP IN (1,2,3,4,7,NULL)", true), ("NOT (POP IN (7, NULL))", false),
    ("POP BETWEEN 8 AND NULL", false), ("NOT POP BETWEEN 8 AND NULL", true),
    ("NOT POP BETWEEN 1 AND NULL", false), ("TRUE OR FALSE AND FALSE", true),
    ("(TRUE OR FALSE) AND FALSE", false), ("NOT FALSE AND FALSE", false),
    ("NOT (FALSE AND FALSE)", true), ("NOT NOT TRUE", true), ("NOT POP = 8 OR FALSE", true),
  ]

  static let functions: [(String, Bool)] = [
    ("UPPER(NAME) = 'SAN JOSÉ'", true), ("lower(NAME) = 'san josé'", true),
    ("UPPER('straße') = 'STRASSE'", true), ("LOWER('ÀΣ@[`{') = 'àσ@[`{'", true),
    ("TRIM('  a ') = 'a'", true), ("LTRIM(' a ') = 'a '", true), ("RTRIM(' a ') = ' a'", true),
    ("TRIM('   ') = ''", true), ("SUBSTRING('abcdef', 2, 3) = 'bcd'", true),
    ("SUBSTR('abcdef', 2) = 'bcdef'", true), ("SUBSTRING('abcdef' FROM 2 FOR 3) = 'bcd'", true),
    ("SUBSTRING('abcdef' from 5) = 'ef'", true), ("SUBSTRING('abc', 0, 2) = 'a'", true),
    ("SUBSTRING('abc', -5, 2) = ''", true), ("SUBSTRING('abc', 2, -1) IS NULL", true),
    ("SUBSTRING('abc', 9223372036854775807, 9223372036854775807) = ''", true),
    ("SUBSTRING('abc', -9223372036854775808, 9223372036854775807) = ''", true),
    ("SUBSTRING('abc', 1e300, 1) = ''", true), ("SUBSTRING('abc', -1e300) = 'abc'", true),
    ("SUBSTRING('🙂éx', 2, 1) = 'é'", true), ("CHAR_LENGTH(NAME) = 8", true),
    ("LENGTH('🙂') = 1", true), ("LENGTH('') = 0", true),
    ("CONCAT('a', NULL, 1, TRUE) = 'a1true'", true),
    ("POSITION('J' IN NAME) = 5", true), ("POSITION('x' IN NAME) = 0", true),
    ("POSITION('' IN NAME) = 1", true), ("POSITION('x' IN 'é🙂x') = 3", true),
    ("REPLACE('aXbX', 'X', '--') = 'a--b--'", true), ("REPLACE('aaa', 'aa', 'b') = 'ba'", true),
    ("REPLACE('a', '', 'b') = 'a'", true), ("REPLACE(NOTE, 'a', 'b') IS NULL", true),
    ("ABS(-2.5) = AREA", true), ("ABS(-7) = POP", true), ("ROUND(2.5) = 3", true),
    ("ROUND(-2.5) = -3", true), ("ROUND(2.345, 1) = 2.3", true), ("ROUND(1250, -2) = 1300", true),
    ("ROUND(-1249, -2) = -1200", true), ("ROUND(1.5, 400) = 1.5", true),
    ("ROUND(1.5, -400) = 0", true), ("ROUND(BIG, -400) = 0", true),
    ("ROUND(BIG, -19) = 1e19", true), ("ROUND(BIG, -18) = 9000000000000000000", true),
    ("ROUND(BIG, -1) = 9223372036854775810", true), ("ROUND(BIG, 400) = BIG", true),
    ("FLOOR(-2.5) = -3", true), ("CEILING(-2.5) = -2", true), ("CEIL(2.1) = 3", true),
    ("FLOOR(BIG) = BIG", true), ("MOD(7, 3) = 1", true),
    ("MOD(-9223372036854775808, -1) = 0", true),
    ("MOD(7, 0) IS NULL", true), ("SQRT(6.25) = AREA", true), ("SQRT(-1) IS NULL", true),
    ("POWER(2, 10) = 1024", true), ("POWER(-1, 0.5) IS NULL", true),
    ("CAST('12' AS INTEGER) = 12", true), ("CAST('x' AS INTEGER) IS NULL", true),
    ("CAST(-2.9 AS INT) = -2", true), ("CAST(1e300 AS INTEGER) IS NULL", true),
    ("CAST('0x10' AS FLOAT) IS NULL", true), ("CAST('inf' AS FLOAT) IS NULL", true),
    ("CAST('1e1' AS DOUBLE PRECISION) = 10", true), ("CAST(POP AS VARCHAR) = '7'", true),
    ("CAST(NAME AS VARCHAR(3)) = 'San'", true), ("CAST(AREA AS VARCHAR(10)) = '2.5'", true),
    ("CAST(OPEN AS INTEGER) = 1", true), ("COALESCE(NOTE, 'x') = 'x'", true),
    ("COALESCE(NULL, NULL) IS NULL", true), ("COALESCE(POP, '5') = 7", true),
    ("NULLIF(POP, 7) IS NULL", true), ("NULLIF(POP, 8) = 7", true),
  ]

  static let dates: [(String, Bool)] = [
    ("BUILT > DATE '2020-05-31'", true), ("BUILT < DATE '2020-06-01'", true),
    ("BUILT = TIMESTAMP '2020-05-31 12:30:00'", true),
    ("BUILT = TIMESTAMP '2020-05-31 14:30:00+02:00'", true),
    ("BUILT = timestamp '2020-05-31T12:30'", true),
    ("BUILT < TIMESTAMP '2020-05-31 12:30:00.001'", true),
    ("BUILT BETWEEN DATE '2020-01-01' AND DATE '2020-12-31'", true),
    ("BUILT IN (DATE '2020-01-01', TIMESTAMP '2020-05-31 12:30:00')", true),
    ("NAME < DATE '2020-01-01'", false), ("NOT NAME < DATE '2020-01-01'", false),
    ("DATE '2020-01-01' = '2020-01-01'", true), ("DATE '0000-02-29' < DATE '0000-03-01'", true),
    ("DATE '2000-02-29' > DATE '2000-02-28'", true), ("NOTE = DATE '2020-01-01'", false),
    ("DATE '1969-12-31' < TIMESTAMP '1970-01-01 00:00:00'", true),
  ]

  static let all: [(String, Bool)] =
    Array([comparisons, likes, arithmetic, logic, functions, dates].joined())

  @Test(
    "A condition is true or false for the row",
    arguments: all)
  func table(_ text: String, _ expected: Bool) throws {
    #expect(try Self.isTrue(text) == expected)
  }

  @Test("A printed condition is the same condition")
  func description() throws {
    for (text, _) in Self.all {
      let condition = try Condition(text)
      let again = try Condition(condition.description)
      #expect(again == condition, "\(text) is written \(condition.description)")
      #expect(again.description == condition.description)
    }
    #expect(try Condition("[POP]=7 and((1))=1").description == "POP = 7 AND 1 = 1")
  }

  @Test("An attribute of another kind than its field is converted, or is NULL")
  func attributesOfAnotherKind() throws {
    func check(_ kind: FieldKind, _ value: FieldValue, _ text: String) throws {
      let bound = try Condition(text).bound(to: [Field(name: "x", kind: kind)])
      #expect(bound.isTrue([value]), "\(value) as \(kind): \(text)")
    }
    try check(.text, .integer(5), "x = '5'")
    try check(.text, .real(5), "x = '5.0'")
    try check(.text, .boolean(true), "x = 'true'")
    try check(.text, .json("[1,2]"), "x LIKE '[1%'")
    try check(.integer, .json("123456789012345678901234567890"), "x > 1e29 AND x < 2e29")
    try check(.integer, .json("[1]"), "x IS NULL")
    try check(.integer, .text("12"), "x = 12")
    try check(.integer, .text("a"), "x IS NULL")
    try check(.integer, .real(2.5), "x > 2")
    try check(.real, .integer(.max), "x = 9223372036854775807")
    try check(.real, .real(.nan), "x IS NULL AND NOT (x = 1 OR x <> 1 OR x = x) IS NOT NULL")
    try check(.real, .real(.infinity), "x > 1e308")
    try check(.real, .boolean(true), "x = 1")
    try check(.boolean, .integer(1), "x")
    try check(.boolean, .integer(2), "x IS NULL")
    try check(.boolean, .text("FALSE"), "NOT x")
    // A row with too few values.
    #expect(try Condition("x IS NULL").bound(to: [Field(name: "x", kind: .text)]).isTrue([]))
  }

  @Test("Field names are in order of first use, as written")
  func fieldNames() throws {
    let condition = try Condition("b > 1 AND [a b] = \"B\" OR UPPER(a.c) = 'x' AND b < DATE")
    #expect(condition.fieldNames == ["b", "a b", "B", "a.c", "DATE"])
    #expect(try Condition("1=1").fieldNames.isEmpty)
  }

  @Test("A name is matched exactly, then ignoring case")
  func nameMatching() throws {
    let fields = [
      Field(name: "Pop", kind: .integer), Field(name: "POP", kind: .integer),
      Field(name: "x", kind: .integer), Field(name: "x", kind: .integer),
    ]
    #expect(try Condition("POP = 2").bound(to: fields).isTrue([.integer(1), .integer(2)]))
    #expect(try Condition("Pop = 1").bound(to: fields).isTrue([.integer(1), .integer(2)]))
    #expect(
      throws: ExpressionError("column 1: pop may be any of Pop, POP: use the field's exact name")
    ) {
      try Condition("pop = 1").bound(to: fields)
    }
    #expect(throws: ExpressionError("column 1: 2 fields have the name x")) {
      try Condition("x = 1").bound(to: fields)
    }
  }
}
