import PlumbCore
import Testing

@testable import PlumbExpressions

/// The message and the column of invalid conditions.
@Suite struct ConditionErrorTests {
  @Test(
    "An invalid condition is reported with the error and its column",
    arguments: [
      ("", "the condition is empty"),
      (" \n\t ", "the condition is empty"),
      ("POP =", "column 6: expected a field, a value or (, but the condition ends"),
      ("POP = = 1", "column 7: expected a field, a value or ( instead of ="),
      ("POP == 1", "column 5: write = for =="),
      ("POP = 'a", "column 7: the text that starts here has no closing '"),
      ("\"POP = 1", "column 1: the name that starts here has no closing \""),
      ("[POP = 1", "column 1: the name that starts here has no closing ]"),
      ("é🙂 = 1", "column 2: \"🙂\" is unexpected here"),
      ("'é🇫🇷' = = 1", "column 8: expected a field, a value or ( instead of ="),
      ("POP = 1 2", "column 9: expected AND, OR or the end instead of 2"),
      ("POP = 1)", "column 8: expected AND, OR or the end instead of )"),
      ("(POP = 1", "column 9: expected ), but the condition ends"),
      ("POP = 1x", "column 8: the number is followed by other characters"),
      ("POP = 1.2.3", "column 10: the number is followed by other characters"),
      ("POP = 1e999", "column 7: the number is too large"),
      ("POP = .", "column 7: a dot must be followed by digits"),
      ("a. = 1", "column 3: a field's name is missing here"),
      ("\"\" = 1", "column 1: a field's name is missing here"),
      ("POP = 1 -- x", "column 9: comments are not supported; put a space between two minus signs"),
      ("POP = ‘a’", "column 7: ‘ is not a quote here: write text in '"),
      ("POP = 1; DROP", "column 8: \";\" is unexpected here"),
      ("POP\u{0} = 1", "column 4: \"\\u{0}\" is unexpected here"),
      ("1 < 2 < 3", "column 7: a comparison of a comparison needs parentheses"),
      ("1 + NOT TRUE", "column 5: NOT needs parentheses here"),
      ("POP IS 5", "column 8: expected NULL or NOT NULL instead of 5"),
      ("POP IN 5", "column 8: expected ( instead of 5"),
      ("POP IN ()", "column 9: expected a field, a value or ( instead of )"),
      ("POP IN (1 2)", "column 11: expected a comma or ) instead of 2"),
      ("POP BETWEEN 1 OR 2", "column 15: expected AND instead of OR"),
      (
        "a LIKE 'b' ESCAPE 'cc'",
        "column 19: expected one character in quotes instead of 'cc'"
      ),
      (
        "DATE '2020-02-30' < a",
        "column 6: '2020-02-30' is not a date: write YYYY-MM-DD or YYYY-MM-DD hh:mm:ss"
      ),
      ("ABS(1, 2) = 1", "column 1: ABS takes 1 value, not 2"),
      ("SUBSTRING('a') = 'a'", "column 1: SUBSTRING takes 2 or 3 values, not 1"),
      ("UPPER() = 'a'", "column 1: UPPER takes 1 value, not 0"),
      (
        "CAST(1 AS BLOB) = 1",
        "column 11: expected INTEGER, FLOAT, DECIMAL, VARCHAR, DATE or TIMESTAMP instead of BLOB"
      ),
      ("CAST(1 AS DECIMAL(0)) = 1", "column 19: expected a number from 1 to 38 instead of 0"),
      ("CAST(1 AS DECIMAL(3, 4)) = 1", "column 22: expected a number from 0 to 3 instead of 4"),
      ("CASE WHEN a END = 1", "column 13: expected THEN instead of END"),
      ("CASE WHEN a THEN 1", "column 19: expected WHEN, ELSE or END, but the condition ends"),
      ("CASE WHEN a THEN 1 ELSE 2 = 3", "column 30: expected END, but the condition ends"),
      ("CASE a THEN 1 END = 1", "column 8: expected WHEN instead of THEN"),
      ("CASE a = 1", "column 11: expected WHEN, but the condition ends"),
      (
        "a > INTERVAL '7'",
        "column 17: expected YEAR, MONTH, DAY, HOUR, MINUTE or SECOND, but the condition ends"
      ),
      (
        "a > INTERVAL '7' DAYS",
        "column 18: expected YEAR, MONTH, DAY, HOUR, MINUTE or SECOND instead of DAYS"
      ),
      ("a > INTERVAL 'x' DAY", "column 14: 'x' is not an interval of DAY"),
      (
        "a > INTERVAL '1-12' YEAR TO MONTH", "column 14: '1-12' is not an interval of YEAR TO MONTH"
      ),
      ("a > INTERVAL '1 24' DAY TO HOUR", "column 14: '1 24' is not an interval of DAY TO HOUR"),
      ("a > INTERVAL '9999999999999' DAY", "column 14: '9999999999999' is not an interval of DAY"),
      ("a > INTERVAL '1.5' DAY", "column 14: '1.5' is not an interval of DAY"),
      (
        "a > INTERVAL '1' MONTH TO DAY",
        "column 27: MONTH has no shorter unit"
      ),
      ("a > INTERVAL '1' HOUR TO DAY", "column 26: expected MINUTE or SECOND instead of DAY"),
      (
        "EXTRACT(EPOCH FROM a) = 1",
        "column 9: expected YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE, SECOND instead of EPOCH"
      ),
      ("EXTRACT(YEAR, a) = 1", "column 13: expected FROM instead of ,"),
      ("TRIM(LEADING 'a', b) = 1", "column 17: expected FROM instead of ,"),
      ("CURRENT_DATE(1) = a", "column 14: expected ) instead of 1"),
      ("TRUNCATE(1, 2, 3) = 1", "column 1: TRUNCATE takes 1 or 2 values, not 3"),
      ("POSITION('a', b) = 1", "column 13: expected IN instead of ,"),
    ])
  func text(_ text: String, _ message: String) {
    #expect(throws: ExpressionError(message)) { try Condition(text) }
  }

