import PlumbCore

/// A pattern of dates with the codes of `strptime`, for names of files and columns.
///
/// | code | part |
/// |---|---|
/// | `%Y`, `%y` | the year with four digits, or its last two: 69 to 99 are 1969 to 1999 |
/// | `%m`, `%d`, `%j` | the month, the day of the month, the day of the year |
/// | `%b`, `%B` | the English name of the month, with three letters or whole |
/// | `%H`, `%M`, `%S`, `%f` | hours, minutes, seconds, and the digits of a fraction of a second |
/// | `%z` | `Z`, or the offset from UTC as `+hh:mm`, `+hhmm` or `+hh` |
/// | `%s` | seconds since 1970 |
/// | `%F`, `%T` | `%Y-%m-%d`, `%H:%M:%S` |
/// | `%%` | a percent sign |
///
/// If the pattern lacks a part of the date, the part has its first value. The whole text has to
/// match. Months, days, hours, minutes and seconds may have one digit, and the day of the year may
/// have one or two digits, unless they adjoin another number.
package struct DatePattern: Sendable, Hashable {
  private enum Element: Sendable, Hashable {
    case byte(UInt8)
    /// Any characters, or one.
    case many, one
    case year, shortYear, month, day, dayOfYear, monthName, hour, minute, second, fraction, zone,
      epoch

    /// Whether the element consists of digits.
    var isNumber: Bool {
      switch self {
      case .year, .shortYear, .month, .day, .dayOfYear, .hour, .minute, .second, .fraction, .epoch:
        true
      default: false
      }
    }
  }

  /// The pattern as written.
  package let text: String
  private let elements: [Element]
  /// Whether matches have a time of day.
  package let hasTime: Bool

  /// A matched date.
  package struct Match: Sendable, Hashable {
    /// Microseconds since 1970-01-01T00:00:00Z; midnight if there is no time of day.
    package var microseconds: Int64
    package var hasTime: Bool
  }

  /// - Parameter hasWildcards: whether `*` matches any characters and `?` matches one.
  /// - Throws: for an unknown code and for a pattern without a year.
  package init(_ text: String, hasWildcards: Bool) throws(PlumbError) {
    self.text = text
    var elements: [Element] = []
    var bytes = Array(text.utf8)[...]
    while let byte = bytes.popFirst() {
      switch byte {
      case UInt8(ascii: "*") where hasWildcards: elements.append(.many)
      case UInt8(ascii: "?") where hasWildcards: elements.append(.one)
      case UInt8(ascii: "%"):
        guard let code = bytes.popFirst(), let known = Self.elements(of: code) else {
          throw PlumbError(
            "the date pattern \(text.printable) has an unknown code; the codes are %Y %y %m %d %j %b %B "
              + "%H %M %S %f %z %s %F %T %%", code: .badOption)
        }
        elements += known
      default: elements.append(.byte(byte))
      }
    }
    guard elements.contains(where: { [.year, .shortYear, .epoch].contains($0) }) else {
      throw PlumbError(
        "the date pattern \(text.printable) has no year: %Y, %y or %s", code: .badOption)
    }
    self.elements = elements
    hasTime = elements.contains { [.hour, .epoch].contains($0) }
  }

  private static func elements(of code: UInt8) -> [Element]? {
    switch Unicode.Scalar(code) {
    case "Y": [.year]
    case "y": [.shortYear]
    case "m": [.month]
    case "d": [.day]
    case "j": [.dayOfYear]
    case "b", "B", "h": [.monthName]
    case "H": [.hour]
    case "M": [.minute]
    case "S": [.second]
    case "f": [.fraction]
    case "z": [.zone]
    case "s": [.epoch]
    case "F": [.year, .byte(45), .month, .byte(45), .day]
    case "T": [.hour, .byte(58), .minute, .byte(58), .second]
    case "%": [.byte(code)]
    default: nil
    }
  }

  /// Returns the date in a string; nil if the string does not match or the date does not exist.
  package func match(_ text: UnsafeBufferPointer<UInt8>) -> Match? {
    var search = Search(elements: elements, text: text)
    guard let microseconds = search.find(0, 0, Parts()) else { return nil }
    return Match(microseconds: microseconds, hasTime: hasTime)
  }

  /// Returns the date in a string; nil if the string does not match or the date does not exist.
  package func match(_ text: String) -> Match? {
    var text = text
    return text.withUTF8 { match($0) }
  }

  /// The parts of a date that were found.
  private struct Parts {
    var year: Int64 = 1970
    var month: Int64 = 1
    var day: Int64 = 1
    var dayOfYear: Int64?
    /// The time of day, and the offset from UTC.
    var microseconds: Int64 = 0
    var offset: Int64 = 0
    var epoch: Int64?

    /// The date in microseconds since 1970; nil if the date does not exist.
    var value: Int64? {
      if let epoch { return epoch }
      var date = CivilDate(year: year, month: month, day: day)
      guard date.isValid else { return nil }
      if let dayOfYear {
        let first = CivilDate(year: year, month: 1, day: 1).daysSince1970
        date = CivilDate(daysSince1970: first + dayOfYear - 1)
        guard date.year == year, dayOfYear >= 1 else { return nil }
      }
      return date.daysSince1970 * 86_400_000_000 + microseconds - offset
    }
  }

  /// A search by backtracking.
  private struct Search {
    let elements: [Element]
    let text: UnsafeBufferPointer<UInt8>
    /// The permitted numbers of digits of a part. A part that adjoins another number must have the
    /// maximum number of digits.
    private func counts(_ index: Int, _ most: Int) -> ClosedRange<Int> {
      let neighbours = [index - 1, index + 1].filter { elements.indices.contains($0) }
      return neighbours.contains { elements[$0].isNumber } ? most...most : 1...most
    }

    /// The number of steps that are left, which bounds the time of patterns with many wildcards.
    var steps = 100_000

    /// The date in the text from a position on, matched against the elements from an index on; nil
    /// if they do not match.
    mutating func find(_ index: Int, _ position: Int, _ parts: Parts) -> Int64? {
      steps -= 1
      guard steps > 0 else { return nil }
      guard index < elements.count else { return position == text.count ? parts.value : nil }
      switch elements[index] {
      case .byte(let byte):
        guard position < text.count, text[position] == byte else { return nil }
        return find(index + 1, position + 1, parts)
      case .one:
        guard position < text.count else { return nil }
        // A character may have several bytes.
        var next = position + 1
        while next < text.count, text[next] & 0xC0 == 0x80 { next += 1 }
        return find(index + 1, next, parts)
      case .many:
        for next in position...text.count {
          if let found = find(index + 1, next, parts) { return found }
        }
        return nil
      case .year: return number(index, position, parts, 4...4, 0...9999) { $0.year = $1 }
      case .shortYear:
        return number(index, position, parts, 2...2, 0...99) {
          $0.year = $1 + ($1 < 69 ? 2000 : 1900)
        }
      case .month: return number(index, position, parts, counts(index, 2), 1...12) { $0.month = $1 }
      case .day: return number(index, position, parts, counts(index, 2), 1...31) { $0.day = $1 }
      case .dayOfYear:
        return number(index, position, parts, counts(index, 3), 1...366) { $0.dayOfYear = $1 }
      case .hour:
        return number(index, position, parts, counts(index, 2), 0...23) {
          $0.microseconds += $1 * 3_600_000_000
        }
      case .minute:
        return number(index, position, parts, counts(index, 2), 0...59) {
          $0.microseconds += $1 * 60_000_000
        }
      case .second:
        return number(index, position, parts, counts(index, 2), 0...60) {
          $0.microseconds += $1 * 1_000_000
        }
      case .epoch:
        return number(index, position, parts, 1...12, 0...999_999_999_999) {
          $0.epoch = $1 * 1_000_000
        }
      case .fraction: return fraction(index, position, parts)
      case .monthName: return monthName(index, position, parts)
      case .zone: return zone(index, position, parts)
      }
    }

    private func digits(_ position: Int, _ count: Int) -> Int64? {
      guard position + count <= text.count else { return nil }
      var value: Int64 = 0
      for byte in text[position..<position + count] {
        guard byte &- 48 <= 9 else { return nil }
        value = value * 10 + Int64(byte &- 48)
      }
      return value
    }

    private mutating func number(
      _ index: Int, _ position: Int, _ parts: Parts, _ counts: ClosedRange<Int>,
      _ range: ClosedRange<Int64>, _ set: (inout Parts, Int64) -> Void
    ) -> Int64? {
      for count in counts.reversed() {
        guard let value = digits(position, count), range.contains(value) else { continue }
        var parts = parts
        set(&parts, value)
        if let found = find(index + 1, position + count, parts) { return found }
      }
      return nil
    }

    private mutating func fraction(_ index: Int, _ position: Int, _ parts: Parts) -> Int64? {
      for count in (1...9).reversed() {
        guard var value = digits(position, count) else { continue }
        for _ in 0..<max(0, 6 - count) { value *= 10 }
        for _ in 0..<max(0, count - 6) { value /= 10 }
        var parts = parts
        parts.microseconds += value
        if let found = find(index + 1, position + count, parts) { return found }
      }
      return nil
    }

    private static let months: [StaticString] = [
      "january", "february", "march", "april", "may", "june", "july", "august", "september",
      "october", "november", "december",
    ]

    private mutating func monthName(_ index: Int, _ position: Int, _ parts: Parts) -> Int64? {
      for (number, name) in Self.months.enumerated() {
        for count in [name.utf8CodeUnitCount, 3] where position + count <= text.count {
          let isEqual = (0..<count).allSatisfy { text[position + $0] | 0x20 == name.utf8Start[$0] }
          guard isEqual else { continue }
          var parts = parts
          parts.month = Int64(number + 1)
          if let found = find(index + 1, position + count, parts) { return found }
        }
      }
      return nil
    }

    private mutating func zone(_ index: Int, _ position: Int, _ parts: Parts) -> Int64? {
      guard position < text.count else { return nil }
      if text[position] | 0x20 == UInt8(ascii: "z") { return find(index + 1, position + 1, parts) }
      let isNegative = text[position] == UInt8(ascii: "-")
      guard isNegative || text[position] == UInt8(ascii: "+"),
        let hours = digits(position + 1, 2), hours <= 23
      else { return nil }
      let hasColon = position + 3 < text.count && text[position + 3] == UInt8(ascii: ":")
      for (start, count) in [(hasColon ? 4 : 3, 2), (3, 0)] {
        guard let minutes = digits(position + start, count), minutes <= 59 else { continue }
        var parts = parts
        parts.offset = (hours * 60 + minutes) * 60_000_000 * (isNegative ? -1 : 1)
        if let found = find(index + 1, position + start + count, parts) { return found }
      }
      return nil
    }
  }
}
