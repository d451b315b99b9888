import PlumbIO

/// The comma-separated fields of a sentence, starting with the address.
struct NMEAFields {
  private let text: UnsafeBufferPointer<UInt8>
  private var ends: [Int] = []

  init(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
    ends.reserveCapacity(16)
    for (index, byte) in text.enumerated() where byte == UInt8(ascii: ",") { ends.append(index) }
    ends.append(text.count)
  }

  var count: Int { ends.count }

  /// A field's bytes; empty beyond the last field.
  subscript(index: Int) -> UnsafeBufferPointer<UInt8> {
    guard index < ends.count else { return UnsafeBufferPointer(rebasing: text[0..<0]) }
    return UnsafeBufferPointer(
      rebasing: text[(index == 0 ? 0 : ends[index - 1] + 1)..<ends[index]])
  }

  /// A whole number of at most nine digits; nil for other text.
  func whole(_ index: Int) -> Int? {
    let field = self[index]
    guard !field.isEmpty, field.count <= 9, field.allSatisfy({ $0.isDigit }) else { return nil }
    return field.reduce(0) { $0 * 10 + Int($1 - 48) }
  }

  /// A number; NaN if the field is empty.
  func number(_ index: Int) throws(FormatError) -> Double {
    let field = self[index]
    if field.isEmpty { return .nan }
    guard let number = NumberText.parse(field) else {
      throw FormatError("field \(index) is not a number")
    }
    return number
  }

  /// The time of day in milliseconds, truncated; nil if the field is empty. The field has the form
  /// `hhmmss`, with or without a fraction.
  func timeOfDay(_ index: Int) throws(FormatError) -> Int64? {
    let field = self[index]
    if field.isEmpty { return nil }
    let bad = FormatError("the time of day is not hhmmss")
    guard field.count >= 6, field.prefix(6).allSatisfy({ $0.isDigit }) else { throw bad }
    func two(_ at: Int) -> Int64 { Int64(field[at] - 48) * 10 + Int64(field[at + 1] - 48) }
    let seconds = UnsafeBufferPointer(rebasing: field[4...])
    guard two(0) <= 23, two(2) <= 59, seconds.allSatisfy({ $0.isDigit || $0 == 0x2E }),
      let second = NumberText.parse(seconds), second < 61
    else { throw bad }
    return (two(0) * 60 + two(2)) * 60_000 + Int64(NumberText.wholeMilliseconds(second * 1000))
  }

  func date(day: Int?, month: Int?, year: Int?) throws(FormatError) -> NMEASentence.Date {
    guard let day, let month, let year, day >= 1, day <= 31, month >= 1, month <= 12,
      year >= 1, year <= 9999
    else { throw FormatError("the date does not exist") }
    return NMEASentence.Date(year: year, month: month, day: day)
  }

  /// Reads latitude, its hemisphere, longitude and its hemisphere from four fields starting at `index`.
  func point(_ index: Int) throws(FormatError) -> SIMD2<Double> {
    let y = try angle(index, degrees: 2, sides: (UInt8(ascii: "N"), UInt8(ascii: "S")), limit: 90)
    let x = try angle(
      index + 2, degrees: 3, sides: (UInt8(ascii: "E"), UInt8(ascii: "W")), limit: 180)
    return SIMD2(x, y)
  }

  private func angle(
    _ index: Int, degrees count: Int, sides: (plus: UInt8, minus: UInt8), limit: Double
  ) throws(FormatError) -> Double {
    let what = count == 2 ? "latitude" : "longitude"
    let (field, side) = (self[index], self[index + 1])
    guard side.count == 1, side[0] == sides.plus || side[0] == sides.minus else {
      throw FormatError("the \(what) has no hemisphere")
    }
    let rest = UnsafeBufferPointer(rebasing: field.dropFirst(count))
    guard field.count >= count + 2, field.prefix(count + 2).allSatisfy({ $0.isDigit }),
      rest.allSatisfy({ $0.isDigit || $0 == 0x2E }), let minutes = NumberText.parse(rest),
      minutes < 60
    else { throw FormatError("the \(what) is not degrees and minutes") }
    let degrees = field.prefix(count).reduce(0.0) { $0 * 10 + Double($1 - 48) }
    let angle = degrees + minutes / 60
    guard angle <= limit else { throw FormatError("the \(what) is beyond \(Int(limit)) degrees") }
    return side[0] == sides.minus ? -angle : angle
  }
}

extension UInt8 {
  var isDigit: Bool { self &- 48 <= 9 }
  var isLetterOrDigit: Bool { isDigit || (self | 0x20) &- 97 < 26 }
}
