import PlumbIO
import PlumbRaster

/// Converts the numbers of a time axis to dates according to the CF conventions, which specify
/// units such as `hours since 1900-01-01` and a calendar.
struct CalendarTime {
  private let calendar: Calendar
  /// The number of microseconds in the unit.
  private let unit: Int64
  /// The day of the reference time in the calendar, and the microseconds since its start in UTC.
  private let referenceDay: Int64
  private let referenceTime: Int64

  private static let day: Int64 = 86_400_000_000
  private static let minute: Int64 = 60_000_000

  /// - Parameters:
  ///   - units: such as `days since 2000-01-01 12:00`. Months and years are not units, because their lengths differ.
  ///   - calendar: the name of a calendar; nil for the standard calendar.
  /// - Returns: nil if the units or the calendar are unknown.
  init?(units: String, calendar: String?) {
    let words = units.split(whereSeparator: \.isWhitespace).map(String.init)
    guard words.count >= 3, words[1].lowercased() == "since",
      let unit = Self.units[words[0].lowercased()], let calendar = Calendar(name: calendar),
      let (date, time) = Self.reference(words[2...].joined(separator: " "))
    else { return nil }
    (self.unit, self.calendar, referenceTime) = (unit, calendar, time)
    guard calendar.contains(date), date.year.magnitude < 10_000 else { return nil }
    referenceDay = calendar.number(of: date)
  }

  private static let units: [String: Int64] = {
    var units: [String: Int64] = [:]
    for (names, microseconds): ([String], Int64) in [
      (["microseconds", "microsecond", "microsec", "microsecs"], 1),
      (["milliseconds", "millisecond", "millisec", "millisecs", "msec", "msecs", "ms"], 1000),
      (["seconds", "second", "sec", "secs", "s"], 1_000_000),
      (["minutes", "minute", "min", "mins"], minute),
      (["hours", "hour", "hr", "hrs", "h"], 60 * minute),
      (["days", "day", "d"], day),
    ] {
      for name in names { units[name] = microseconds }
    }
    return units
  }()

  // MARK: Dates

  /// The dates of an axis; nil if a number is not a time.
  ///
  /// If there are bounds, the date is the middle of the period. Whole days in the unit of days have
  /// no time of day.
  func dates(_ axis: CoordinateAxis) -> [ImageDate]? {
    let numbers = axis.bounds.map { $0.map { ($0.0 + $0.1) / 2 } } ?? axis.values
    var times: [Int64] = []
    for number in numbers {
      guard let time = microseconds(number) else { return nil }
      times.append(time)
    }
    func areAll(_ offset: Int64) -> Bool {
      times.allSatisfy { $0.floorDivided(by: Self.day) * Self.day + offset == $0 }
    }
    let noon = Self.day / 2
    if unit == Self.day, axis.bounds != nil && areAll(noon) {
      return times.map { ImageDate(microseconds: $0, hasTime: false) }
    }
    if unit == Self.day, axis.bounds == nil, areAll(0) {
      return times.map { ImageDate(microseconds: $0 + noon, hasTime: false) }
    }
    return times.map { ImageDate(microseconds: $0, hasTime: true) }
  }

  /// The microseconds since 1970-01-01T00:00:00Z in the Gregorian calendar; nil if a number is not a time.
  func microseconds(_ number: Double) -> Int64? {
    guard number.magnitude * Double(unit) < Double(ImageDate.limit) else { return nil }
    let whole = number.rounded(.down)
    var time = referenceTime + Int64(whole) * unit
    time += Int64(((number - whole) * Double(unit)).rounded())
    // The file contains rounded fractions of days.
    let second: Int64 = 1_000_000
    let rest = time - time.floorDivided(by: second) * second
    if rest < 500 { time -= rest } else if second - rest <= 500 { time += second - rest }
    let days = time.floorDivided(by: Self.day)
    let date = calendar.date(referenceDay + days)
    let result = date.daysSince1970 * Self.day + time - days * Self.day
    return result.magnitude < ImageDate.limit ? result : nil
  }

  // MARK: Reference time

  /// The date and time of a reference such as `1900-1-1 00:00:0.0 +1:00`.
  private static func reference(_ text: String) -> (CivilDate, Int64)? {
    var rest = Substring(text)
    let sign: Int64 = rest.first == "-" ? -1 : 1
    if rest.first == "-" || rest.first == "+" { rest.removeFirst() }
    guard let year = integer(&rest) else { return nil }
    var date = CivilDate(year: sign * year, month: 1, day: 1)
    if remove("-", &rest) {
      guard let month = integer(&rest) else { return nil }
      date.month = month
      if remove("-", &rest) {
        guard let day = integer(&rest) else { return nil }
        date.day = day
      }
    }
    guard rest.isEmpty || "Tt ".contains(rest.first ?? " ") else { return nil }
    if !rest.isEmpty { rest.removeFirst() }
    rest = trimmed(rest)
    var time: Int64 = 0
    if let hour = integer(&rest) {
      guard hour < 24 else { return nil }
      time = hour * 60 * minute
      if remove(":", &rest) {
        guard let minutes = integer(&rest), minutes < 60 else { return nil }
        time += minutes * minute
        if remove(":", &rest) {
          let digits = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
          guard let seconds = Double(digits), seconds < 61 else { return nil }
          time += Int64((seconds * 1e6).rounded())
          rest = rest.dropFirst(digits.count)
        }
      }
    }
    guard let zone = zone(trimmed(rest)) else { return nil }
    return (date, time - zone)
  }

