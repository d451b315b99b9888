/// Numbers in conditions, which consist of digits, a point and an exponent. Hexadecimal numbers and
/// "inf" are not numbers.
enum SQLNumber {
  /// The end of the unsigned number at a byte; nil if no number starts at the byte.
  static func end(
    of bytes: some RandomAccessCollection<UInt8>, from start: Int
  ) -> (end: Int, isReal: Bool)? {
    let count = bytes.count
    func byte(_ index: Int) -> UInt8 {
      index < count ? bytes[bytes.index(bytes.startIndex, offsetBy: index)] : 0
    }
    func isDigit(_ index: Int) -> Bool { byte(index) &- UInt8(ascii: "0") <= 9 }
    var next = start
    while isDigit(next) { next += 1 }
    var digits = next - start
    var isReal = false
    if byte(next) == UInt8(ascii: ".") {
      isReal = true
      next += 1
      let point = next
      while isDigit(next) { next += 1 }
      digits += next - point
    }
    guard digits > 0 else { return nil }
    if byte(next) | 0x20 == UInt8(ascii: "e") {
      var power = next + 1
      if byte(power) == UInt8(ascii: "+") || byte(power) == UInt8(ascii: "-") { power += 1 }
      if isDigit(power) {
        while isDigit(power) { power += 1 }
        next = power
        isReal = true
      }
    }
    return (next, isReal)
  }

  /// Parses text as a number; nil if the text is not a finite number. Spaces around the number are
  /// ignored. The result is an integer if the number is written as an integer and fits into 64
  /// bits, and otherwise the nearest double.
  static func read(_ text: String) -> SQLValue? {
    let space = UInt8(ascii: " ")
    guard let first = text.utf8.firstIndex(where: { $0 != space }),
      let last = text.utf8.lastIndex(where: { $0 != space })
    else { return nil }
    let trimmed = text[first...last]
    let hasSign = trimmed.utf8.first == UInt8(ascii: "-") || trimmed.utf8.first == UInt8(ascii: "+")
    guard let (end, isReal) = end(of: Array(trimmed.utf8), from: hasSign ? 1 : 0),
      end == trimmed.utf8.count
    else { return nil }
    if !isReal, let integer = Int64(trimmed) { return .integer(integer) }
    guard let real = Double(trimmed), real.isFinite else { return nil }
    return .real(real)
  }
}
