import PlumbCore
import Testing

@testable import PlumbExpressions

/// Intervals, parts of dates, the clock, and CAST to and from dates; the expected values were
/// calculated by hand.
@Suite struct ConditionTimeTests {
  private static let fields = [
    Field(name: "seen", kind: .text), Field(name: "days", kind: .integer),
    Field(name: "none", kind: .text), Field(name: "word", kind: .text),
  ]
  private static let row: [FieldValue] = [
    .text("2024-02-29T22:30:15.25Z"), .integer(3), .null, .text("soon"),
  ]
  /// 2026-05-31T12:34:56.789012Z.
  private static let now: Int64 = 1_780_230_896_789_012

  private static func isTrue(_ text: String) throws -> Bool {
    try Condition(text).bound(to: fields).isTrue(row, at: now)
  }

  static let intervals: [(String, Bool)] = [
    ("seen + INTERVAL '1' DAY = TIMESTAMP '2024-03-01 22:30:15.25'", true),
    ("seen - INTERVAL '1' YEAR = TIMESTAMP '2023-02-28 22:30:15.25'", true),
    ("INTERVAL '2' HOUR + seen > DATE '2024-03-01'", true),
    ("seen + interval '1' hour > DATE '2024-03-01'", false),
    ("DATE '2024-01-31' + INTERVAL '1' MONTH = DATE '2024-02-29'", true),
    ("DATE '2024-03-31' - INTERVAL '1' MONTH = DATE '2024-02-29'", true),
    ("DATE '2024-01-31' + INTERVAL '1-1' YEAR TO MONTH = DATE '2025-02-28'", true),
    ("DATE '2024-01-01' + INTERVAL '-1' MONTH = DATE '2023-12-01'", true),
    (
      "DATE '2024-01-01' + INTERVAL '1 02:03:04.5' DAY TO SECOND = TIMESTAMP '2024-01-02 02:03:04.5'",
      true
    ),
    ("DATE '2024-01-01' + INTERVAL '26:05' HOUR TO MINUTE = TIMESTAMP '2024-01-02 02:05'", true),
    ("DATE '2024-01-01' + INTERVAL '90' SECOND = TIMESTAMP '2024-01-01 00:01:30'", true),
    ("DATE '2024-01-01' + INTERVAL '0.5' SECOND = TIMESTAMP '2024-01-01 00:00:00.5'", true),
    ("DATE '2024-01-01' + INTERVAL '1' DAY * days = DATE '2024-01-04'", true),
    ("DATE '2024-01-01' + days * INTERVAL '2' MONTH = DATE '2024-07-01'", true),
    ("DATE '2024-01-01' + INTERVAL '3' DAY / days = DATE '2024-01-02'", true),
    ("DATE '2024-01-01' + INTERVAL '3' DAY / 0 IS NULL", true),
    ("DATE '2024-03-01' - DATE '2024-02-28' = INTERVAL '2' DAY", true),
    ("DATE '2024-03-01' - seen < INTERVAL '2' HOUR", true),
    ("seen - DATE '2024-02-29' > INTERVAL '22:30' HOUR TO MINUTE", true),
    ("-INTERVAL '1' DAY = INTERVAL '-24' HOUR", true),
    ("INTERVAL '1' YEAR = INTERVAL '12' MONTH", true),
    ("INTERVAL '1' DAY + INTERVAL '1' HOUR = INTERVAL '25' HOUR", true),
    ("INTERVAL '5' DAY IN (INTERVAL '4' DAY, INTERVAL '120' HOUR)", true),
    ("INTERVAL '5' DAY BETWEEN INTERVAL '4' DAY AND INTERVAL '6' DAY", true),
    // If the string is not a date, or is NULL, the sum is NULL.
    ("word + INTERVAL '1' DAY IS NULL", true), ("none + INTERVAL '1' DAY IS NULL", true),
    ("none + INTERVAL '1' DAY < CURRENT_DATE", false),
    ("NOT none + INTERVAL '1' DAY < CURRENT_DATE", false),
    ("seen + INTERVAL '1' DAY * NULL IS NULL", true), ("NULL + INTERVAL '1' DAY IS NULL", true),
    // The end of the calendar.
    ("DATE '9999-12-31' + INTERVAL '1' DAY IS NULL", true),
    ("DATE '0000-01-01' - INTERVAL '1' SECOND IS NULL", true),
    ("DATE '2024-01-01' + INTERVAL '999999999999999' MONTH IS NULL", true),
    ("DATE '2024-01-01' + INTERVAL '100000000' DAY IS NULL", true),
    ("INTERVAL '100000000' DAY * 1e9 IS NULL", true),
    ("DATE '9999-12-31' - DATE '0000-01-01' = INTERVAL '3652424' DAY", true),
  ]

