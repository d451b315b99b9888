import CKernels

/// Converts between numbers and their decimal representation. Conversions are correctly rounded,
/// and do not depend on the locale or allocate memory.
public enum NumberText {
  /// Parses a decimal number that fills the bytes, except for surrounding spaces.
  ///
  /// - Returns: the nearest double, or nil if the bytes are not one finite decimal number.
  /// - Complexity: O(bytes); about 10 ns for typical coordinates.
  @inlinable
  public static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Double? {
    guard let base = bytes.baseAddress else { return nil }
    return parse(base, bytes.count)
  }

  @usableFromInline
  static func parse(_ base: UnsafePointer<UInt8>, _ length: Int) -> Double? {
    guard length > 0 else { return nil }
    var value = 0.0
    // The common form is a plain decimal number.
    if plumb_parse_decimal(base, length, &value) != 0 { return value }
    return parseAny(base, length)
  }

  private static func parseAny(_ base: UnsafePointer<UInt8>, _ length: Int) -> Double? {
    var (start, end) = (0, length)
    while start < end, isSpace(base[start]) { start += 1 }
    while end > start, isSpace(base[end - 1]) { end -= 1 }
    var position = start
    var isNegative = false
    if position < end, base[position] == UInt8(ascii: "-") || base[position] == UInt8(ascii: "+") {
      isNegative = base[position] == UInt8(ascii: "-")
      position += 1
    }
    var digits: UInt64 = 0
    var digitCount = 0
    var exponent = 0
    var isLong = false
    var hasDigits = false
    var hasPoint = false
    while position < end {
      let byte = base[position]
      let digit = byte &- UInt8(ascii: "0")
      if digit <= 9 {
        hasDigits = true
        if digitCount < 19 {
          digits = digits &* 10 &+ UInt64(digit)
          if digits != 0 { digitCount += 1 }
          if hasPoint { exponent -= 1 }
        } else {
          isLong = true
          if !hasPoint { exponent += 1 }
        }
      } else if byte == UInt8(ascii: "."), !hasPoint {
        hasPoint = true
      } else {
        break
      }
      position += 1
    }
    guard hasDigits else { return nil }
    if position < end {
      guard base[position] | 0x20 == UInt8(ascii: "e") else { return nil }
      position += 1
      guard let power = parseExponent(base, &position, end) else { return nil }
      exponent += power
    }
    let magnitude =
      (isLong ? nil : scale(digits, exponent)) ?? slow(base, start, end, isNegative)
    guard let magnitude, magnitude.isFinite else { return nil }
    return isNegative ? -magnitude : magnitude
  }

  private static func parseExponent(
    _ base: UnsafePointer<UInt8>, _ position: inout Int, _ end: Int
  ) -> Int? {
    var isNegative = false
    if position < end, base[position] == UInt8(ascii: "-") || base[position] == UInt8(ascii: "+") {
      isNegative = base[position] == UInt8(ascii: "-")
      position += 1
    }
    guard position < end else { return nil }
    var power = 0
    while position < end {
      let digit = base[position] &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      power = min(100_000, power * 10 + Int(digit))
      position += 1
    }
    return isNegative ? -power : power
  }

  /// Returns digits × 10^exponent, rounded once; nil if the result requires more than 128-bit
  /// integer arithmetic.
  private static func scale(_ digits: UInt64, _ exponent: Int) -> Double? {
    if digits == 0 { return 0 }
    if exponent == 0 { return Double(digits) }
    if exponent < 0 {
      guard exponent >= -19 else { return nil }
      let power = powerOfTen(-exponent)
      if digits <= 1 << 53, power <= 1 << 53 { return Double(digits) / Double(power) }
      // The quotient of the two numbers, shifted to the full width, has 63 or 64 bits. For the
      // rounding, it matters only whether the remainder is zero.
      let (numerator, denominator) = (
        digits << UInt64(digits.leadingZeroBitCount), power << UInt64(power.leadingZeroBitCount)
      )
      let (quotient, remainder) = denominator.dividingFullWidth(
        (numerator >> 1, numerator << 63))
      let rounded = Double(remainder == 0 ? quotient : quotient | 1)
      let shift = power.leadingZeroBitCount - digits.leadingZeroBitCount - 63
      return rounded * Double(sign: .plus, exponent: shift, significand: 1)
    }
    guard exponent <= 19 else { return nil }
    let power = powerOfTen(exponent)
    if digits <= 1 << 53, exponent <= 15 { return Double(digits) * Double(power) }
    let (high, low) = digits.multipliedFullWidth(by: power)
    if high == 0 { return Double(low) }
    let shift = high.leadingZeroBitCount
    let top = shift == 0 ? high : high << UInt64(shift) | low >> UInt64(64 - shift)
    let rest = shift == 0 ? low : low << UInt64(shift)
    let rounded = Double(rest == 0 ? top : top | 1)
    return rounded * Double(sign: .plus, exponent: 64 - shift, significand: 1)
  }

  private static func slow(
    _ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int, _ isNegative: Bool
  ) -> Double? {
    let text = String(
      decoding: UnsafeBufferPointer(start: base + start, count: end - start), as: UTF8.self)
    return Double(text).map { isNegative ? -$0 : $0 }
  }

  /// Returns 10^0 to 10^19. At most five multiplications are needed, which are faster than a lookup
  /// in a lazily initialized table.
  static func powerOfTen(_ exponent: Int) -> UInt64 {
    var (power, base, rest) = (1 as UInt64, 10 as UInt64, exponent)
    while rest > 0 {
      if rest & 1 == 1 { power &*= base }
      base &*= base
      rest >>= 1
    }
    return power
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
  }

  /// Whether the bytes are a number with a decimal comma.
  package static func hasDecimalComma(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var commas = 0
    var copy: [UInt8] = []
    for byte in bytes where byte != UInt8(ascii: "\"") {
      if byte == UInt8(ascii: ",") {
        commas += 1
        copy.append(UInt8(ascii: "."))
      } else {
        copy.append(byte)
      }
    }
    return commas == 1 && copy.withUnsafeBufferPointer { parse($0) } != nil
  }
}

extension NumberText {
  /// Truncates milliseconds to a whole number, so that a fraction never makes a time later. A value
  /// within 0.001 of a whole number is rounded instead, because decimal fractions have rounding
  /// errors.
  package static func wholeMilliseconds(_ milliseconds: Double) -> Double {
    let nearest = milliseconds.rounded()
    return abs(milliseconds - nearest) < 1e-3 ? nearest : milliseconds.rounded(.down)
  }
}
