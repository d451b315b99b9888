#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The keywords for the time of evaluation, in UTC.
enum SQLClock: String, Sendable, CaseIterable {
  case date = "CURRENT_DATE"
  /// Text, because there is no type for a time of day.
  case time = "CURRENT_TIME"
  case timestamp = "CURRENT_TIMESTAMP"

  /// The current time in microseconds since 1970-01-01T00:00:00Z.
  static var now: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }

  /// The value of the keyword.
  func value(at now: SQLValue) -> SQLValue {
    guard case .integer(let microseconds) = now,
      let moment = SQLMoment(microseconds: microseconds)
    else { return .null }
    return switch self {
    case .date: .moment(moment.day)
    case .time: .text(moment.timeText)
    case .timestamp: .moment(moment)
    }
  }
}
