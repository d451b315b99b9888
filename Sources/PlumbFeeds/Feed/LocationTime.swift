import PlumbCore
import PlumbExpressions
import PlumbFormats
import PlumbIO

/// Times of fixes from text, as milliseconds since 1970-01-01T00:00:00Z.
///
/// ISO 8601 calendar dates, extended or basic, with `T` or a space before the time of day, a
/// fraction of any length (cut to milliseconds, as in Arcade) and an offset; without an offset the time is
/// UTC, without a time of day midnight. Or a number: Unix seconds, milliseconds from 10^11 on; one
/// of 10^13 and more (the year 2286, in milliseconds) is neither and is refused.
enum LocationTime {
  /// - Returns: nil for what is no time.
  static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
    var text = Cursor(bytes)
    if let time = calendar(&text) { return time }
    return number(bytes)
  }

  private static func number(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
    guard let number = NumberText.parse(bytes), number.magnitude < 1e13 else { return nil }
    return Int64(
      NumberText.wholeMilliseconds(number.magnitude >= 1e11 ? number : number * 1000))
  }

  private static func calendar(_ text: inout Cursor) -> Int64? {
    guard let year = text.digits(4) else { return nil }
    let separator = text.peek
    let isExtended = separator == UInt8(ascii: "-") || separator == UInt8(ascii: "/")
    if isExtended { text.step() }
    guard let month = text.digits(2) else { return nil }
    if isExtended { guard text.take(separator) else { return nil } }
    guard let day = text.digits(2), let days = days(year, month, day) else { return nil }
    // Eight digits alone are a number.
    if text.isAtEnd { return isExtended ? days * 86_400_000 : nil }
    guard text.takeDayEnd(), let time = timeOfDay(&text) else { return nil }
    guard let offset = offset(&text), text.isAtEnd else { return nil }
    return days * 86_400_000 + time - offset
  }

  private static func timeOfDay(_ text: inout Cursor) -> Int64? {
    guard let hour = text.digits(2) else { return nil }
    let isExtended = text.take(UInt8(ascii: ":"))
    guard let minute = text.digits(2) else { return nil }
    var milliseconds: Int64 = 0
    if isExtended ? text.take(UInt8(ascii: ":")) : text.isAtDigit {
      guard let second = text.digits(2), second <= 60 else { return nil }
      milliseconds = second * 1000
      if text.take(UInt8(ascii: ".")) || text.take(UInt8(ascii: ",")) {
        guard let fraction = text.fraction() else { return nil }
        milliseconds += fraction
      }
    }
    guard minute <= 59, hour <= 23 || hour == 24 && minute == 0 && milliseconds == 0 else {
      return nil
    }
    return (hour * 60 + minute) * 60_000 + milliseconds
  }

  /// Milliseconds by which the text's clock is ahead of UTC.
  private static func offset(_ text: inout Cursor) -> Int64? {
    if text.isAtEnd || text.take(UInt8(ascii: "Z")) || text.take(UInt8(ascii: "z")) { return 0 }
    if text.takeUTC() { return 0 }
    let isNegative = text.peek == UInt8(ascii: "-")
    guard isNegative || text.peek == UInt8(ascii: "+") else { return nil }
    text.step()
    guard let hour = text.digits(2), hour <= 23 else { return nil }
    let hasColon = text.take(UInt8(ascii: ":"))
    var minute: Int64 = 0
    if hasColon || !text.isAtEnd {
      guard let digits = text.digits(2), digits <= 59 else { return nil }
      minute = digits
    }
    let offset = (hour * 60 + minute) * 60_000
    return isNegative ? -offset : offset
  }

  /// Days from 1970-01-01 to a day of the Gregorian calendar; nil when there is no such day.
  static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64? {
    guard year >= 1, year <= 9999 else { return nil }
    let date = CivilDate(year: year, month: month, day: day)
    return date.isValid ? date.daysSince1970 : nil
  }
}

/// Steps through the bytes of a time, blanks at the ends left out.
private struct Cursor {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  private var end: Int

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    end = bytes.count
    while position < end, bytes[position] == 0x20 || bytes[position] == 0x09 { position += 1 }
    while end > position, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
  }

  var isAtEnd: Bool { position == end }
  var peek: UInt8? { position < end ? bytes[position] : nil }
  var isAtDigit: Bool { position < end && bytes[position] &- 48 <= 9 }
  mutating func step() { position += 1 }

  mutating func take(_ byte: UInt8?) -> Bool {
    guard let byte, position < end, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  /// What stands between day and time of day: `T`, `t` or one space.
  mutating func takeDayEnd() -> Bool {
    take(UInt8(ascii: "T")) || take(UInt8(ascii: " ")) || take(UInt8(ascii: "t"))
  }

  /// ` UTC`, ` GMT` or ` Z`, as some programs write; or the space before an offset.
  mutating func takeUTC() -> Bool {
    guard take(0x20) else { return false }
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

  /// Milliseconds of the digits after the point, what is finer cut off.
  mutating func fraction() -> Int64? {
    let first = position
    var value: Int64 = 0
    while position < end, bytes[position] &- 48 <= 9 {
      let place = position - first
      let digit = Int64(bytes[position] &- 48)
      if place < 3 { value = value * 10 + digit }
      position += 1
    }
    guard position > first else { return nil }
    for _ in 0..<max(0, 3 - (position - first)) { value *= 10 }
    return value
  }
}

extension LocationFeed {
  /// The time that a text says, as feeds write it: ISO 8601, UTC without a zone, or a number of
  /// seconds or milliseconds since 1970.
  ///
  /// - Returns: milliseconds since 1970-01-01T00:00:00Z.
  public static func time(_ text: String) throws(PlumbError) -> Int64 {
    var copy = text
    guard let time = copy.withUTF8({ LocationTime.parse($0) }) else {
      throw PlumbError("\(text.printable) is no time; expected one as 2026-05-01T10:00:00Z")
    }
    return time
  }
}