  @Test("The error of an unknown function lists the known ones")
  func unknownFunction() {
    #expect {
      try Condition("FOO(1) = 1")
    } throws: {
      "\($0)".hasPrefix(
        "column 1: there is no function FOO; available: CAST, EXTRACT, COALESCE, NULLIF, UPPER")
    }
  }

  @Test(
    "Mismatched types are reported when the condition is bound to the fields",
    arguments: [
      ("XY = 1", "column 1: there is no field XY; available: NAME, POP, OPEN"),
      (
        "NAME = 5",
        "column 8: the text field NAME cannot be compared with 5: write '5', or CAST(… AS FLOAT)"
      ),
      (
        "POP = NAME",
        "column 1: the text field NAME cannot be compared with the number field POP: CAST one of them"
      ),
      (
        "POP = 'many'", "column 7: 'many' is compared with the number field POP but is not a number"
      ),
      (
        "POP IN (1, 'x')",
        "column 12: 'x' is compared with the number field POP but is not a number"
      ),
      (
        "OPEN = 'maybe'",
        "column 8: 'maybe' is compared with the boolean field OPEN but is not a boolean"
      ),
      (
        "POP = DATE '2020-01-01'",
        "column 7: DATE '2020-01-01' cannot be compared with the number field POP"
      ),
      ("NAME = TRUE", "column 8: TRUE cannot be compared with the text field NAME"),
      ("POP", "column 1: the number field POP is not a condition: compare it with a value"),
      (
        "POP AND TRUE", "column 1: the number field POP is not a condition: compare it with a value"
      ),
      (
        "NAME + 'a' = 'b'",
        "column 1: + needs numbers, and the text field NAME is not one; use || to join text"
      ),
      ("-NAME = 1", "column 2: - needs numbers, and the text field NAME is not one"),
      (
        "POP LIKE '1%'",
        "column 1: LIKE requires text, and the number field POP is not text: CAST(… AS VARCHAR)"
      ),
      (
        "NAME LIKE 'a!b' ESCAPE '!'",
        "column 11: the escape character may only be followed by %, _ or itself"
      ),
      (
        "UPPER(POP) = 'A'",
        "column 7: UPPER needs a text, and the number field POP is not one: CAST(… AS VARCHAR)"
      ),
      (
        "COALESCE(POP, OPEN) = 1",
        "column 15: COALESCE needs values of one kind: the boolean field OPEN is not a number"
      ),
      (
        "DATE '2020-01-01' + 7 < CURRENT_DATE",
        "column 21: + does not take a date and 7; write days as INTERVAL '7' DAY"
      ),
      (
        "DATE '2020-01-01' + CURRENT_DATE < CURRENT_DATE",
        "column 21: + does not take a date and a date"
      ),
      (
        "INTERVAL '1' MONTH + INTERVAL '1' DAY = INTERVAL '1' DAY",
        "column 22: + does not take an interval of months and INTERVAL '1' DAY"
      ),
      (
        "INTERVAL '1' MONTH < INTERVAL '31' DAY",
        "column 22: INTERVAL '31' DAY cannot be compared with INTERVAL '1' MONTH"
      ),
      (
        "'soon' + INTERVAL '1' DAY > CURRENT_DATE",
        "column 1: 'soon' is used as a date but is not a date"
      ),
      (
        "EXTRACT(YEAR FROM POP) = 1",
        "column 19: EXTRACT needs a date, and the number field POP is not a date"
      ),
      (
        "CAST(CURRENT_DATE AS INTEGER) = 1",
        "column 6: a date cannot be CAST AS INTEGER: EXTRACT its parts"
      ),
      ("CAST(POP AS DATE) = CURRENT_DATE", "column 6: the number field POP cannot be CAST AS DATE"),
      (
        "CASE WHEN POP THEN 1 END = 1",
        "column 11: the number field POP is not a condition: compare it with a value"
      ),
      (
        "CASE WHEN TRUE THEN POP ELSE NAME END = 1",
        "column 21: the text field NAME cannot be compared with the number field POP: CAST one of them"
      ),
      (
        "CASE POP WHEN 'x' THEN 1 END = 1",
        "column 15: 'x' is compared with the number field POP but is not a number"
      ),
      ("CONCAT(CURRENT_DATE, 'a') = 'a'", "column 8: CONCAT does not take a date"),
      (
        "'2020-13-01' < DATE '2020-01-01'",
        "column 1: '2020-13-01' is compared with DATE '2020-01-01' but is not a date"
      ),
    ])
  func binding(_ text: String, _ message: String) throws {
    let condition = try Condition(text)
    let fields = [
      Field(name: "NAME", kind: .text), Field(name: "POP", kind: .integer),
      Field(name: "OPEN", kind: .boolean),
    ]
    #expect(throws: ExpressionError(message)) { try condition.bound(to: fields) }
  }

  @Test("The error of an unknown field lists the first ten fields")
  func manyFields() throws {
    let fields = (1...12).map { Field(name: "f\($0)", kind: .integer) }
    let condition = try Condition("g = 1")
    #expect(
      throws: ExpressionError(
        "column 1: there is no field g; available: f1, f2, f3, f4, f5, f6, f7, f8, f9, f10 and 2 more"
      )
    ) { try condition.bound(to: fields) }
    #expect(throws: ExpressionError("column 1: there is no field g; there are none")) {
      try condition.bound(to: [])
    }
  }
}
