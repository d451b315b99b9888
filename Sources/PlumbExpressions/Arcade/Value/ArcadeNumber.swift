import PlumbIO

/// Conversions between numbers and text.
enum ArcadeNumber {
  /// Parses text as a decimal number, or as a hexadecimal number after `0x`. Blanks around the
  /// number are ignored. The result is 0 for blank text, and NaN for text that is not a number.
  static func read(_ text: String) -> Double {
    var bytes = Array(text.utf8)[...]
    while let first = bytes.first, isBlank(first) { bytes.removeFirst() }
    while let last = bytes.last, isBlank(last) { bytes.removeLast() }
    if bytes.isEmpty { return 0 }
    let hasSign = bytes.first == UInt8(ascii: "-") || bytes.first == UInt8(ascii: "+")
    let digits = Array(hasSign ? bytes.dropFirst() : bytes)
    if !hasSign, let value = hexadecimal(digits) { return value }
    let spelled = String(decoding: digits, as: UTF8.self)
    let magnitude: Double
    if spelled == "Infinity" {
      magnitude = .infinity
    } else {
      guard let (end, _) = SQLNumber.end(of: digits, from: 0), end == digits.count,
        let value = Double(spelled)
      else { return .nan }
      magnitude = value
    }
    return bytes.first == UInt8(ascii: "-") ? -magnitude : magnitude
  }

  /// Parses `0x` and hexadecimal digits; nil for other text.
  static func hexadecimal(_ bytes: [UInt8]) -> Double? {
    guard bytes.count > 2, bytes[0] == UInt8(ascii: "0"), bytes[1] | 0x20 == UInt8(ascii: "x")
    else { return nil }
    var value = 0.0
    for byte in bytes[2...] {
      guard let digit = hexDigit(byte) else { return nil }
      value = value * 16 + Double(digit)
    }
    return value
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D) ~= byte }

  /// The shortest text that is parsed to the number, such as `3`, `0.25`, `1e+21`, `1e-7` or `NaN`.
  /// Numbers from a millionth to 10²¹ have no exponent.
  static func text(_ number: Double) -> String {
    if let integer = Int64(exactly: number), abs(number) < 1e15 { return String(integer) }
    guard number.isFinite else {
      return number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity"
    }
    let (digits, point) = decimal(number.magnitude)
    let sign = number < 0 ? "-" : ""
    let ascii = { (part: ArraySlice<UInt8>) in String(decoding: part, as: UTF8.self) }
    if point > 21 || point < -5 {
      let rest = digits.count > 1 ? "." + ascii(digits[1...]) : ""
      let power = point - 1
      return "\(sign)\(ascii(digits[..<1]))\(rest)e\(power < 0 ? "-" : "+")\(abs(power))"
    }
    if point <= 0 {
      return "\(sign)0.\(String(repeating: "0", count: -point))\(ascii(digits[...]))"
    }
    if point >= digits.count {
      return sign + ascii(digits[...]) + String(repeating: "0", count: point - digits.count)
    }
    return "\(sign)\(ascii(digits[..<point])).\(ascii(digits[point...]))"
  }

  /// The fewest digits that identify a positive number, and the number of digits before the point.
  /// The first and the last digit are not 0.
  private static func decimal(_ magnitude: Double) -> (digits: [UInt8], point: Int) {
    var digits: [UInt8] = []
    var point: Int?
    var power = 0
    var bytes = Array(magnitude.description.utf8)[...]
    if let mark = bytes.firstIndex(of: UInt8(ascii: "e")) {
      power = Int(String(decoding: bytes[(mark + 1)...], as: UTF8.self)) ?? 0
      bytes = bytes[..<mark]
    }
    for byte in bytes {
      if byte == UInt8(ascii: ".") { point = digits.count } else { digits.append(byte) }
    }
    var position = (point ?? digits.count) + power
    let leading = digits.prefix { $0 == UInt8(ascii: "0") }.count
    digits.removeFirst(leading)
    position -= leading
    while digits.count > 1, digits.last == UInt8(ascii: "0") { digits.removeLast() }
    return (digits.isEmpty ? [UInt8(ascii: "0")] : digits, digits.isEmpty ? 1 : position)
  }
}
