import PlumbCore

extension JSONScanner {
  /// The bytes of a range that the scanner returned.
  package func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: bytes[range])
  }

  // MARK: Strings

  /// Reads a string.
  public mutating func readString() throws(FormatError) -> String {
    text(of: try skipString())
  }

  /// Returns the content of a string that the scanner has checked. Escapes are resolved and
  /// surrogate pairs are joined. A lone surrogate and invalid UTF-8 become U+FFFD.
  /// - Parameter range: the string's bytes with quotes, as returned by `skipString` and `nextKey`.
  public func text(of range: Range<Int>) -> String {
    let inner = slice(range.lowerBound + 1..<range.upperBound - 1)
    guard inner.contains(UInt8(ascii: "\\")) else { return String(decoding: inner, as: UTF8.self) }
    return String(decoding: Self.unescaped(inner), as: UTF8.self)
  }

  /// Whether a checked string equals `name`, which must be ASCII.
  public func isText(_ range: Range<Int>, _ name: StaticString) -> Bool {
    isText(range, UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
  }

  /// Whether a checked string equals the UTF-8 in `name`.
  package func isText(_ range: Range<Int>, _ name: [UInt8]) -> Bool {
    name.withUnsafeBufferPointer { isText(range, $0) }
  }

  private func isText(_ range: Range<Int>, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
    // An escape sequence is longer than the character that it represents.
    guard range.count - 2 >= name.count else { return false }
    let inner = slice(range.lowerBound + 1..<range.upperBound - 1)
    if inner.count == name.count {
      var index = 0
      while index < name.count, inner[index] == name[index] { index += 1 }
      return index == name.count
    }
    guard inner.contains(UInt8(ascii: "\\")) else { return false }
    return Self.unescaped(inner).elementsEqual(name)
  }

  /// Returns the content of a checked string; nil if the string has a lone surrogate.
  package func wholeText(of range: Range<Int>) -> String? {
    let inner = slice(range.lowerBound + 1..<range.upperBound - 1)
    guard inner.contains(UInt8(ascii: "\\")) else { return String(decoding: inner, as: UTF8.self) }
    var isValid = true
    let bytes = Self.unescaped(inner, &isValid)
    return isValid ? String(decoding: bytes, as: UTF8.self) : nil
  }

  private static func unescaped(_ inner: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var isValid = true
    return unescaped(inner, &isValid)
  }

  private static func unescaped(
    _ inner: UnsafeBufferPointer<UInt8>, _ isValid: inout Bool
  ) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(inner.count)
    var index = 0
    while index < inner.count {
      let byte = inner[index]
      guard byte == UInt8(ascii: "\\"), index + 1 < inner.count else {
        result.append(byte)
        index += 1
        continue
      }
      let code = inner[index + 1]
      index += 2
      switch code {
      case UInt8(ascii: "b"): result.append(0x08)
      case UInt8(ascii: "f"): result.append(0x0C)
      case UInt8(ascii: "n"): result.append(0x0A)
      case UInt8(ascii: "r"): result.append(0x0D)
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "u"):
        let scalar = unicodeEscape(inner, &index)
        if scalar == nil { isValid = false }
        result.append(contentsOf: String(scalar ?? "\u{FFFD}").utf8)
      default: result.append(code)
      }
    }
    return result
  }

  /// Reads the hexadecimal digits of an escape at `index`, and the digits of a low surrogate after
  /// it; nil for a lone surrogate.
  private static func unicodeEscape(
    _ inner: UnsafeBufferPointer<UInt8>, _ index: inout Int
  ) -> Unicode.Scalar? {
    let first = hexQuad(inner, index)
    index += 4
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard index + 5 < inner.count, inner[index] == UInt8(ascii: "\\"),
      inner[index + 1] == UInt8(ascii: "u"),
      let scalar = Unicode.Scalar(high: first, low: hexQuad(inner, index + 2))
    else { return nil }
    index += 6
    return scalar
  }

  private static func hexQuad(_ inner: UnsafeBufferPointer<UInt8>, _ index: Int) -> UInt32 {
    var value: UInt32 = 0
    for offset in index..<min(index + 4, inner.count) {
      value = value << 4 | UInt32(hexDigit(inner[offset]) ?? 0)
    }
    return value
  }

  // MARK: Numbers

  /// Reads a number as the nearest double; infinite if it is out of range.
  public mutating func readDouble() throws(FormatError) -> Double {
    Self.double(slice(try skipNumber().range))
  }

  /// The nearest double to a checked number; infinite if it is out of range.
  static func double(_ literal: UnsafeBufferPointer<UInt8>) -> Double {
    NumberText.parse(literal) ?? (literal.first == UInt8(ascii: "-") ? -.infinity : .infinity)
  }

  // MARK: Any value

  /// Reads one value as an attribute.
  ///
  /// A number that has neither a fraction nor an exponent is read as an integer if it fits in an `Int64`.
  /// Longer integers, numbers too large for a double, objects and arrays remain JSON.
  public mutating func readFieldValue() throws(FormatError) -> FieldValue {
    switch peek() ?? 0 {
    case UInt8(ascii: "\""): return .text(try readString())
    case UInt8(ascii: "t"):
      try skipValue()
      return .boolean(true)
    case UInt8(ascii: "f"):
      try skipValue()
      return .boolean(false)
    case UInt8(ascii: "n"):
      try skipValue()
      return .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      let (range, isIntegral) = try skipNumber()
      let literal = slice(range)
      if isIntegral, let integer = Self.integer(literal) { return .integer(integer) }
      let value = Self.double(literal)
      if value.isFinite, !isIntegral || value == 0 { return .real(value) }
      return .json(String(decoding: literal, as: UTF8.self))
    default: return .json(String(decoding: slice(try skipValue()), as: UTF8.self))
    }
  }

  /// The value of a checked number that has neither a fraction nor an exponent. Nil if the number is
  /// too long, and for minus zero, whose sign an integer cannot represent.
  private static func integer(_ literal: UnsafeBufferPointer<UInt8>) -> Int64? {
    let isNegative = literal.first == UInt8(ascii: "-")
    var value: Int64 = 0
    for byte in literal.dropFirst(isNegative ? 1 : 0) {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let digit = Int64(byte) - 48
      let (sum, carry) =
        isNegative
        ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
      if overflow || carry { return nil }
      value = sum
    }
    return isNegative && value == 0 ? nil : value
  }
}
