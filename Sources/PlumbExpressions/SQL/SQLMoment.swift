/// A date and time, to the microsecond, on the proleptic Gregorian calendar from year 0 to 9999.
///
/// A text with a zone is brought to UTC; one without counts as UTC.
struct SQLMoment: Sendable, Hashable, Comparable {
  /// Since 1970-01-01T00:00:00Z.
  var microseconds: Int64

  static func < (a: Self, b: Self) -> Bool { a.microseconds < b.microseconds }

  /// Reads `YYYY-MM-DD`, then maybe `T` or a space and `hh:mm`, `hh:mm:ss` or `hh:mm:ss.fraction`,
  /// then maybe `Z`, `+hh:mm` or `-hh:mm`; nil when the text is not such a date.
  init?(_ text: String) {
    var copy = text
    guard let found = copy.withUTF8({ Self.read($0) }) else { return nil }
    microseconds = found
  }

  private static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
    var next = 0
    func number(_ digits: Int) -> Int64? {
      guard next + digits <= bytes.count else { return nil }
      var value: Int64 = 0
      for index in next..<next + digits {
        let digit = bytes[index] &- UInt8(ascii: "0")
        guard digit <= 9 else { return nil }
        value = value * 10 + Int64(digit)
      }
      next += digits
      return value
    }
    func skip(_ sign: Unicode.Scalar) -> Bool {
      guard next < bytes.count, bytes[next] == UInt8(ascii: sign) else { return false }
      next += 1
      return true
    }
    guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2)
    else { return nil }
    let date = CivilDate(year: year, month: month, day: day)
    guard date.isValid else { return nil }
    var seconds = date.daysSince1970 * 86_400
    if next == bytes.count { return seconds * 1_000_000 }
    guard skip("T") || skip(" "), let hour = number(2), skip(":"), let minute = number(2),
      hour < 24, minute < 60
    else { return nil }
    seconds += hour * 3600 + minute * 60
    var fraction: Int64 = 0
    if skip(":") {
      // A leap second is the next minute's first.
      guard let second = number(2), second <= 60 else { return nil }
      seconds += second
      if skip(".") {
        var (unit, digits): (Int64, Int) = (100_000, 0)
        while let digit = number(1) {
          fraction += digit * unit
          unit /= 10
          digits += 1
        }
        guard digits > 0 else { return nil }
      }
    }
    if next < bytes.count, !skip("Z") {
      let isEast = skip("+")
      guard isEast || skip("-"), let hours = number(2), skip(":"), let minutes = number(2),
        hours < 24, minutes < 60
      else { return nil }
      let offset = hours * 3600 + minutes * 60
      seconds -= isEast ? offset : -offset
    }
    guard next == bytes.count else { return nil }
    return seconds * 1_000_000 + fraction
  }
}
