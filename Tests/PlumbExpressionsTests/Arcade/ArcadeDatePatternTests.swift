import PlumbIO
import PlumbTestSupport
import Testing

@testable import PlumbExpressions

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Patterns of dates.
@Suite struct ArcadeDatePatternTests {
  @Test("Every token, and text between")
  func tokens() throws {
    // Tuesday, 2016-10-25T08:03:11.042Z
    let moment = ArcadeDate(milliseconds: 1_477_382_591_042)
    let cases = [
      ("dddd, MMMM D, Y @ h:m:s", "Tuesday, October 25, 2016 @ 8:3:11"),
      ("MMM D, Y", "Oct 25, 2016"), ("DD/MM/YY", "25/10/16"), ("DDD DDDD", "299 299"),
      ("d dd ddd dddd E", "2 Tu Tue Tuesday 2"), ("M MM", "10 10"), ("YYYY-MM-DD", "2016-10-25"),
      ("hh:mm:ss A", "08:03:11 AM"), ("H HH h hh a", "8 08 8 08 am"),
      ("s.S s.SS s.SSS", "11.0 11.04 11.042"),
      ("W WW GGGG", "43 43 2016"), ("w ww", "44 44"), ("Q", "4"),
      ("Z ZZ ZZZ ZZZZ", "+0 +00:00 +0000 UTC"),
      ("X x", "1477382591 1477382591042"), ("[Day] D [of] MMMM", "Day 25 of October"),
      ("[D", "[25"), ("é D 🌉", "é 25 🌉"), ("YYYYY", "20162016"), ("no", "no"), ("]", "]"),
    ]
    for (pattern, text) in cases {
      #expect(ArcadeDatePattern(pattern).text(of: moment) == text, "\(pattern)")
    }
    let night = ArcadeDate(milliseconds: 0)
    #expect(ArcadeDatePattern("h hh H A DDDD W").text(of: night) == "12 12 0 AM 001 1")
    let noon = ArcadeDate(milliseconds: 43_200_000)
    #expect(ArcadeDatePattern("h A").text(of: noon) == "12 PM")
    #expect(same(try arcade("Text", .date(moment), "Y"), "2016"))
    #expect(same(try arcade("Concatenate", [.date(moment), "x"], "-", "YY"), "16-x"))
  }

  @Test("Tokens agree with strftime on thousands of dates")
  func strftimes() throws {
    var random = SeededGenerator(seed: 11)
    let pairs = [
      ("YYYY MM DD", "%Y %m %d"), ("ddd MMM", "%a %b"), ("dddd MMMM", "%A %B"), ("DDDD", "%j"),
      ("HH:mm:ss", "%H:%M:%S"), ("hh A", "%I %p"), ("YY WW GGGG", "%y %V %G"), ("E", "%u"),
      ("X", "%s"),
    ]
    for _ in 0..<3000 {
      let moment = ArcadeDate(
        milliseconds: Int64.random(
          in: -30_000_000_000_000...ArcadeDate.range.upperBound, using: &random))
      var seconds = time_t(moment.milliseconds.floorDivided(by: 1000))
      var parts = tm()
      gmtime_r(&seconds, &parts)
      for (pattern, format) in pairs where format != "%s" {
        var buffer = [CChar](repeating: 0, count: 96)
        let count = strftime(&buffer, buffer.count, format, &parts)
        let expected = String(
          decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        #expect(ArcadeDatePattern(pattern).text(of: moment) == expected, "\(pattern)")
      }
      #expect(ArcadeDatePattern("X").text(of: moment) == String(seconds))
    }
  }
}
