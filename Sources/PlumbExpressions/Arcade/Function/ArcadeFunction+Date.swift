import PlumbIO

/// The functions of dates. All functions use UTC, so `ToLocal` and `ToUTC` change nothing.
///
/// ISO 8601 text and numbers of milliseconds since 1970 are accepted as dates. Parts of null are
/// null. Years are from 0 to 9999. A result outside this range is an error.
extension ArcadeFunction {
  static let dates: [ArcadeFunction] =
    [
      ArcadeFunction("Date", .date, 0...8) { call throws(ArcadeFailure) in
        try .init(date(call))
      },
      ArcadeFunction("DateAdd", .date, 2...3) { call throws(ArcadeFailure) in
        guard let date = try call.date(0) else { return .null }
        let unit = try ArcadeDateUnit(call.count > 2 ? call.text(2) : "milliseconds")
        return try .date(unit.add(call.number(1, "the amount"), to: date))
      },
      ArcadeFunction("DateDiff", .date, 2...3) { call throws(ArcadeFailure) in
        guard let a = try call.date(0), let b = try call.date(1) else { return .null }
        let unit = try ArcadeDateUnit(call.count > 2 ? call.text(2) : "milliseconds")
        return .number(unit.count(from: b, to: a))
      },
      ArcadeFunction("Now", .date, 0...0) { call in .date(call.context.now) },
      ArcadeFunction("Timestamp", .date, 0...0) { call in .date(call.context.now) },
      ArcadeFunction("Today", .date, 0...0) { call in
        .date(ArcadeDate(ArcadeMoment(call.context.now).date, milliseconds: 0))
      },
      ArcadeFunction("ToLocal", .date, 1...1) { call throws(ArcadeFailure) in
        try .init(call.date(0))
      },
      ArcadeFunction("ToUTC", .date, 1...1) { call throws(ArcadeFailure) in
        try .init(call.date(0))
      },
      ArcadeFunction("Week", .date, 1...2) { call throws(ArcadeFailure) in
        let start = try call.whole(1, "the first day of the week", otherwise: 0)
        guard (0...6).contains(start) else {
          throw ArcadeFailure(
            "the first day of the week must be from 0 (Sunday) to 6, not \(start)")
        }
        guard let date = try call.date(0) else { return .null }
        let day = ArcadeMoment(date).date
        let first = CivilDate(year: day.year, month: 1, day: 1).weekday
        return .number(Double((day.dayOfYear - 1 + (first - Int64(start) + 7) % 7) / 7))
      },
    ] + parts

  private static let parts: [ArcadeFunction] = [
    part("Year") { $0.date.year },
    part("Month") { $0.date.month - 1 },
    part("Day") { $0.date.day },
    part("Hour") { $0.hour },
    part("Minute") { $0.minute },
    part("Second") { $0.second },
    part("Millisecond") { $0.millisecond },
    part("Weekday") { $0.date.weekday % 7 },
    part("ISOYear") { $0.date.week.year },
    part("ISOMonth") { $0.date.month },
    part("ISOWeek") { $0.date.week.number },
    part("ISOWeekday") { $0.date.weekday },
  ]

  private static func part(
    _ name: String, _ value: @escaping @Sendable (ArcadeMoment) -> Int64
  ) -> ArcadeFunction {
    ArcadeFunction(name, .date, 1...1) { call throws(ArcadeFailure) in
      guard let date = try call.date(0) else { return .null }
      return .number(Double(value(ArcadeMoment(date))))
    }
  }

  /// Returns the result of a call of `Date`. A call without arguments returns the current time. A
  /// call with one argument returns the date of a number, text or date, or null if the value is not
  /// a date. A call with more arguments returns the date with the given parts, with months counted
  /// from 0. Parts out of range carry over: month 12 is January of the next year, and day 0 is the
  /// last day of the previous month.
  private static func date(_ call: borrowing ArcadeArguments) throws(ArcadeFailure) -> ArcadeDate? {
    switch call.count {
    case 0: return call.context.now
    case 1: return try call.date(0)
    case 2: throw ArcadeFailure("Date needs a day after the year and the month")
    default: break
    }
    if call.count == 8 {
      let zone = try call.text(7).lowercased()
      guard ["", "utc", "z", "default", "system", "+00:00"].contains(zone) else {
        throw ArcadeFailure("all dates are in UTC; convert from other zones first")
      }
    }
    var parts: [Int64] = []
    for index in 0..<min(call.count, 7) {
      let number = try call.number(index, "a part of a date")
      guard !number.isNaN else { return nil }
      guard number.magnitude < 1e15 else {
        throw ArcadeFailure("\(number) is too large for a part of a date")
      }
      parts.append(Int64(number))
    }
    parts += Array(repeating: 0, count: 7 - parts.count)
    guard parts[0].magnitude < 1_000_000, parts[1].magnitude < 10_000_000,
      parts[2].magnitude < 10_000_000, parts[3].magnitude < 1_000_000_000,
      parts[4].magnitude < 10_000_000_000, parts[5].magnitude < 1_000_000_000_000
    else { throw beyondRange() }
    let month = CivilDate(year: parts[0], month: 1, day: 1).adding(months: parts[1])
    let hours = (parts[3] * 60 + parts[4]) * 60 + parts[5]
    let days = month.daysSince1970 + parts[2] - 1
    let milliseconds = days * ArcadeMoment.millisecondsOfDay + hours * 1000 + parts[6]
    guard ArcadeDate.range.contains(milliseconds) else { throw beyondRange() }
    return ArcadeDate(milliseconds: milliseconds)
  }

  static func beyondRange() -> ArcadeFailure {
    ArcadeFailure("the date is outside of the years 0 to 9999")
  }
}

extension ArcadeValue {
  init(_ date: ArcadeDate?) { self = date.map { .date($0) } ?? .null }
}
