import PlumbIO

/// A date and time, to the microsecond, on the proleptic Gregorian calendar from year 0 to 9999.
///
/// Text with a time zone is converted to UTC. Text without a time zone is in UTC.
struct SQLMoment: Sendable, Hashable, Comparable {
  /// Microseconds since 1970-01-01T00:00:00Z.
  var microseconds: Int64

  static func < (a: Self, b: Self) -> Bool { a.microseconds < b.microseconds }

  /// Parses `YYYY-MM-DD`, optionally followed by `T` or a space and `hh:mm`, `hh:mm:ss` or
  /// `hh:mm:ss.fraction`, and then by `Z`, `+hh:mm` or `-hh:mm`; nil if the text is not such a date.
  init?(_ text: String) {
    var copy = text
    guard let found = copy.withUTF8({ unsafe ISOTime.microseconds($0, .conditions) }) else {
      return nil
    }
    microseconds = found
  }

  /// - Returns: nil outside the years 0 to 9999.
  init?(microseconds: Int64) {
    guard Self.calendar.contains(microseconds) else { return nil }
    self.microseconds = microseconds
  }

  private static let calendar: ClosedRange<Int64> =
    -62_167_219_200_000_000...253_402_300_799_999_999
  private static let microsecondsOfDay: Int64 = 86_400_000_000

  private var days: Int64 { microseconds.floorDivided(by: Self.microsecondsOfDay) }

  /// Microseconds since midnight.
  private var timeOfDay: Int64 { microseconds - days * Self.microsecondsOfDay }

  private var civil: CivilDate { CivilDate(daysSince1970: days) }

  /// The midnight at the start of the day.
  var day: SQLMoment {
    var day = self
    day.microseconds = days * Self.microsecondsOfDay
    return day
  }

  /// The date and time after an interval. Adding months keeps the day, or takes the last day of a shorter
  /// month. Returns nil outside the years 0 to 9999.
  func adding(_ interval: SQLInterval) -> SQLMoment? {
    switch interval {
    case .microseconds(let time):
      let (sum, isOver) = microseconds.addingReportingOverflow(time)
      return isOver ? nil : SQLMoment(microseconds: sum)
    case .months(let months):
      // More months always result in a date outside the years 0 to 9999.
      guard (-120_000...120_000).contains(months) else { return nil }
      let day = civil.adding(months: months).daysSince1970
      return SQLMoment(microseconds: day * Self.microsecondsOfDay + timeOfDay)
    }
  }

  /// A part of the date or the time of day.
  func part(_ part: SQLPart) -> SQLValue {
    let date = civil
    return switch part {
    case .year: .integer(date.year)
    case .quarter: .integer((date.month + 2) / 3)
    case .month: .integer(date.month)
    case .week: .integer(date.week.number)
    case .day: .integer(date.day)
    case .hour, .minute, .second: SQLPart.ofTime(timeOfDay, part)
    }
  }

  /// The time of day as `hh:mm:ss`.
  var timeText: String {
    let seconds = timeOfDay / 1_000_000
    return ISOTime.timeText(seconds / 3600, seconds / 60 % 60, seconds % 60, 0)
  }

  /// The date as `YYYY-MM-DD`.
  var dateText: String { ISOTime.dateText(civil) }

  /// The date and time as `YYYY-MM-DD hh:mm:ss`, with the fraction of a second if it is not 0.
  var text: String {
    let fraction = timeOfDay % 1_000_000
    var text = dateText + " " + timeText
    if fraction > 0 {
      var digits = Array(String(1_000_000 + fraction).dropFirst())
      while digits.last == "0" { digits.removeLast() }
      text += "." + String(digits)
    }
    return text
  }
}

/// The parts of a date or an interval for EXTRACT.
enum SQLPart: String, Sendable, CaseIterable {
  case year = "YEAR"
  case quarter = "QUARTER"
  case month = "MONTH"
  /// The week of ISO 8601.
  case week = "WEEK"
  case day = "DAY"
  case hour = "HOUR"
  case minute = "MINUTE"
  /// The second with its fraction.
  case second = "SECOND"

  /// The hour, the minute or the second of a time in microseconds.
  static func ofTime(_ time: Int64, _ part: SQLPart) -> SQLValue {
    switch part {
    case .hour: .integer(time / SQLUnit.hour.size % 24)
    case .minute: .integer(time / SQLUnit.minute.size % 60)
    default:
      time % 1_000_000 == 0
        ? .integer(time / 1_000_000 % 60) : .real(Double(time % 60_000_000) / 1e6)
    }
  }

  /// The part of a date, of text that is a date, or of an interval; NULL if the value has no such
  /// part.
  func value(of value: SQLValue) -> SQLValue {
    switch value {
    case .moment(let moment): return moment.part(self)
    case .text(let text): return SQLMoment(text)?.part(self) ?? .null
    case .interval(.months(let months)):
      switch self {
      case .year: return .integer(months / 12)
      case .month: return .integer(months % 12)
      default: return .null
      }
    case .interval(.microseconds(let time)):
      switch self {
      case .day: return .integer(time / SQLUnit.day.size)
      case .hour, .minute, .second: return Self.ofTime(time, self)
      default: return .null
      }
    case .null, .boolean, .integer, .real: return .null
    }
  }
}
