/// The keywords for the time of evaluation, in UTC.
enum SQLClock: String, Sendable, CaseIterable {
  case date = "CURRENT_DATE"
  /// The time of day as text, because conditions have no type for it.
  case time = "CURRENT_TIME"
  case timestamp = "CURRENT_TIMESTAMP"

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