  static let parts: [(String, Bool)] = [
    ("EXTRACT(YEAR FROM seen) = 2024", true), ("extract(quarter from seen) = 1", true),
    ("EXTRACT(MONTH FROM seen) = 2", true), ("EXTRACT(DAY FROM seen) = 29", true),
    ("EXTRACT(WEEK FROM seen) = 9", true), ("EXTRACT(WEEK FROM DATE '2021-01-01') = 53", true),
    ("EXTRACT(QUARTER FROM DATE '2024-12-31') = 4", true),
    ("EXTRACT(QUARTER FROM DATE '2024-09-30') = 3", true),
    ("EXTRACT(HOUR FROM seen) = 22", true), ("EXTRACT(MINUTE FROM seen) = 30", true),
    ("EXTRACT(SECOND FROM seen) = 15.25", true),
    ("EXTRACT(HOUR FROM TIMESTAMP '1969-12-31 23:59:58') = 23", true),
    ("EXTRACT(SECOND FROM TIMESTAMP '1969-12-31 23:59:58') = 58", true),
    ("EXTRACT(YEAR FROM TIMESTAMP '0000-12-31 23:59:58') = 0", true),
    ("EXTRACT(HOUR FROM TIMESTAMP '2024-05-31 20:00:00-08:00') = 4", true),
    ("EXTRACT(DAY FROM '2024-05-31') = 31", true),
    ("EXTRACT(YEAR FROM none) IS NULL", true), ("EXTRACT(YEAR FROM word) IS NULL", true),
    ("EXTRACT(YEAR FROM NULL) IS NULL", true),
    ("EXTRACT(DAY FROM DATE '2024-03-01' - DATE '2023-03-01') = 366", true),
    ("EXTRACT(HOUR FROM INTERVAL '1 02:03' DAY TO MINUTE) = 2", true),
    ("EXTRACT(MONTH FROM INTERVAL '1-7' YEAR TO MONTH) = 7", true),
    ("EXTRACT(YEAR FROM INTERVAL '19' MONTH) = 1", true),
    ("EXTRACT(YEAR FROM INTERVAL '1' DAY) IS NULL", true),
    ("EXTRACT(DAY FROM seen + INTERVAL '1' DAY) = 1", true),
  ]

  static let clock: [(String, Bool)] = [
    ("CURRENT_DATE = DATE '2026-05-31'", true), ("current_date() = DATE '2026-05-31'", true),
    ("CURRENT_TIMESTAMP = TIMESTAMP '2026-05-31 12:34:56.789012'", true),
    ("CURRENT_TIMESTAMP = CURRENT_TIMESTAMP", true), ("CURRENT_TIME = '12:34:56'", true),
    ("CURRENT_TIME BETWEEN '12:00:00' AND '13:00:00'", true),
    ("CURRENT_DATE < CURRENT_TIMESTAMP", true),
    ("seen < CURRENT_DATE - INTERVAL '2' YEAR", true),
    ("seen < CURRENT_DATE - INTERVAL '3' YEAR", false),
    ("EXTRACT(MONTH FROM CURRENT_DATE) = 5", true), ("days = 3 AND CURRENT_DATE > seen", true),
  ]

