import PlumbCore
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Dates in HTTP format (RFC 9110, 5.6.7).
enum HTTPDate {
  private static let last = Mutex<(second: Int, text: String)>((-1, ""))

  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The current date.
  static var now: String {
    let seconds = WallClock.seconds
    return last.withLock { last in
      if last.second != seconds { last = (seconds, text(seconds)) }
      return last.text
    }
  }

  /// - Parameter seconds: seconds since 1970, in UTC.
  static func text(_ seconds: Int) -> String {
    var (seconds, parts) = (seconds, tm())
    gmtime_r(&seconds, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) "
      + "\(parts.tm_year + 1900) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
  }

  /// Reads a date such as `Sun, 06 Nov 1994 08:49:37 GMT`, in seconds since 1970; nil for other text.
  /// Obsolete formats are not read; a request with such a date receives the complete content.
  static func seconds(of text: String) -> Int? {
    let words = text.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
    guard words.count == 6, words[5].hasSameBytes(as: "GMT"), let day = Int32(words[1]),
      let month = months.firstIndex(where: { words[2].hasSameBytes(as: $0) }),
      let year = Int32(words[3])
    else { return nil }
    let clock = words[4].utf8.split(separator: UInt8(ascii: ":")).compactMap {
      Int32(String(Substring($0)))
    }
    guard clock.count == 3, (1970...9999).contains(year), (1...31).contains(day),
      (0...23).contains(clock[0]), (0...59).contains(clock[1]), (0...60).contains(clock[2])
    else { return nil }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, Int32(month), day)
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (clock[0], clock[1], clock[2])
    return timegm(&parts)
  }
}
