import Foundation
import Plumb
import Testing

@testable import PlumbFeeds

@Suite struct FeedTimeTests {
  private func parse(_ text: String) -> Int64? {
    Array(text.utf8).withUnsafeBufferPointer { LocationTime.parse($0) }
  }

  @Test("ISO 8601: zones, fractions, basic form, dates alone; without a zone it is UTC")
  func calendar() {
    // The seconds are from GNU date: date -u -d 2026-05-01T10:00:00Z +%s
    let ten: Int64 = 1_777_629_600_000
    let cases: [(String, Int64?)] = [
      ("2026-05-01T10:00:00Z", ten), ("2026-05-01T10:00:00", ten), ("2026-05-01 10:00:00", ten),
      ("2026-05-01t10:00:00z", ten), ("2026/05/01 10:00:00", ten), ("2026-05-01T10:00Z", ten),
      ("20260501T100000Z", ten), ("20260501T1000", ten), ("  2026-05-01T10:00:00Z ", ten),
      ("2026-05-01T12:00:00+02:00", ten), ("2026-05-01T12:00:00+0200", ten),
      ("2026-05-01T12:00:00+02", ten), ("2026-05-01T04:30:00-05:30", ten),
      ("2026-05-01 10:00:00 UTC", ten), ("2026-05-01T10:00:00.5Z", ten + 500),
      ("2026-05-01T10:00:00,25Z", ten + 250), ("2026-05-01T10:00:00.123456789Z", ten + 123),
      ("2026-05-01T09:59:59.9996Z", ten - 1), ("2026-05-01T09:59:60Z", ten),
      ("2026-05-01", ten - 36_000_000), ("2026-04-30T24:00:00Z", ten - 36_000_000),
      ("2024-02-29T00:00:00Z", 1_709_164_800_000), ("1969-12-31T23:59:59Z", -1000),
      ("0001-01-01T00:00:00Z", -62_135_596_800_000), ("9999-12-31", 253_402_214_400_000),
      ("2026-02-29", nil), ("2026-13-01", nil), ("2026-05-01T25:00:00Z", nil),
      ("2026-05-01T10:60:00Z", nil), ("2026-05-01T10:00:61Z", nil), ("2026-05-01T", nil),
      ("2026-05-01T10:00:00.Z", nil), ("2026-05-01T10:00:00+", nil), ("2026-05-01T10:00:00X", nil),
      ("2026-05-01T24:00:01Z", nil), ("2026-05/01", nil), ("01.05.2026 10:00", nil), ("", nil),
      (" ", nil), ("yesterday", nil), ("2026-05-01T10:00:00Z2", nil), ("0000-01-01", nil),
    ]
    for (text, expected) in cases { #expect(parse(text) == expected, "\(text)") }
  }

  @Test("Numbers are Unix seconds, from 10^11 on milliseconds; beyond 2286 they are invalid")
  func numbers() {
    let cases: [(String, Int64?)] = [
      ("0", 0), ("-1", -1000), ("1777629600", 1_777_629_600_000),
      ("1777629600.1234", 1_777_629_600_123), ("1.7776296e9", 1_777_629_600_000),
      ("99999999999", 99_999_999_999_000), ("100000000000", 100_000_000_000),
      ("1777629600123", 1_777_629_600_123), ("9999999999999", 9_999_999_999_999),
      ("10000000000000", nil), ("20260501100000", nil), ("1777629600123456", nil), ("nan", nil),
      ("inf", nil), ("1e400", nil), ("0x10", nil),
    ]
    for (text, expected) in cases { #expect(parse(text) == expected, "\(text)") }
  }

  @Test("Fractions of a millisecond are truncated, in feeds as in Arcade")
  func finer() throws {
    let program = try ArcadeProgram("Number(Date($t))", globals: ["$t"])
    let evaluator = ArcadeEvaluator(program)
    for (text, time) in [
      ("2026-05-01T09:59:59.9996Z", 1_777_629_599_999),
      ("2026-05-01T09:59:59.9994Z", 1_777_629_599_999),
      ("2026-05-01T10:00:00.0005Z", 1_777_629_600_000),
      ("2026-12-31T23:59:59.9999999", 1_798_761_599_999),
      ("1969-12-31T23:59:59.9996Z", -1), ("2026-05-01T10:00:00.123999+00:00", 1_777_629_600_123),
    ] as [(String, Int64)] {
      #expect(parse(text) == time, "\(text)")
      let value = try evaluator.evaluate([.text(text)], now: ArcadeDate(milliseconds: 0))
      #expect(value.asNumber == Double(time), "\(text)")
    }
    #expect(parse("1777629599.9996") == 1_777_629_599_999)
    #expect(parse("1777629599999.6") == 1_777_629_599_999)
    // Thousandths are exact, although most of them are not exactly representable as doubles.
    for millisecond in 0..<1000 as Range<Int64> {
      let digits = String(1000 + millisecond).dropFirst()
      #expect(parse("1777629600." + digits) == 1_777_629_600_000 + millisecond)
      #expect(parse("-1." + digits) == -1000 - millisecond)
    }
  }

  @Test("Every day of 800 years against Foundation's calendar")
  func days() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    // Before 1582-10-15, Foundation's calendar is Julian.
    let first = try #require(LocationTime.days(1583, 1, 1))
    for day in stride(from: first, to: first + 292_200, by: 13) {
      let parts = calendar.dateComponents(
        [.year, .month, .day], from: Date(timeIntervalSince1970: Double(day) * 86_400))
      let (year, month, date) = (parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
      #expect(LocationTime.days(Int64(year), Int64(month), Int64(date)) == day)
    }
  }
}
