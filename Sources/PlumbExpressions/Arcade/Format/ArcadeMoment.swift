import PlumbIO

/// The calendar parts of a date, in UTC.
struct ArcadeMoment {
  static let millisecondsOfDay: Int64 = 86_400_000

  let date: CivilDate
  /// Milliseconds since midnight.
  let milliseconds: Int64

  init(_ moment: ArcadeDate) {
    let days = moment.milliseconds.floorDivided(by: Self.millisecondsOfDay)
    date = CivilDate(daysSince1970: days)
    milliseconds = moment.milliseconds - days * Self.millisecondsOfDay
  }

  var hour: Int64 { milliseconds / 3_600_000 }
  var minute: Int64 { milliseconds / 60_000 % 60 }
  var second: Int64 { milliseconds / 1000 % 60 }
  var millisecond: Int64 { milliseconds % 1000 }
}

extension ArcadeDate {
  /// The range of dates in milliseconds, which contains the years 0 to 9999.
  static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

  /// A day and a time of that day.
  init(_ date: CivilDate, milliseconds: Int64) {
    self.init(
      milliseconds: date.daysSince1970 * ArcadeMoment.millisecondsOfDay + milliseconds)
  }

  /// Parses ISO 8601: `2016`, `2016-10`, `2016-10-20`, and `2016-10-20T17:41`, optionally with
  /// seconds, a fraction, and `Z`, `+hh:mm`, `+hhmm` or `+hh`. Without a zone, the time is in UTC.
  /// Digits finer than a millisecond are truncated. Returns nil for other text.
  init?(iso text: String) {
    var text = text
    guard text.utf8.count <= 64,
      let time = text.withUTF8({ unsafe ISOTime.microseconds($0, .arcade) })
    else { return nil }
    self.init(milliseconds: time.floorDivided(by: 1000))
    guard Self.range.contains(milliseconds) else { return nil }
  }

  /// The date after a number of months, with the same time of day; nil outside the years 0 to 9999.
  func adding(months: Int64) -> ArcadeDate? {
    guard (-200_000...200_000).contains(months) else { return nil }
    let moment = ArcadeMoment(self)
    let later = ArcadeDate(moment.date.adding(months: months), milliseconds: moment.milliseconds)
    return Self.range.contains(later.milliseconds) ? later : nil
  }
}
