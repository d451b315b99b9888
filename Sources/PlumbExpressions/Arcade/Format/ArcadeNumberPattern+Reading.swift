extension ArcadeNumberPattern {
  /// Parses text formatted with the pattern, without blanks around it.
  ///
  /// The text before and after the digits must equal the text of the pattern, and commas between
  /// groups are optional. The number of decimals must be at least the number of zeros, and at most
  /// the number of digits, after the point in the pattern. The number of digits before the point is
  /// not limited. `%` divides the number by 100, and `‰` divides it by 1,000.
  ///
  /// - Returns: nil for text that does not match the pattern.
  func number(of text: String) -> Double? {
    let bytes = text.utf8.drop(while: Self.isBlank)
    let end = bytes.lastIndex { !Self.isBlank($0) }.map { bytes.index(after: $0) }
    let trimmed = Array(bytes[..<(end ?? bytes.startIndex)])
    for (affixes, sign) in [(negative, "-"), (positive, "")] {
      guard let digits = Self.within(affixes, trimmed), let plain = plain(digits) else { continue }
      return Double(sign + plain + "e-\(shift)")
    }
    return nil
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D) ~= byte }

  /// The bytes between the prefix and the suffix; nil if the text has another prefix or suffix.
  private static func within(
    _ affixes: (prefix: String, suffix: String), _ bytes: [UInt8]
  ) -> ArraySlice<UInt8>? {
    let (prefix, suffix) = (
      Array(affixes.prefix.utf8.drop(while: isBlank)), Array(affixes.suffix.utf8)
    )
    // Blanks at the end of the pattern are ignored, because the blanks of the text were removed.
    let last = suffix.lastIndex { !isBlank($0) } ?? -1
    let tail = suffix[...last]
    guard bytes.count >= prefix.count + tail.count, bytes.starts(with: prefix),
      bytes.suffix(tail.count).elementsEqual(tail)
    else { return nil }
    return bytes[prefix.count..<bytes.count - tail.count]
  }

  /// The digits without commas; nil if they do not match the pattern.
  private func plain(_ bytes: ArraySlice<UInt8>) -> String? {
    let isDigit: (UInt8) -> Bool = { $0 &- UInt8(ascii: "0") <= 9 }
    let comma = UInt8(ascii: ",")
    let parts = bytes.split(
      separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first else { return nil }
    let digits = whole.filter { $0 != comma }
    let fraction = parts.count > 1 ? parts[1] : []
    guard digits.allSatisfy(isDigit), fraction.allSatisfy(isDigit) else { return nil }
    guard (decimals.minimum...decimals.maximum).contains(fraction.count) else { return nil }
    guard parts.count == 1 || !fraction.isEmpty, !digits.isEmpty || !fraction.isEmpty else {
      return nil
    }
    if digits.count < whole.count {
      // The text must have no commas or all commas of the pattern.
      var left = digits.count
      var written: [UInt8] = []
      for digit in digits {
        if left < digits.count, isGroupEnd(left) { written.append(comma) }
        written.append(digit)
        left -= 1
      }
      guard written.elementsEqual(whole) else { return nil }
    }
    return String(decoding: digits, as: UTF8.self) + "."
      + (fraction.isEmpty ? "0" : String(decoding: fraction, as: UTF8.self))
  }
}
