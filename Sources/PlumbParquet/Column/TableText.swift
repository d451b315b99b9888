import PlumbIO

/// Values of tables as text.
enum TableText {
  // MARK: Times

  /// A time of day such as `10:00:00`, with as many decimals as needed: 0, 3, 6 or 9.
  static func time(_ value: Int64, _ unit: TimeUnit) -> String {
    let seconds = value.floorDivided(by: unit.perSecond)
    let time = ISOTime.timeText(
      seconds.floorDivided(by: 3600),
      seconds.floorDivided(by: 60) - seconds.floorDivided(by: 3600) * 60,
      seconds - seconds.floorDivided(by: 60) * 60, 0)
    return time + fraction(value &- seconds &* unit.perSecond, unit)
  }

  /// A time such as `2026-05-01T10:00:00Z`.
  static func timestamp(_ value: Int64, _ unit: TimeUnit, isUTC: Bool) -> String {
    let perDay = unit.perSecond * 86_400
    let days = value.floorDivided(by: perDay)
    let date = ISOTime.dateText(CivilDate(daysSince1970: days))
    // The start of the day may be before the earliest time that nanoseconds can represent.
    return "\(date)T\(time(value &- days &* perDay, unit))\(isUTC ? "Z" : "")"
  }

  private static func fraction(_ part: Int64, _ unit: TimeUnit) -> String {
    if part == 0 { return "" }
    var (digits, part) = (unit == .milliseconds ? 3 : unit == .microseconds ? 6 : 9, part)
    while digits > 3, part % 1000 == 0 { (digits, part) = (digits - 3, part / 1000) }
    let text = String(part)
    return "." + String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }

  // MARK: Numbers

  /// A decimal number with `scale` digits after the decimal point.
  static func decimal(digits: String, scale: Int, isNegative: Bool) -> String {
    let sign = isNegative ? "-" : ""
    guard scale > 0 else { return sign + digits }
    let missing = scale + 1 - digits.utf8.count
    let padded = String(repeating: "0", count: max(0, missing)) + digits
    return "\(sign)\(padded.dropLast(scale)).\(padded.suffix(scale))"
  }

  /// The decimal digits of an integer in two's complement, most significant byte first.
  static func digits(bigEndian bytes: ArraySlice<UInt8>) -> (digits: String, isNegative: Bool) {
    let isNegative = bytes.first.map { $0 >= 0x80 } ?? false
    var words: [UInt32] = []
    var carry: UInt32 = isNegative ? 1 : 0
    var (word, count): (UInt32, UInt32) = (0, 0)
    // The magnitude in words, least significant first.
    for byte in bytes.reversed() {
      let sum = UInt32(isNegative ? ~byte : byte) + carry
      carry = sum >> 8
      word |= (sum & 0xFF) << (8 * count)
      count += 1
      if count == 4 {
        words.append(word)
        (word, count) = (0, 0)
      }
    }
    words.append(word)
    if carry > 0 { words.append(carry) }
    var text: [UInt8] = []
    while let last = words.last {
      if last == 0 {
        words.removeLast()
        continue
      }
      var rest: UInt64 = 0
      for index in words.indices.reversed() {
        let value = rest << 32 | UInt64(words[index])
        words[index] = UInt32(truncatingIfNeeded: value / 1_000_000_000)
        rest = value % 1_000_000_000
      }
      for _ in 0..<9 {
        text.append(UInt8(ascii: "0") + UInt8(rest % 10))
        rest /= 10
      }
    }
    while text.last == UInt8(ascii: "0") { text.removeLast() }
    return (text.isEmpty ? "0" : String(decoding: text.reversed(), as: UTF8.self), isNegative)
  }

  /// The value of a 16-bit IEEE floating-point number with the given bits.
  static func float(bits: UInt16) -> Float {
    let exponent = Int(bits >> 10 & 0x1F)
    let fraction = Float(bits & 0x3FF)
    let magnitude: Float =
      switch exponent {
      case 0: fraction * 0x1p-24
      case 31: bits & 0x3FF == 0 ? .infinity : .nan
      default: (fraction + 1024) * Float(sign: .plus, exponent: exponent - 25, significand: 1)
      }
    return bits & 0x8000 == 0 ? magnitude : -magnitude
  }

  // MARK: Bytes

  static func hex(_ bytes: ArraySlice<UInt8>) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    return String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
      var next = 0
      for byte in bytes {
        text[next] = digits[Int(byte >> 4)]
        text[next + 1] = digits[Int(byte & 15)]
        next += 2
      }
      return next
    }
  }

  static func uuid(_ bytes: ArraySlice<UInt8>) -> String {
    let text = hex(bytes).lowercased()
    var (parts, rest): ([Substring], Substring) = ([], text[...])
    for count in [8, 4, 4, 4] {
      parts.append(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    return (parts + [rest]).joined(separator: "-")
  }
}
