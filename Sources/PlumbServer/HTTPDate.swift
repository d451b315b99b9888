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
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) "
      + "\(parts.tm_year + 1900) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
  }
}
