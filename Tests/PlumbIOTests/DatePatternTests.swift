import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbIO

/// Dates in names.
@Suite struct DatePatternTests {
  private func text(_ pattern: String, _ name: String) throws -> String? {
    try DatePattern(pattern, hasWildcards: true).match(name).map {
      ISOTime.text(milliseconds: $0.microseconds.floorDivided(by: 1000))
        + ($0.hasTime ? "" : " day")
    }
  }

  @Test(
    arguments: [
      ("MOD13Q1_%Y%j", "MOD13Q1_2025081", "2025-03-22T00:00:00Z day"),
      ("MOD13Q1_%Y%j", "MOD13Q1_2024366", "2024-12-31T00:00:00Z day"),
      ("MOD13Q1.A%Y%j.*", "MOD13Q1.A2025081.h09v05.061", "2025-03-22T00:00:00Z day"),
      (
        "S2?_*_%Y%m%dT%H%M%S", "S2A_MSIL2A_20250322T105621_N0511_T31UFS_20250322T150001",
        "2025-03-22T15:00:01Z"
      ),
      ("*_%Y-%m-%d", "a_b_c_2025-12-31", "2025-12-31T00:00:00Z day"),
      ("%d%b%Y", "05Mar2025", "2025-03-05T00:00:00Z day"),
      ("%d %B %Y", "5 december 1999", "1999-12-05T00:00:00Z day"),
      ("%y%m%d", "690101", "1969-01-01T00:00:00Z day"),
      ("%y%m%d", "680101", "2068-01-01T00:00:00Z day"),
      ("%Y", "1850", "1850-01-01T00:00:00Z day"),
      ("t%s", "t1742640981", "2025-03-22T10:56:21Z"),
      ("%F %T.%f", "2025-03-22 10:56:21.5", "2025-03-22T10:56:21.500Z"),
      ("%FT%T%z", "2025-03-22T10:56:21+02:00", "2025-03-22T08:56:21Z"),
      ("%FT%H%z", "2025-03-22T10-0330", "2025-03-22T13:30:00Z"),
      ("100%%_%Y%m", "100%_202502", "2025-02-01T00:00:00Z day"),
      ("?%Y%m%d", "é20250322", "2025-03-22T00:00:00Z day"),
      ("%Y%j", "2025366", nil), ("%Y%m%d", "20250229", nil), ("%Y%m%d", "20240229x", nil),
      ("MOD_%Y%j", "xMOD_2025081", nil), ("%Y%m%d", "2025", nil), ("%Y%j", "2025000", nil),
    ] as [(String, String, String?)])
  func matches(pattern: String, name: String, wanted: String?) throws {
    #expect(try text(pattern, name) == wanted)
  }

  @Test(arguments: ["%m%d", "no date", "%Q%Y", "%Y%", ""])
  func invalidPatterns(pattern: String) {
    #expect(throws: PlumbError.self) { try DatePattern(pattern, hasWildcards: true) }
  }

  /// Wildcards are ordinary characters unless they are allowed.
  @Test func wildcards() throws {
    #expect(try DatePattern("*%Y", hasWildcards: false).match("*2025") != nil)
    #expect(try DatePattern("*%Y", hasWildcards: false).match("a2025") == nil)
  }

  @Test func timeOfManyWildcardsIsBounded() throws {
    let pattern = try DatePattern(String(repeating: "*a", count: 40) + "%Y", hasWildcards: true)
    #expect(pattern.match(String(repeating: "a", count: 4_000)) == nil)
  }

  /// A written date can be read.
  @Test func roundTrips() throws {
    var random = SeededGenerator(seed: 39)
    for _ in 0..<2_000 {
      let days = Int64.random(in: -100_000...100_000, using: &random)
      let date = CivilDate(daysSince1970: days)
      let name = "x\(ISOTime.dateText(date))"
      #expect(
        try DatePattern("?%Y-%m-%d", hasWildcards: true).match(name)?.microseconds
          == days * 86_400_000_000)
      var day = String(date.dayOfYear)
      while day.count < 3 { day = "0" + day }
      #expect(
        try DatePattern("%Y%j", hasWildcards: true)
          .match(String(ISOTime.dateText(date).prefix(4)) + day)?.microseconds == days
          * 86_400_000_000)
    }
  }

  @Test(
    arguments: [
      ("16d", 1_382_400_000_000), ("36h", 129_600_000_000), ("0d", 0), ("1.5min", 90_000_000),
      ("2w", 1_209_600_000_000), ("7s", 7_000_000), ("16", nil), ("d", nil), ("-1d", nil),
      ("16 d", nil), ("16days", nil), ("1e9d", nil), ("", nil), ("16m", nil),
    ] as [(String, Int64?)])
  func spans(text: String, wanted: Int64?) {
    #expect(TimeSpan(text)?.microseconds == wanted)
  }
}
