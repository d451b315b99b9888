import PlumbCore
import PlumbIO
import PlumbTestSupport
import Testing

@testable import PlumbExpressions

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Compares the date functions with Esri's examples and the C library's calendar.
@Suite struct ArcadeDateFunctionTests {
  private func number(_ name: String, _ values: ArcadeValue...) throws -> Int {
    let value = try arcade(name, values, CallContext())
    guard case .number(let number) = value else {
      throw ArcadeFailure("\(name) gave \(value.typeName)")
    }
    return try #require(Int(exactly: number))
  }

  private func date(_ parts: Int...) throws -> ArcadeValue {
    try arcade("Date", parts.map { .number(Double($0)) }, CallContext())
  }

  private func random(_ random: inout SeededGenerator) -> ArcadeDate {
    ArcadeDate(milliseconds: Int64.random(in: ArcadeDate.range, using: &random))
  }

  @Test("Examples of the function reference")
  func documented() throws {
    let newYearsEve = try date(1980, 11, 31)
    #expect(try number("Month", newYearsEve) == 11)
    #expect(try number("ISOMonth", newYearsEve) == 12)
    #expect(try number("ISOWeek", newYearsEve) == 1)
    #expect(try number("ISOYear", newYearsEve) == 1981)
    #expect(try number("ISOWeekday", newYearsEve) == 3)
    #expect(try number("Weekday", newYearsEve) == 3)
    #expect(try number("Week", date(1974, 0, 3)) == 0)
    #expect(try number("Week", date(1974, 0, 3), 4) == 1)
    #expect(try number("Week", date(1974, 0, 3), 5) == 0)
    #expect(try number("Week", date(1945, 8, 23)) == 38)
    #expect(try number("Week", date(2022, 7, 20)) == 33)
    // 1987-06-02 and 2016-10-20T18:23:03.555Z.
    #expect(same(try date(1987, 5, 2), .date(ArcadeDate(milliseconds: 549_590_400_000))))
    #expect(try arcade("Date", 1_476_987_783_555).asText == "2016-10-20T18:23:03.555Z")
    #expect(
      try arcade("Date", "2016-10-20T17:41:37+00:00").asText == "2016-10-20T17:41:37Z")
    let start = try date(2020, 1, 27)
    #expect(try arcade("DateAdd", start, 7, "days").asText == "2020-03-05T00:00:00Z")
  }

  @Test("Now is the evaluation's time, today its midnight, and local time is UTC")
  func now() throws {
    let context = CallContext(now: 1_477_411_391_123)
    let now = ArcadeValue.date(context.now)
    for name in ["Now", "Timestamp", "Date"] {
      #expect(same(try arcade(name, context: context), now))
    }
    #expect(try arcade("Today", context: context).asText == "2016-10-25T00:00:00Z")
    #expect(same(try arcade("ToLocal", now), now))
    #expect(same(try arcade("ToUTC", now), now))
    #expect(try arcade("Today", context: CallContext(now: -1)).asText == "1969-12-31T00:00:00Z")
  }

  @Test("Parts of thousands of dates are the C library's", arguments: [1, 2] as [UInt64])
  func parts(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for index in 0..<4000 {
      let moment =
        index % 4 == 0
        ? ArcadeDate(milliseconds: Int64.random(in: 0...2_000_000_000_000, using: &random))
        : self.random(&random)
      var seconds = time_t(moment.milliseconds.floorDivided(by: 1000))
      var parts = tm()
      gmtime_r(&seconds, &parts)
      func field(_ format: String) -> Int {
        var buffer = [CChar](repeating: 0, count: 64)
        let count = strftime(&buffer, buffer.count, format, &parts)
        return Int(String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self))
          ?? -1
      }
      let value = ArcadeValue.date(moment)
      #expect(try number("Year", value) == Int(parts.tm_year) + 1900)
      #expect(try number("Month", value) == Int(parts.tm_mon))
      #expect(try number("Day", value) == Int(parts.tm_mday))
      #expect(try number("Hour", value) == Int(parts.tm_hour))
      #expect(try number("Minute", value) == Int(parts.tm_min))
      #expect(try number("Second", value) == Int(parts.tm_sec))
      #expect(try number("Weekday", value) == Int(parts.tm_wday))
      #expect(try number("ISOWeekday", value) == field("%u"))
      #expect(try number("ISOWeek", value) == field("%V"))
      #expect(try number("ISOYear", value) == field("%G"))
      #expect(try number("ISOMonth", value) == Int(parts.tm_mon) + 1)
      // The C library counts weeks from the first Sunday or Monday; the value is 1 if the year
      // begins with that day.
      let first = ((Int(parts.tm_wday) - Int(parts.tm_yday)) % 7 + 7) % 7
      #expect(try number("Week", value) == field("%U") - (first == 0 ? 1 : 0))
      #expect(try number("Week", value, 1) == field("%W") - (first == 1 ? 1 : 0))
      #expect(
        try number("Millisecond", value)
          == Int(moment.milliseconds - Int64(seconds) * 1000))
    }
  }

  @Test("Dates from parts carry over like the C library's")
  func carrying() throws {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<4000 {
      var parts = tm()
      let year = Int.random(in: 1000...9000, using: &random)
      let rest = [14, 40, 30, 70, 70].map { Int.random(in: -$0...$0, using: &random) }
      parts.tm_year = Int32(year - 1900)
      parts.tm_mon = Int32(rest[0])
      parts.tm_mday = Int32(rest[1])
      parts.tm_hour = Int32(rest[2])
      parts.tm_min = Int32(rest[3])
      parts.tm_sec = Int32(rest[4])
      let expected = Int64(timegm(&parts)) * 1000
      let made = try arcade(
        "Date", ([year] + rest).map { .number(Double($0)) }, CallContext())
      #expect(same(made, .date(ArcadeDate(milliseconds: expected))))
    }
    // The last day of a month is day 0 of the next.
    #expect(try date(2024, 2, 0).asText == "2024-02-29T00:00:00Z")
  }

  @Test("Months and years are added with the day kept, or the month's last")
  func months() throws {
    let cases: [(String, Double, String, String)] = [
      ("2023-01-31", 1, "months", "2023-02-28T00:00:00Z"),
      ("2024-01-31T12:00:00Z", 1, "month", "2024-02-29T12:00:00Z"),
      ("2024-02-29", 1, "years", "2025-02-28T00:00:00Z"),
      ("2024-02-29", 4, "y", "2028-02-29T00:00:00Z"),
      ("2024-03-31", -1, "months", "2024-02-29T00:00:00Z"),
      ("2024-01-15", -13, "Months", "2022-12-15T00:00:00Z"),
      ("2024-01-15", 1.5, "months", "2024-03-01T00:00:00Z"),
      ("2024-01-15", 0.5, "days", "2024-01-15T12:00:00Z"),
      ("2024-01-15", 90, "m", "2024-01-15T01:30:00Z"),
      ("2024-01-15", -1, "milliseconds", "2024-01-14T23:59:59.999Z"),
      ("2024-01-15", 2, "weeks", "2024-01-29T00:00:00Z"),
    ]
    for (text, amount, unit, expected) in cases {
      let found = try arcade("DateAdd", .text(text), .number(amount), .text(unit))
      #expect(found.asText == expected, "\(text) and \(amount) \(unit)")
    }
    #expect(same(try arcade("DateAdd", .null, 1, "days"), .null))
  }

  @Test("Differences undo additions, exactly for whole units, and change sign with swapped dates")
  func differences() throws {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<5000 {
      let start = ArcadeDate(
        milliseconds: Int64.random(in: -1_000_000_000_000...3_000_000_000_000, using: &random))
      let unit = try #require(
        ["milliseconds", "seconds", "minutes", "hours", "days", "weeks", "months", "years"]
          .randomElement(using: &random))
      let count = Double(Int.random(in: 0...900, using: &random))
      let end = try arcade("DateAdd", .date(start), .number(count), .text(unit))
      let forward = try arcade("DateDiff", end, .date(start), .text(unit))
      let back = try arcade("DateDiff", .date(start), end, .text(unit))
      #expect(same(forward, .number(count)), "\(count) \(unit) after \(start.iso)")
      #expect(same(back, .number(-count)))
    }
    // Ages increase throughout the year and are whole numbers on birthdays.
    let birth = ArcadeValue.date(ArcadeDate(milliseconds: 0))
    var last = -1.0
    for day in 0..<4000 {
      let now = try arcade("DateAdd", birth, .number(Double(day)), "days")
      let age = try arcade("DateDiff", now, birth, "years").asNumber
      #expect(age > last)
      last = age
      let isBirthday = try number("Month", now) == 0 && number("Day", now) == 1
      #expect(isBirthday == (age == age.rounded()), "day \(day)")
    }
    #expect(try arcade("DateDiff", "2024-01-02", "2024-01-01").asNumber == 86_400_000)
    #expect(try arcade("DateDiff", "2024-01-16T12:00", "2024-01-01", "months").asNumber == 0.5)
    #expect(same(try arcade("DateDiff", .null, "2024-01-01"), .null))
  }

  @Test("ISO 8601 strings are read, others are null")
  func texts() throws {
    let cases = [
      ("2016", "2016-01-01T00:00:00Z"), ("2016-10", "2016-10-01T00:00:00Z"),
      ("2016-10-20", "2016-10-20T00:00:00Z"), ("2016-10-20T17:41", "2016-10-20T17:41:00Z"),
      ("2016-10-20 17:41:37.1239", "2016-10-20T17:41:37.123Z"),
      ("2016-10-20T17:41:37-0730", "2016-10-21T01:11:37Z"),
      ("2016-10-20T17:41:37+02", "2016-10-20T15:41:37Z"),
      ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
    ]
    for (text, expected) in cases {
      #expect(try arcade("Date", .text(text)).asText == expected, "\(text)")
    }
    for text in [
      "", "yesterday", "2016-13-01", "2016-02-30", "2016-10-20T25:00", "20161020", "2016-1-1",
      "+10",
      "2016-10-20T17:41:37+", "9999-12-31T23:59:59-01:00", "-001", "٢٠١٦",
    ] {
      #expect(same(try arcade("Date", .text(text)), .null), "\(text)")
    }
    for value in [ArcadeValue.number(.nan), .number(.infinity), .null] {
      #expect(same(try arcade("Date", value), .null))
      #expect(same(try arcade("Year", value), .null))
    }
  }

  @Test("Dates outside of the years 0 to 9999 are a failure")
  func bounds() {
    let last = ArcadeValue.date(ArcadeDate(milliseconds: ArcadeDate.range.upperBound))
    let first = ArcadeValue.date(ArcadeDate(milliseconds: ArcadeDate.range.lowerBound))
    let calls: [(String, [ArcadeValue])] = [
      ("DateAdd", [last, 1, "milliseconds"]), ("DateAdd", [first, -1, "s"]),
      ("DateAdd", [last, 1, "months"]), ("DateAdd", [first, 1e300, "years"]),
      ("DateAdd", [first, 1e300, "days"]), ("DateAdd", [first, .number(.nan), "days"]),
      ("DateAdd", [first, .number(.infinity), "months"]), ("Date", [1e18]), ("Date", [-1e15]),
      ("Date", [10_000, 0, 1]), ("Date", [-1, 0, 1]), ("Date", [1e300, 0, 1]),
      ("Date", [2000, 1e15, 1]), ("Date", [2000, 0, 1, 0, 0, 1e14]), ("Date", [2000, 1]),
      ("Date", [2000, 0, 1, 0, 0, 0, 0, "Europe/Helsinki"]), ("Week", [first, 7]),
      ("DateAdd", [first, 1, "fortnights"]), ("DateDiff", [first, last, "lustrum"]),
      ("Year", [.date(ArcadeDate(milliseconds: .min))]), ("Year", [[] as ArcadeValue]),
      ("DateDiff", [.date(ArcadeDate(milliseconds: .min)), .date(ArcadeDate(milliseconds: .max))]),
    ]
    for (name, values) in calls {
      #expect(throws: ArcadeFailure.self, "\(name)(\(values.map(\.asText)))") {
        try arcade(name, values, CallContext())
      }
    }
  }
}
