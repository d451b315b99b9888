/// Reads and writes ISO 8601 times.
package enum ISOTime {
  /// The accepted forms in addition to the common form. The common form is `YYYY-MM-DD`, optionally
  /// followed by `T` or a space and `hh:mm`, `hh:mm:ss` or `hh:mm:ss.fraction`, optionally followed
  /// by `Z`, `+hh:mm` or `-hh:mm`.
  ///
  /// Conditions accept only the common form, because SQL has no other form. Arcade expressions also
  /// accept parts of dates and short zones, like Esri's Arcade. Feeds also accept the forms that
  /// GPS receivers and their software write.
  package struct Forms: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A year, or a year and a month. It represents the first day of the year or month.
    static let partsOfDates = Forms(rawValue: 1)
    /// Zones such as `+hhmm` and `+hh`.
    static let shortZones = Forms(rawValue: 2)
    /// Surrounding spaces and tabs; `YYYY/MM/DD`; a day of the year, `YYYY-DDD`; basic dates and basic times; hours
    /// without minutes; `t` and `z`; a decimal comma; `24:00`; ` UTC`, ` GMT` and ` Z`; and a space before the zone. A basic date
    /// must have a time of day, because eight digits alone are a number. Year 0 is rejected,
    /// because clocks that were never set report it.
    package static let loose = Forms(rawValue: 4)

    package static let conditions: Forms = []
    package static let arcade: Forms = [.partsOfDates, .shortZones]
    package static let feeds: Forms = [.shortZones, .loose]
  }

  // MARK: Reading

  /// The microseconds since 1970-01-01T00:00:00Z, truncated; nil if the bytes are not a time.
  ///
  /// Years are from 0 to 9999 in the proleptic Gregorian calendar. Without a zone, the time is UTC.
  /// Without a time of day, it is midnight. A leap second is treated as the first second of the
  /// next minute.
  package static func microseconds(
    _ bytes: UnsafeBufferPointer<UInt8>, _ forms: Forms
  ) -> Int64? {
    let isLoose = forms.contains(.loose)
    var text = Cursor(bytes, trims: isLoose)
    guard let year = text.digits(4), year > 0 || !isLoose else { return nil }
    var (month, day): (Int64, Int64) = (1, 1)
    var isExtended = true
    let hasParts = forms.contains(.partsOfDates)
    if !hasParts || !text.isAtEnd {
      let separator = text.peek
      isExtended = separator == UInt8(ascii: "-") || isLoose && separator == UInt8(ascii: "/")
      guard isExtended || isLoose else { return nil }
      if isExtended { text.step() }
      let isOrdinal = isLoose && separator == UInt8(ascii: "-") && text.digitCount == 3
      if isOrdinal, let number = text.digits(3) {
        let first = CivilDate(year: year, month: 1, day: 1).daysSince1970
        let date = CivilDate(daysSince1970: first + number - 1)
        guard date.year == year else { return nil }
        (month, day) = (date.month, date.day)
      } else {
        guard let number = text.digits(2) else { return nil }
        month = number
      }
      if !isOrdinal, !hasParts || !text.isAtEnd {
        guard !isExtended || text.consume(separator), let number = text.digits(2) else {
          return nil
        }
        day = number
      }
    }
    let date = CivilDate(year: year, month: month, day: day)
    guard date.isValid else { return nil }
    let midnight = date.daysSince1970 * microsecondsOfDay
    if text.isAtEnd { return isExtended ? midnight : nil }
    guard text.consumeDayEnd(isLoose), let time = timeOfDay(&text, isLoose),
      let offset = offset(&text, forms), text.isAtEnd
    else { return nil }
    return midnight + time - offset
  }

  private static let microsecondsOfDay: Int64 = 86_400_000_000

  private static func timeOfDay(_ text: inout Cursor, _ isLoose: Bool) -> Int64? {
    guard let hour = text.digits(2) else { return nil }
    let isExtended = text.consume(UInt8(ascii: ":"))
    if isLoose, !isExtended, !text.isAtDigit {
      return hour <= 24 ? hour * 3_600_000_000 : nil
    }
    guard isExtended || isLoose, let minute = text.digits(2) else { return nil }
    var microseconds: Int64 = 0
    if isExtended ? text.consume(UInt8(ascii: ":")) : text.isAtDigit {
      guard let second = text.digits(2), second <= 60 else { return nil }
      microseconds = second * 1_000_000
      if text.consume(UInt8(ascii: ".")) || isLoose && text.consume(UInt8(ascii: ",")) {
        guard let fraction = text.fraction() else { return nil }
        microseconds += fraction
      }
    }
    guard minute <= 59,
      hour <= 23 || isLoose && hour == 24 && minute == 0 && microseconds == 0
    else { return nil }
    return (hour * 60 + minute) * 60_000_000 + microseconds
  }

  /// The offset from UTC in microseconds, positive if the zone is ahead of UTC.
  private static func offset(_ text: inout Cursor, _ forms: Forms) -> Int64? {
    if text.isAtEnd || text.consume(UInt8(ascii: "Z")) { return 0 }
    if forms.contains(.loose), text.consume(UInt8(ascii: "z")) || text.consumeUTC() { return 0 }
    let isNegative = text.peek == UInt8(ascii: "-")
    guard isNegative || text.peek == UInt8(ascii: "+") else { return nil }
    text.step()
    guard let hour = text.digits(2), hour <= 23 else { return nil }
    let hasColon = text.consume(UInt8(ascii: ":"))
    guard hasColon || forms.contains(.shortZones) else { return nil }
    var minute: Int64 = 0
    if hasColon || !text.isAtEnd {
      guard let digits = text.digits(2), digits <= 59 else { return nil }
      minute = digits
    }
    let offset = (hour * 60 + minute) * 60_000_000
    return isNegative ? -offset : offset
  }

  // MARK: Writing

  /// Returns a time such as `2026-05-01T10:00:00Z`, with milliseconds if they are not zero. Years
  /// of more than four digits have a sign and at least six digits.
  ///
  /// - Parameter milliseconds: the milliseconds since 1970-01-01T00:00:00Z.
  package static func text(milliseconds: Int64) -> String {
    let days = milliseconds.floorDivided(by: 86_400_000)
    let rest = milliseconds - days * 86_400_000
    let seconds = rest / 1000
    let time = timeText(seconds / 3600, seconds / 60 % 60, seconds % 60, rest % 1000)
    return "\(dateText(CivilDate(daysSince1970: days)))T\(time)Z"
  }

  /// Returns a date such as `2026-05-01`.
  package static func dateText(_ date: CivilDate) -> String {
    let year = date.year
    let yearText =
      (0...9999) ~= year ? padded(year, 4) : (year < 0 ? "-" : "+") + padded(abs(year), 6)
    return "\(yearText)-\(padded(date.month, 2))-\(padded(date.day, 2))"
  }

  /// Returns a time of day such as `10:00:00`, with milliseconds if they are not zero.
  package static func timeText(
    _ hour: Int64, _ minute: Int64, _ second: Int64, _ millisecond: Int64
  ) -> String {
    let text = padded(hour, 2) + ":" + padded(minute, 2) + ":" + padded(second, 2)
    return millisecond == 0 ? text : text + "." + padded(millisecond, 3)
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

/// A cursor over the bytes of a time.
private struct Cursor {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  private var end: Int

  /// - Parameter trims: whether leading and trailing spaces and tabs are ignored.
  init(_ bytes: UnsafeBufferPointer<UInt8>, trims: Bool) {
    self.bytes = bytes
    end = bytes.count
    guard trims else { return }
    while position < end, bytes[position] == 0x20 || bytes[position] == 0x09 { position += 1 }
    while end > position, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
  }

  var isAtEnd: Bool { position == end }
  var peek: UInt8? { position < end ? bytes[position] : nil }
  /// The number of digits from here to the next other character.
  var digitCount: Int {
    (position..<end).prefix { bytes[$0] &- 48 <= 9 }.count
  }
  var isAtDigit: Bool { position < end && bytes[position] &- 48 <= 9 }
  mutating func step() { position += 1 }

  mutating func consume(_ byte: UInt8?) -> Bool {
    guard let byte, position < end, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  /// Skips the separator between the date and the time of day. Returns false if there is none.
  mutating func consumeDayEnd(_ isLoose: Bool) -> Bool {
    consume(UInt8(ascii: "T")) || consume(UInt8(ascii: " "))
      || isLoose && consume(UInt8(ascii: "t"))
  }

  /// Skips ` UTC`, ` GMT` or ` Z`, which some programs write, or only the space before an offset.
  /// Returns whether it skipped one of the names.
  mutating func consumeUTC() -> Bool {
    guard consume(0x20) else { return false }
    for word in ["UTC", "GMT", "Z"] as [StaticString] {
      let count = word.utf8CodeUnitCount
      let letters = UnsafeBufferPointer(start: word.utf8Start, count: count)
      if end - position == count, bytes[position..<end].elementsEqual(letters) {
        position = end
        return true
      }
    }
    return false
  }

  mutating func digits(_ count: Int) -> Int64? {
    guard end - position >= count else { return nil }
    var value: Int64 = 0
    for index in position..<position + count {
      let digit = bytes[index] &- 48
      guard digit <= 9 else { return nil }
      value = value * 10 + Int64(digit)
    }
    position += count
    return value
  }

  /// Reads the digits after the decimal point and returns them in microseconds, truncated.
  mutating func fraction() -> Int64? {
    let first = position
    var (value, unit): (Int64, Int64) = (0, 100_000)
    while position < end, bytes[position] &- 48 <= 9 {
      value += Int64(bytes[position] &- 48) * unit
      unit /= 10
      position += 1
    }
    return position > first ? value : nil
  }
}
