/// A length of time. As in SQL, months are separate from days and time, because a month does not have a fixed
/// number of days.
enum SQLInterval: Sendable, Hashable {
  /// An interval of YEAR and MONTH.
  case months(Int64)
  /// An interval of DAY, HOUR, MINUTE and SECOND. A day has 24 hours.
  case microseconds(Int64)

  /// Parses the text of `INTERVAL 'text' FIRST TO LAST`, such as `7`, `1-6` or `3 12:30:00.5`, with
  /// an optional sign. Every unit from the first to the last has a number, and only the number of
  /// the first unit may exceed the unit's range. Returns nil if the text is invalid.
  init?(_ text: String, _ first: SQLUnit, _ last: SQLUnit) {
    var scan = Scanner(text)
    let isNegative = scan.consumeSign()
    var total: Int64 = 0
    for unit in SQLUnit.allCases where unit >= first && unit <= last {
      if unit != first, !scan.consume(unit.separator) { return nil }
      guard let number = scan.number(digits: unit == first ? 18 : 2),
        unit == first || number <= unit.greatest
      else { return nil }
      let (part, isTooLong) = number.multipliedReportingOverflow(by: unit.size)
      let (whole, isOver) = total.addingReportingOverflow(part)
      let fraction = unit == .second ? scan.fraction() ?? 0 : 0
      let (sum, isPast) = whole.addingReportingOverflow(fraction)
      if isTooLong || isOver || isPast { return nil }
      total = sum
    }
    guard scan.isAtEnd else { return nil }
    let signed = isNegative ? -total : total
    self = first.isOfMonths ? .months(signed) : .microseconds(signed)
  }

  /// -1, 0 or 1 if `a` is shorter than, equal to or longer than `b`; nil for months compared with time.
  static func order(_ a: SQLInterval, _ b: SQLInterval) -> Int? {
    switch (a, b) {
    case (.months(let a), .months(let b)), (.microseconds(let a), .microseconds(let b)):
      a < b ? -1 : a > b ? 1 : 0
    default: nil
    }
  }

  /// The interval with the opposite sign; nil beyond 64 bits.
  var negated: SQLInterval? {
    switch self {
    case .months(let months): months == .min ? nil : .months(-months)
    case .microseconds(let time): time == .min ? nil : .microseconds(-time)
    }
  }

  /// The sum of two intervals; nil for months added to time, and beyond 64 bits.
  func adding(_ other: SQLInterval) -> SQLInterval? {
    switch (self, other) {
    case (.months(let a), .months(let b)):
      let (sum, isOver) = a.addingReportingOverflow(b)
      return isOver ? nil : .months(sum)
    case (.microseconds(let a), .microseconds(let b)):
      let (sum, isOver) = a.addingReportingOverflow(b)
      return isOver ? nil : .microseconds(sum)
    default: return nil
    }
  }

  /// The interval with a changed length; nil beyond 64 bits. Months are truncated to whole months,
  /// and other intervals are rounded to the nearest microsecond.
  func scaled(_ change: (Double) -> Double) -> SQLInterval? {
    switch self {
    case .months(let months):
      Int64(exactly: change(Double(months)).rounded(.towardZero)).map { .months($0) }
    case .microseconds(let time):
      Int64(exactly: change(Double(time)).rounded()).map { .microseconds($0) }
    }
  }
}

/// Units of intervals, the longest first.
enum SQLUnit: String, Sendable, Hashable, CaseIterable, Comparable {
  case year = "YEAR"
  case month = "MONTH"
  case day = "DAY"
  case hour = "HOUR"
  case minute = "MINUTE"
  case second = "SECOND"

  /// Orders units by length, the longest first.
  static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }

  private var rank: Int {
    switch self {
    case .year: 0
    case .month: 1
    case .day: 2
    case .hour: 3
    case .minute: 4
    case .second: 5
    }
  }

  var isOfMonths: Bool { self <= .month }

  /// The length in months or in microseconds.
  var size: Int64 {
    switch self {
    case .year: 12
    case .month: 1
    case .day: 86_400_000_000
    case .hour: 3_600_000_000
    case .minute: 60_000_000
    case .second: 1_000_000
    }
  }

  /// The maximum number of this unit if it follows a longer unit.
  fileprivate var greatest: Int64 {
    switch self {
    case .year, .day: .max
    case .month: 11
    case .hour: 23
    case .minute, .second: 59
    }
  }

  /// The separator between the next longer unit and this unit.
  fileprivate var separator: UInt8 {
    switch self {
    case .year, .month: UInt8(ascii: "-")
    case .day, .hour: UInt8(ascii: " ")
    case .minute, .second: UInt8(ascii: ":")
    }
  }
}

/// A scanner of the bytes of an interval.
private struct Scanner {
  private let bytes: [UInt8]
  private var next = 0

  /// Creates a scanner that ignores spaces around the text.
  init(_ text: String) {
    bytes = Array(SQLText.trimmed(text, start: true, end: true).utf8)
  }

  var isAtEnd: Bool { next == bytes.count }

  mutating func consume(_ byte: UInt8) -> Bool {
    guard next < bytes.count, bytes[next] == byte else { return false }
    next += 1
    return true
  }

  /// Skips a sign, and returns whether it is a minus sign.
  mutating func consumeSign() -> Bool {
    if consume(UInt8(ascii: "-")) { return true }
    _ = consume(UInt8(ascii: "+"))
    return false
  }

  mutating func number(digits maximum: Int) -> Int64? {
    let start = next
    var number: Int64 = 0
    while next < bytes.count, bytes[next] &- 48 <= 9 {
      guard next - start < maximum else { return nil }
      number = number * 10 + Int64(bytes[next] &- 48)
      next += 1
    }
    return next > start ? number : nil
  }

  /// Scans a point and digits, and returns the microseconds. Finer digits are dropped. Returns nil,
  /// without moving, if no digit follows.
  mutating func fraction() -> Int64? {
    let start = next
    guard consume(UInt8(ascii: ".")) else { return nil }
    var (value, unit): (Int64, Int64) = (0, 100_000)
    let first = next
    while next < bytes.count, bytes[next] &- 48 <= 9 {
      value += Int64(bytes[next] &- 48) * unit
      unit /= 10
      next += 1
    }
    if next > first { return value }
    next = start
    return nil
  }
}
