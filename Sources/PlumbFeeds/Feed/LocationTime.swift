import PlumbCore
import PlumbIO

/// Parses times of locations, as milliseconds since 1970-01-01T00:00:00Z.
///
/// A time is an ISO 8601 calendar date in extended or basic format, optionally with `T` or a space
/// and a time of day, a fraction of any length (truncated to milliseconds, as in Arcade) and an
/// offset. The default offset is UTC, and the default time of day is midnight. A time can also be a
/// number. A number below 10^11 is in seconds since 1970, and a number from 10^11 is in
/// milliseconds. A number from 10^13 (the year 2286, in milliseconds) is rejected.
enum LocationTime {
  /// - Returns: nil if the text is not a time.
  static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
    if let time = ISOTime.microseconds(bytes, .feeds) { return time.floorDivided(by: 1000) }
    return number(bytes)
  }

  private static func number(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
    guard let number = NumberText.parse(bytes), number.magnitude < 1e13 else { return nil }
    return Int64(
      NumberText.wholeMilliseconds(number.magnitude >= 1e11 ? number : number * 1000))
  }

  /// Returns the number of days from 1970-01-01 to a day of the Gregorian calendar; nil when the
  /// day does not exist.
  static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64? {
    guard year >= 1, year <= 9999 else { return nil }
    let date = CivilDate(year: year, month: month, day: day)
    return date.isValid ? date.daysSince1970 : nil
  }
}

extension LocationFeed {
  /// Parses a time in the formats of feeds. A time is ISO 8601 text, in UTC if it has no time zone,
  /// or a number of seconds or milliseconds since the start of 1970 in UTC.
  ///
  /// - Returns: milliseconds since 1970-01-01T00:00:00Z.
  public static func time(_ text: String) throws(PlumbError) -> Int64 {
    var copy = text
    guard let time = copy.withUTF8({ LocationTime.parse($0) }) else {
      throw PlumbError("\(text.printable) is not a time such as 2026-05-01T10:00:00Z")
    }
    return time
  }
}
