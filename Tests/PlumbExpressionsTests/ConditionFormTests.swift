import PlumbCore
import Testing

@testable import PlumbExpressions

/// CASE, the forms of TRIM, and functions of numbers; the expected values were calculated by hand.
@Suite struct ConditionFormTests {
  private static func isTrue(_ text: String) throws -> Bool {
    try ConditionGrammarTests.isTrue(text)
  }

  /// The row has NAME 'San José', POP 7, AREA 2.5, OPEN true, NOTE NULL.
  static let cases: [(String, Bool)] = [
    ("CASE WHEN POP > 5 THEN 'large' ELSE 'small' END = 'large'", true),
    ("CASE WHEN POP > 9 THEN 'large' ELSE 'small' END = 'small'", true),
    ("CASE WHEN POP > 9 THEN 1 END IS NULL", true),
    (
      "CASE WHEN POP > 9 THEN 1 WHEN POP > 8 THEN 2 WHEN POP > 6 THEN 3 WHEN TRUE THEN 4 END = 3",
      true
    ),
    ("case POP when 6 then 'a' when 7 then 'b' end = 'b'", true),
    ("CASE POP WHEN '7' THEN TRUE END", true), ("CASE '7' WHEN POP THEN TRUE END", true),
    ("CASE '8' WHEN POP THEN TRUE ELSE FALSE END", false),
    ("CASE NAME WHEN 'x' THEN 1 ELSE 2 END = 2", true),
    ("CASE BUILT WHEN TIMESTAMP '2020-05-31 12:30:00' THEN 1 END = 1", true),
    // Unknown is not true, and NULL equals nothing.
    ("CASE WHEN NOTE = 'a' THEN 1 WHEN NOT NOTE = 'a' THEN 2 ELSE 3 END = 3", true),
    ("CASE NOTE WHEN NULL THEN 1 ELSE 2 END = 2", true),
    ("CASE NULL WHEN NULL THEN 1 ELSE 2 END = 2", true),
    ("CASE POP WHEN NULL THEN 1 WHEN 7 THEN 2 END = 2", true),
    ("CASE WHEN TRUE THEN NULL ELSE 1 END IS NULL", true),
    ("CASE WHEN TRUE THEN NULL END IS NULL", true),
    ("NOT CASE WHEN FALSE THEN TRUE END", false),
    // Only the branch that applies is evaluated; a division by zero is NULL in any case.
    ("CASE WHEN POP = 7 THEN 1 ELSE POP / 0 END = 1", true),
    ("CASE WHEN OPEN THEN POP > 1 ELSE FALSE END", true),
    ("CASE WHEN CASE WHEN OPEN THEN FALSE ELSE TRUE END THEN 1 ELSE 2 END = 2", true),
    ("CASE (CASE POP WHEN 7 THEN 1 END) WHEN 1 THEN 'a' END = 'a'", true),
    ("CASE CASE POP WHEN 7 THEN 1 END WHEN 1 THEN 'a' END = 'a'", true),
    ("CASE (-1) WHEN -1 THEN 1 END + 1 = 2", true), ("CASE -POP WHEN -7 THEN TRUE END", true),
    ("CASE NOT OPEN WHEN FALSE THEN TRUE END", true),
    ("CASE POP + 1 WHEN 8 THEN 'a' ELSE 'b' END || 'c' = 'ac'", true),
    ("-CASE WHEN TRUE THEN 7 END = -POP", true),
    ("CASE WHEN TRUE THEN 1 ELSE 2.5 END BETWEEN 0 AND 1", true),
    ("CASE WHEN OPEN THEN 'x' ELSE NAME END IN ('a','b','c','d','e','x')", true),
    ("CASE WHEN \"and\" = 3 THEN DATE '2020-01-01' END < DATE '2020-01-02'", true),
    ("COALESCE(CASE WHEN FALSE THEN 'a' END, NAME) LIKE 'San%'", true),
  ]

