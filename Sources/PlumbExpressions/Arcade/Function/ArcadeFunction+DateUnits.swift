/// A unit of time.
enum ArcadeDateUnit {
  case milliseconds(Int64)
  case months(Int64)

  /// - Parameter name: `milliseconds`, `seconds`, `minutes`, `hours`, `days`, `weeks`, `months` or
  ///   `years`, or their singular, or `ms`, `s`, `m`, `h`, `d`, `w`, `y`. Case is ignored.
  init(_ name: String) throws(ArcadeFailure) {
    switch name.lowercased() {
    case "milliseconds", "millisecond", "ms": self = .milliseconds(1)
    case "seconds", "second", "s": self = .milliseconds(1000)
    case "minutes", "minute", "m": self = .milliseconds(60_000)
    case "hours", "hour", "h": self = .milliseconds(3_600_000)
    case "days", "day", "d": self = .milliseconds(86_400_000)
    case "weeks", "week", "w": self = .milliseconds(604_800_000)
    case "months", "month": self = .months(1)
    case "years", "year", "y": self = .months(12)
    default:
      throw ArcadeFailure(
        "units of time are milliseconds, seconds, minutes, hours, days, weeks, months and years, "
          + "not \"\(String(name.prefix(80)).printable)\"")
    }
  }

  /// The date after an amount of time. A day beyond the end of a month becomes the last day of the
  /// month. A fraction of a month is the same fraction of 30 days, and a fraction of a year is the
  /// same fraction of 365 days.
  func add(_ amount: Double, to date: ArcadeDate) throws(ArcadeFailure) -> ArcadeDate {
    guard amount.isFinite else {
      throw ArcadeFailure("the amount of time to add must be a number, not \(amount)")
    }
    let start: ArcadeDate
    let rest: Double
    switch self {
    case .milliseconds(let length):
      start = date
      rest = amount * Double(length)
    case .months(let length):
      let whole = amount.rounded(.towardZero)
      guard whole.magnitude < 1_000_000,
        let later = date.adding(months: Int64(whole) * length)
      else { throw ArcadeFunction.beyondRange() }
      start = later
      rest = (amount - whole) * (length == 12 ? 365 : 30) * 86_400_000
    }
    let milliseconds = rest.rounded()
    guard milliseconds.magnitude < 1e15 else { throw ArcadeFunction.beyondRange() }
    let sum = start.milliseconds + Int64(milliseconds)
    guard ArcadeDate.range.contains(sum) else { throw ArcadeFunction.beyondRange() }
    return ArcadeDate(milliseconds: sum)
  }

  /// The time from `a` to `b`, negative if `b` is earlier. Whole months and years are counted from the
  /// earlier date, and the rest is a fraction of the next month or year.
  func count(from a: ArcadeDate, to b: ArcadeDate) -> Double {
    switch self {
    case .milliseconds(let length):
      return Double(b.milliseconds - a.milliseconds) / Double(length)
    case .months(let length):
      guard a <= b else { return -count(from: b, to: a) }
      let (from, to) = (ArcadeMoment(a), ArcadeMoment(b))
      func later(_ count: Int64) -> Int64 {
        ArcadeDate(from.date.adding(months: count * length), milliseconds: from.milliseconds)
          .milliseconds
      }
      var whole =
        ((to.date.year - from.date.year) * 12 + to.date.month - from.date.month) / length
      while whole > 0, later(whole) > b.milliseconds { whole -= 1 }
      let (low, high) = (later(whole), later(whole + 1))
      return Double(whole) + Double(b.milliseconds - low) / Double(high - low)
    }
  }
}
