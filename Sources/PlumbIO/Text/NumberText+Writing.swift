extension NumberText {
  /// Appends the shortest decimal number that is parsed as the same double. The result equals the
  /// value's `description`, but no string is created.
  package static func append(_ value: Double, to text: TextBuffer) {
    if appendShort(value, to: text) { return }
    var stream = NumberStream(text: text)
    value.write(to: &stream)
  }

  /// Appends the shortest decimal number that is parsed as the same float.
  package static func append(_ value: Float, to text: TextBuffer) {
    if appendShort(value, to: text) { return }
    var stream = NumberStream(text: text)
    value.write(to: &stream)
  }

  /// Appends a double whose shortest representation has at most 15 digits, which is the most common
  /// case.
  ///
  /// Different decimal numbers of at most 15 digits are parsed as different doubles. Therefore,
  /// such a number that is parsed as `value` is its shortest representation.
  ///
  /// - Returns: false for other values.
  private static func appendShort(_ value: Double, to text: TextBuffer) -> Bool {
    let size = value.magnitude
    guard size >= 1e-3, size < 1e15 else {
      guard value == 0 else { return false }
      text.append(literal: value.sign == .minus ? "-0.0" : "0.0")
      return true
    }
    let integer = UInt64(size)
    if Double(integer) == size {
      append(isNegative: value < 0, integer, to: text)
      return true
    }
    let leading = size >= 0.1 ? 0 : size >= 0.01 ? -1 : -2
    let digitsAfterPoint = 15 - (integer > 0 ? TextBuffer.digitCount(integer) : leading)
    let power = Double(powerOfTen(digitsAfterPoint))
    // Integers below 2⁵³ and powers of ten up to 10²² can be represented exactly as doubles, so the
    // quotient is rounded only once.
    let digits = UInt64(size * power + 0.5)
    guard Double(digits) / power == size else { return false }
    append(isNegative: value < 0, integer, digits, digitsAfterPoint: digitsAfterPoint, to: text)
    return true
  }

  /// Appends a float whose shortest representation has at most 6 digits.
  private static func appendShort(_ value: Float, to text: TextBuffer) -> Bool {
    let size = value.magnitude
    guard size >= 1e-3, size < 1e6 else {
      guard value == 0 else { return false }
      text.append(literal: value.sign == .minus ? "-0.0" : "0.0")
      return true
    }
    let integer = UInt64(size)
    if Float(integer) == size {
      append(isNegative: value < 0, integer, to: text)
      return true
    }
    let leading = size >= 0.1 ? 0 : size >= 0.01 ? -1 : -2
    let digitsAfterPoint = 6 - (integer > 0 ? TextBuffer.digitCount(integer) : leading)
    let power = powerOfTen(digitsAfterPoint)
    let digits = UInt64(Double(size) * Double(power) + 0.5)
    guard Float(digits) / Float(power) == size else { return false }
    append(isNegative: value < 0, integer, digits, digitsAfterPoint: digitsAfterPoint, to: text)
    return true
  }

  private static func append(isNegative: Bool, _ integer: UInt64, to text: TextBuffer) {
    if isNegative { text.append(UInt8(ascii: "-")) }
    text.append(unsigned: integer)
    text.append(literal: ".0")
  }

  /// Appends digits · 10^-digitsAfterPoint, which is not an integer.
  ///
  /// - Parameter integer: the integer part of the number.
  private static func append(
    isNegative: Bool, _ integer: UInt64, _ digits: UInt64, digitsAfterPoint: Int,
    to text: TextBuffer
  ) {
    var (fraction, digitsAfterPoint) = (
      digits - integer * powerOfTen(digitsAfterPoint), digitsAfterPoint
    )
    dropZeros(100_000_000, 8, &fraction, &digitsAfterPoint)
    dropZeros(10_000, 4, &fraction, &digitsAfterPoint)
    dropZeros(100, 2, &fraction, &digitsAfterPoint)
    dropZeros(10, 1, &fraction, &digitsAfterPoint)
    if isNegative { text.append(UInt8(ascii: "-")) }
    text.append(unsigned: integer)
    text.append(UInt8(ascii: "."))
    text.append(unsigned: fraction, width: digitsAfterPoint)
  }

  /// Removes trailing zeros of a fraction's digits, `zeros` at a time.
  @inline(__always)
  private static func dropZeros(
    _ power: UInt64, _ zeros: Int, _ fraction: inout UInt64, _ digitsAfterPoint: inout Int
  ) {
    while digitsAfterPoint > zeros, fraction % power == 0 {
      fraction /= power
      digitsAfterPoint -= zeros
    }
  }
}

/// Receives the digits that the standard library writes when it formats numbers.
private struct NumberStream: TextOutputStream {
  let text: TextBuffer

  mutating func write(_ string: String) { text.append(string) }

  /// The standard library calls this method for numbers. Without it, the library would create a
  /// string for each number.
  mutating func _writeASCII(_ digits: UnsafeBufferPointer<UInt8>) {
    if let start = digits.baseAddress { text.append(start, digits.count) }
  }
}
