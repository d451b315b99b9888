/// A day in the proleptic Gregorian calendar.
package struct CivilDate: Sendable, Hashable {
  package var year: Int64
  /// The month, from 1 to 12.
  package var month: Int64
  /// The day of the month, from 1.
  package var day: Int64

  package init(year: Int64, month: Int64, day: Int64) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// Creates the day that is `days` after 1970-01-01.
  ///
  /// - Precondition: the year is within ±10¹⁴.
  package init(daysSince1970 days: Int64) {
    // In years that begin in March, the leap day is the last day. An era is 400 such years.
    let shifted = days + 719_468
    let era = shifted.floorDivided(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Whether the month and the day exist in the calendar.
  package var isValid: Bool {
    (1...12).contains(month) && (1...Self.length(ofMonth: month, year: year)).contains(day)
  }

  /// The number of days since 1970-01-01. The date must be valid.
  package var daysSince1970: Int64 {
    let shifted = month > 2 ? year : year - 1
    let era = shifted.floorDivided(by: 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// The number of the day in its year, from 1.
  package var dayOfYear: Int64 {
    daysSince1970 - Self(year: year, month: 1, day: 1).daysSince1970 + 1
  }

  /// The weekday, from 1 for Monday to 7 for Sunday.
  package var weekday: Int64 { Self.weekday(ofDay: daysSince1970) }

  /// The ISO 8601 week and its year, which is the year of the week's Thursday.
  package var week: (year: Int64, number: Int64) {
    let days = daysSince1970
    let thursday = Self(daysSince1970: days + 4 - Self.weekday(ofDay: days))
    return (thursday.year, (thursday.dayOfYear - 1) / 7 + 1)
  }

  /// The date a number of months later, on the same day of the month or, if that month is too
  /// short, on its last day.
  package func adding(months: Int64) -> CivilDate {
    let sum = year * 12 + month - 1 + months
    let (year, month) = (sum.floorDivided(by: 12), sum - sum.floorDivided(by: 12) * 12 + 1)
    return CivilDate(
      year: year, month: month, day: min(day, Self.length(ofMonth: month, year: year)))
  }

  package static func length(ofMonth month: Int64, year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// The weekday, from 1 for Monday to 7 for Sunday. 1970-01-01 was a Thursday.
  private static func weekday(ofDay days: Int64) -> Int64 {
    (days + 3) - (days + 3).floorDivided(by: 7) * 7 + 1
  }
}

extension Int64 {
  /// The quotient, rounded down.
  package func floorDivided(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}
