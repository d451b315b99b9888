import PlumbCore

/// Writes JSON, which is always valid UTF-8.
public enum JSONText {
  /// Appends a string in quotes. Control characters, quotes and backslashes are escaped.
  public static func append(_ text: String, to bytes: inout [UInt8]) { write(text, to: &bytes) }

  static func write(_ text: String, to bytes: inout some ByteSink) {
    var text = text
    text.withUTF8 { writeQuoted($0, to: &bytes) }
  }

  /// - Parameter text: valid UTF-8.
  static func writeQuoted(_ text: UnsafeBufferPointer<UInt8>, to bytes: inout some ByteSink) {
    bytes.append(UInt8(ascii: "\""))
    if let base = text.baseAddress { escape(base, text.count, to: &bytes) }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func escape(
    _ text: UnsafePointer<UInt8>, _ count: Int, to bytes: inout some ByteSink
  ) {
    var plain = 0
    for index in 0..<count {
      let byte = text[index]
      guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
        continue
      }
      bytes.append(text + plain, index - plain)
      plain = index + 1
      bytes.append(UInt8(ascii: "\\"))
      switch byte {
      case 0x08: bytes.append(UInt8(ascii: "b"))
      case 0x09: bytes.append(UInt8(ascii: "t"))
      case 0x0A: bytes.append(UInt8(ascii: "n"))
      case 0x0C: bytes.append(UInt8(ascii: "f"))
      case 0x0D: bytes.append(UInt8(ascii: "r"))
      case 0..<0x20:
        for digit in [UInt8(ascii: "u"), 48, 48, 48 + byte >> 4, hex(byte & 15)] {
          bytes.append(digit)
        }
      default: bytes.append(byte)
      }
    }
    bytes.append(text + plain, count - plain)
  }

  private static func hex(_ nibble: UInt8) -> UInt8 { nibble < 10 ? 48 + nibble : 87 + nibble }

  /// Appends an integer.
  public static func append(_ value: some BinaryInteger, to bytes: inout [UInt8]) {
    append(ascii: String(value), to: &bytes)
  }

  /// Appends the shortest decimal number that is parsed as the same double. Infinity and NaN are
  /// written as null.
  public static func append(_ value: Double, to bytes: inout [UInt8]) {
    append(ascii: value.isFinite ? value.description : "null", to: &bytes)
  }

  /// Appends the shortest decimal number that is parsed as the same float. Infinity and NaN are
  /// written as null.
  public static func append(_ value: Float, to bytes: inout [UInt8]) {
    append(ascii: value.isFinite ? value.description : "null", to: &bytes)
  }

  /// Appends `true` or `false`.
  public static func append(_ value: Bool, to bytes: inout [UInt8]) {
    append(ascii: value ? "true" : "false", to: &bytes)
  }

  /// Appends an attribute.
  ///
  /// An attribute that is JSON is written unchanged, except for line breaks. If it is not valid
  /// JSON, it is written as a string.
  public static func append(_ value: FieldValue, to bytes: inout [UInt8]) {
    switch value {
    case .null: append(ascii: "null", to: &bytes)
    case .text(let text): append(text, to: &bytes)
    case .integer(let integer): append(integer, to: &bytes)
    case .real(let real): append(real, to: &bytes)
    case .boolean(let boolean): append(boolean, to: &bytes)
    case .json(let text): write(json: text, to: &bytes)
    }
  }

  static func write(json text: String, to bytes: inout some ByteSink) {
    var text = text
    text.withUTF8 { text in
      guard JSONScanner.isValid(text), let base = text.baseAddress else {
        return writeQuoted(text, to: &bytes)
      }
      // In valid JSON, a raw line break can only be between tokens.
      guard text.contains(where: { $0 == 0x0A || $0 == 0x0D }) else {
        return bytes.append(base, text.count)
      }
      for byte in text { bytes.append(byte == 0x0A || byte == 0x0D ? 0x20 : byte) }
    }
  }

  /// Appends `"name":`, the start of a member.
  public static func append(key name: String, to bytes: inout [UInt8]) {
    append(name, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
  }

  static func append(ascii text: String, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: text.utf8)
  }
}
