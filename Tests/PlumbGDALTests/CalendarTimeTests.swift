import PlumbIO
import Testing

@testable import PlumbGDAL

/// Numbers of time axes as dates. `test_arrays.py` compares the calendars with cftime.
@Suite struct CalendarTimeTests {
  /// The date of a number, such as `2024-03-01`; nil if there is none.
  private func date(_ number: Double, _ units: String, _ calendar: String?) throws -> [Int64]? {
    let time = try #require(CalendarTime(units: units, calendar: calendar))
    guard let microseconds = time.microseconds(number) else { return nil }
    let date = CivilDate(daysSince1970: microseconds.floorDivided(by: 86_400_000_000))
    return [date.year, date.month, date.day]
  }

  /// A day that does not exist in the Gregorian calendar is the last of its month.
  @Test(arguments: [
    ("proleptic_gregorian", "2023-02-28", [[2023, 2, 28], [2023, 3, 1], [2023, 3, 2]]),
    ("noleap", "2024-02-28", [[2024, 2, 28], [2024, 3, 1], [2024, 3, 2]]),
    ("365_day", "2023-12-31", [[2023, 12, 31], [2024, 1, 1], [2024, 1, 2]]),
    ("all_leap", "2023-02-28", [[2023, 2, 28], [2023, 2, 28], [2023, 3, 1]]),
    ("366_day", "2023-02-29", [[2023, 2, 28], [2023, 3, 1], [2023, 3, 2]]),
    ("360_day", "2023-01-30", [[2023, 1, 30], [2023, 2, 1], [2023, 2, 2]]),
    ("360_day", "2024-02-29", [[2024, 2, 29], [2024, 2, 29], [2024, 3, 1]]),
    ("julian", "1900-02-28", [[1900, 2, 28], [1900, 2, 28], [1900, 3, 1]]),
    ("standard", "1900-02-28", [[1900, 2, 28], [1900, 3, 1], [1900, 3, 2]]),
    ("Gregorian", "1582-10-03", [[1582, 10, 3], [1582, 10, 4], [1582, 10, 15]]),
  ])
  func calendars(calendar: String, start: String, dates: [[Int64]]) throws {
    for (number, wanted) in dates.enumerated() {
      #expect(try date(Double(number), "days since \(start)", calendar) == wanted)
      #expect(try date(Double(24 * number), "hours since \(start) 0:00", calendar) == wanted)
    }
  }

  @Test func years() throws {
    for (calendar, length) in [
      ("noleap", 365.0), ("365_day", 365), ("all_leap", 366), ("366_day", 366), ("360_day", 360),
    ] {
      for year in [-3.0, -1, 0, 1, 4, 100] {
        #expect(
          try date(year * length, "days since 2000-01-01", calendar) == [2000 + Int64(year), 1, 1])
      }
    }
  }

  @Test func unknownCalendarsAndDatesThatDoNotExist() {
    for (units, calendar) in [
      ("days since 2023-02-29", "standard"), ("days since 2024-02-29", "noleap"),
      ("days since 2024-02-30", "all_leap"), ("days since 2024-01-31", "360_day"),
      ("days since 1900-02-29", nil), ("days since 2024-01-01", "lunar"),
      ("months since 2024-01-01", nil), ("days after 2024-01-01", nil),
    ] {
      #expect(CalendarTime(units: units, calendar: calendar) == nil, "\(units) \(calendar ?? "")")
    }
  }
}