  static let trims: [(String, Bool)] = [
    ("TRIM(LEADING FROM '  a ') = 'a '", true), ("TRIM(TRAILING FROM '  a ') = '  a'", true),
    ("TRIM(BOTH FROM '  a ') = 'a'", true), ("TRIM(LEADING '0' FROM '00700') = '700'", true),
    ("TRIM(TRAILING '0' FROM '00700') = '007'", true), ("trim(both '0' from '00700') = '7'", true),
    ("TRIM('0' FROM '00700') = '7'", true), ("TRIM('00700', '0') = '7'", true),
    ("LTRIM('xyxa', 'xy') = 'a'", true), ("RTRIM('axyx', 'yx') = 'a'", true),
    ("TRIM(BOTH '🙂é' FROM '🙂éa🙂') = 'a'", true), ("TRIM('' FROM ' a ') = ' a '", true),
    ("TRIM('a' FROM 'aaa') = ''", true), ("TRIM(LEADING '0' FROM '') = ''", true),
    ("TRIM(BOTH NULL FROM 'a') IS NULL", true), ("TRIM(LEADING '0' FROM NOTE) IS NULL", true),
    ("TRIM(LEADING 'S' FROM NAME) = 'an José'", true),
    ("TRIM(LEADING UPPER('s') || 'a' FROM NAME) = 'n José'", true),
    ("TRIM(LEADING ('S') FROM NAME) = 'an José'", true),
  ]

  static let numbers: [(String, Bool)] = [
    ("SIGN(-2.5) = -1", true), ("SIGN(0) = 0", true), ("SIGN(POP) = 1", true),
    ("SIGN(-0.0) = 0", true), ("SIGN(NULL) IS NULL", true),
    ("LOG(1) = 0", true), ("ABS(LOG(10) - 2.302585092994046) < 1e-15", true),
    ("LN(10) = LOG(10)", true), ("LOG10(1000) = 3", true), ("LOG10(0) IS NULL", true),
    ("LOG(-1) IS NULL", true), ("LOG(0) IS NULL", true), ("LOG(NULL) IS NULL", true),
    ("EXP(0) = 1", true), ("ABS(EXP(1) - 2.718281828459045) < 1e-15", true),
    ("EXP(-1e9) = 0", true), ("EXP(1e9) > 1e308", true),
    ("TRUNCATE(2.789, 1) = 2.7", true), ("TRUNCATE(-2.789, 1) = -2.7", true),
    ("TRUNCATE(2.789) = 2", true), ("TRUNC(-2.9, 0) = -2", true), ("TRUNCATE(POP, 5) = 7", true),
    ("TRUNCATE(0.29, 2) = 0.29", true), ("TRUNCATE(0.57, 2) = 0.57", true),
    ("TRUNCATE(1.005, 2) = 1", true), ("TRUNCATE(1259, -2) = 1200", true),
    ("TRUNCATE(-1259.9, -1) = -1250", true), ("TRUNCATE(1259, -19) = 0", true),
    ("TRUNCATE(BIG, -18) = 9000000000000000000", true), ("TRUNCATE(BIG, 300) = BIG", true),
    ("TRUNCATE(1.5, 400) = 1.5", true), ("TRUNCATE(1.5, -400) = 0", true),
    ("TRUNCATE(1e300, 2) = 1e300", true), ("TRUNCATE(1.5, NULL) IS NULL", true),
    ("CAST('12.345' AS DECIMAL(5, 2)) = 12.35", true), ("CAST(1234 AS NUMERIC(3)) IS NULL", true),
    ("CAST(999.5 AS DECIMAL(3)) IS NULL", true), ("CAST(2.5 AS DECIMAL(3)) = 3", true),
    ("CAST(BIG AS DECIMAL) = BIG", true), ("CAST('x' AS DECIMAL(5)) IS NULL", true),
    ("CAST(7.9 AS SMALLINT) = 7", true),
  ]

  static let all = Array([cases, trims, numbers].joined())

  @Test("A condition is true or false for the row", arguments: all)
  func table(_ text: String, _ expected: Bool) throws {
    #expect(try Self.isTrue(text) == expected)
  }

  @Test("A condition is printed as the same condition")
  func description() throws {
    for (text, _) in Self.all {
      let condition = try Condition(text)
      let again = try Condition(condition.description)
      #expect(again == condition, "\(text) is written \(condition.description)")
      #expect(again.description == condition.description)
    }
    #expect(
      try Condition("case when a then b else -1 end=trim(leading '0' from c)").description
        == "CASE WHEN a THEN b ELSE -1 END = LTRIM(c, '0')")
  }

  @Test("CASE a WHEN b THEN c ELSE d END = EXTRACT(DAY FROM e) AND TRIM(BOTH f FROM g) = 'x'")
  func fieldNames() throws {
    let condition = try Condition(
      "CASE a WHEN b THEN c ELSE d END = EXTRACT(DAY FROM e) AND TRIM(BOTH f FROM g) = 'x'")
    #expect(condition.fieldNames == ["a", "b", "c", "d", "e", "g", "f"])
  }
}