  static let casts: [(String, Bool)] = [
    ("CAST(seen AS DATE) = DATE '2024-02-29'", true),
    ("CAST(seen AS TIMESTAMP) - CAST(seen AS DATE) > INTERVAL '22' HOUR", true),
    ("CAST(word AS DATE) IS NULL", true), ("CAST(none AS TIMESTAMP) IS NULL", true),
    ("CAST(CURRENT_TIMESTAMP AS DATE) = CURRENT_DATE", true),
    ("CAST(DATE '2024-02-29' AS VARCHAR) = '2024-02-29'", true),
    ("CAST(CURRENT_DATE AS VARCHAR(7)) = '2026-05'", true),
    ("CAST(CURRENT_TIMESTAMP AS VARCHAR) = '2026-05-31 12:34:56.789012'", true),
    ("CAST(TIMESTAMP '2024-02-29' AS VARCHAR) = '2024-02-29 00:00:00'", true),
    ("CAST(CAST(seen AS TIMESTAMP) AS VARCHAR) = '2024-02-29 22:30:15.25'", true),
    ("CAST(CAST(seen AS DATE) AS CHAR) = '2024-02-29'", true),
    ("CAST(NULL AS DATE) IS NULL", true),
  ]

  static let all = Array([intervals, parts, clock, casts].joined())

  @Test("A condition on dates is true or false for the row", arguments: all)
  func table(_ text: String, _ expected: Bool) throws {
    #expect(try Self.isTrue(text) == expected)
  }

  @Test("A condition on dates is printed as the same condition")
  func description() throws {
    for (text, _) in Self.all {
      let condition = try Condition(text)
      #expect(try Condition(condition.description) == condition, "\(condition.description)")
    }
    #expect(
      try Condition("seen>interval '1-2' year to month and current_date()=extract( day from x )")
        .description
        == "seen > INTERVAL '1-2' YEAR TO MONTH AND CURRENT_DATE = EXTRACT(DAY FROM x)")
  }

  @Test("Without a given time the clock is the system's; it comes after the categories")
  func systemClock() throws {
    let recent =
      "CURRENT_TIMESTAMP > TIMESTAMP '2024-01-01 00:00:00' AND CURRENT_DATE < DATE '2100-01-01'"
    #expect(try Condition(recent).bound(to: Self.fields).isTrue(Self.row))
    #expect(try Condition(recent).bound(to: []).isTrue([]))
    let names = (0..<70).map { "c\($0)" }
    let bound = try Condition("CATEGORY('c69') AND CURRENT_DATE > DATE '2024-01-01'")
      .bound(to: [], categories: names)
    #expect(bound.isTrue([.integer(0), .integer(1 << 6)]))
    #expect(!bound.isTrue([.integer(-1), .integer(0)]))
  }

  @Test(
    "Fields with names of clocks or keywords are written and printed in double quotes")
  func fieldsOfTheseNames() throws {
    for name in ["CURRENT_DATE", "case", "When", "END", "leading", "from"] {
      let condition = try Condition("\"\(name)\" = 1")
      #expect(condition.fieldNames == [name])
      #expect(condition.description == "\"\(name)\" = 1")
    }
    // No quotes if the name is unambiguous.
    for text in [
      "case = 1", "end > 1", "interval < 2", "case IS NULL", "CAST(case AS INTEGER) = 1",
      "extract = 1", "trim = 1", "leading = 1", "case + 1 = 2", "1 = case", "case NOT IN (1)",
    ] {
      let names = try Condition(text).fieldNames
      #expect(names.count == 1, "\(text)")
    }
    #expect(try Condition("CURRENT_DATE = \"CURRENT_DATE\"").fieldNames == ["CURRENT_DATE"])
  }
}