  /// The offset of a time zone; nil for an unknown one.
  private static func zone(_ text: Substring) -> Int64? {
    if ["", "z", "utc", "gmt"].contains(text.lowercased()) { return 0 }
    var rest = text
    let sign: Int64 = rest.first == "-" ? -1 : 1
    if rest.first == "-" || rest.first == "+" { rest.removeFirst() }
    let digits = rest.prefix { $0.isASCII && $0.isNumber }.count
    guard let first = integer(&rest) else { return nil }
    var (hours, minutes) = (first, Int64(0))
    if digits > 2 { (hours, minutes) = (first / 100, first % 100) }
    if remove(":", &rest) {
      guard let found = integer(&rest) else { return nil }
      minutes = found
    }
    guard rest.isEmpty, hours < 24, minutes < 60 else { return nil }
    return sign * (hours * 60 + minutes) * minute
  }

  private static func integer(_ text: inout Substring) -> Int64? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard !digits.isEmpty, digits.count < 8 else { return nil }
    text = text.dropFirst(digits.count)
    return Int64(digits)
  }

  private static func remove(_ character: Character, _ text: inout Substring) -> Bool {
    guard text.first == character else { return false }
    text.removeFirst()
    return true
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return text
  }
}

/// A calendar of the CF conventions. Each day has a number. A date of another calendar corresponds
/// to the Gregorian date with the same year, month and day, or to the last day of that month.
private enum Calendar {
  /// Julian before 1582-10-15, and Gregorian from then on.
  case standard
  case gregorian, julian
  /// Years that all have 365 days, or all have 366 days.
  case equalYears(hasLeapDay: Bool)
  /// Months of 30 days.
  case equalMonths

  init?(name: String?) {
    switch name?.lowercased() ?? "standard" {
    case "standard", "gregorian": self = .standard
    case "proleptic_gregorian": self = .gregorian
    case "julian": self = .julian
    case "noleap", "365_day": self = .equalYears(hasLeapDay: false)
    case "all_leap", "366_day": self = .equalYears(hasLeapDay: true)
    case "360_day": self = .equalMonths
    default: return nil
    }
  }

  /// Whether the month and the day of a date exist in the calendar.
  func contains(_ date: CivilDate) -> Bool {
    (1...12).contains(date.month) && (1...length(date.month, date.year)).contains(date.day)
  }

  private func length(_ month: Int64, _ year: Int64) -> Int64 {
    switch self {
    case .gregorian: CivilDate.length(ofMonth: month, year: year)
    case .standard where year > 1582: CivilDate.length(ofMonth: month, year: year)
    case .standard, .julian: CivilDate.length(ofMonth: month, year: year % 4 == 0 ? 4 : 1)
    case .equalYears(let hasLeapDay):
      CivilDate.length(ofMonth: month, year: hasLeapDay ? 4 : 1)
    case .equalMonths: 30
    }
  }

  /// The first day of the Gregorian calendar, in days since 1970-01-01.
  private static let reform = CivilDate(year: 1582, month: 10, day: 15).daysSince1970

  /// The number of a day; the number of 1970-01-01 in the Gregorian calendar is 0.
  func number(of date: CivilDate) -> Int64 {
    switch self {
    case .gregorian: return date.daysSince1970
    case .julian: return Self.julianNumber(date)
    case .standard:
      let isLate = (date.year, date.month, date.day) >= (1582, 10, 15)
      return isLate ? date.daysSince1970 : Self.julianNumber(date)
    case .equalYears(let hasLeapDay):
      let before = (1..<date.month).reduce(0) { $0 + length($1, date.year) }
      return date.year * (hasLeapDay ? 366 : 365) + before + date.day - 1
    case .equalMonths: return date.year * 360 + (date.month - 1) * 30 + date.day - 1
    }
  }

  /// The Gregorian date of a day.
  func date(_ number: Int64) -> CivilDate {
    switch self {
    case .gregorian: return CivilDate(daysSince1970: number)
    case .standard where number >= Self.reform: return CivilDate(daysSince1970: number)
    case .standard, .julian: return Self.clipped(Self.julianDate(number))
    case .equalYears(let hasLeapDay):
      let days: Int64 = hasLeapDay ? 366 : 365
      let year = number.floorDivided(by: days)
      var rest = number - year * days
      var month: Int64 = 1
      while rest >= length(month, year) {
        rest -= length(month, year)
        month += 1
      }
      return Self.clipped(CivilDate(year: year, month: month, day: rest + 1))
    case .equalMonths:
      let year = number.floorDivided(by: 360)
      let rest = number - year * 360
      return Self.clipped(CivilDate(year: year, month: rest / 30 + 1, day: rest % 30 + 1))
    }
  }

  /// A date, or the last day of its month in the Gregorian calendar.
  private static func clipped(_ date: CivilDate) -> CivilDate {
    CivilDate(
      year: date.year, month: date.month,
      day: min(date.day, CivilDate.length(ofMonth: date.month, year: date.year)))
  }

  /// The days from 1970-01-01 in the Gregorian calendar to a date in the Julian calendar.
  private static func julianNumber(_ date: CivilDate) -> Int64 {
    let shifted = date.month > 2 ? date.year : date.year - 1
    let dayOfYear =
      (153 * (date.month > 2 ? date.month - 3 : date.month + 9) + 2) / 5 + date.day - 1
    return shifted * 365 + shifted.floorDivided(by: 4) + dayOfYear - 719_470
  }

  private static func julianDate(_ number: Int64) -> CivilDate {
    let shifted = number + 719_470
    let cycle = shifted.floorDivided(by: 1461)
    let rest = shifted - cycle * 1461
    let yearOfCycle = min(rest / 365, 3)
    let dayOfYear = rest - yearOfCycle * 365
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    let year = cycle * 4 + yearOfCycle
    return CivilDate(
      year: month < 10 ? year : year + 1, month: month < 10 ? month + 3 : month - 9, day: day)
  }
}
