/// The words for the time at which a condition is asked, in UTC.
enum SQLClock: String, Sendable, CaseIterable {
  case date = "CURRENT_DATE"
  /// A text, because a time of day has no type here.
  case time = "CURRENT_TIME"
  case timestamp = "CURRENT_TIMESTAMP"

  /// What the word stands for.
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
