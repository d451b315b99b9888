/// Decodes the text of XML documents.
package enum XMLText {
  /// - Parameter isLatin: whether the bytes are in ISO 8859-1 and not in UTF-8.
  package static func append(
    _ bytes: UnsafeBufferPointer<UInt8>, isLiteral: Bool, isLatin: Bool, to text: inout [UInt8]
  ) {
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "&"), !isLiteral,
        let end = bytes[index..<min(bytes.count, index + 12)].firstIndex(of: UInt8(ascii: ";")),
        let scalar = entity(bytes[(index + 1)..<end])
      {
        text.append(contentsOf: String(Character(scalar)).utf8)
        index = end + 1
        continue
      }
      if isLatin, byte >= 0x80 {
        text.append(contentsOf: String(Character(Unicode.Scalar(byte))).utf8)
      } else {
        text.append(byte)
      }
      index += 1
    }
  }

  private static func entity(_ name: Slice<UnsafeBufferPointer<UInt8>>) -> Unicode.Scalar? {
    let text = String(decoding: name, as: UTF8.self)
    switch text {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      guard text.hasPrefix("#") else { return nil }
      let digits = text.dropFirst()
      let code =
        digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits, radix: 10)
      return code.flatMap { Unicode.Scalar($0) }
    }
  }

  /// The text without leading and trailing whitespace.
  package static func trimmed(_ text: [UInt8]) -> ArraySlice<UInt8> {
    var text = text[...]
    while let first = text.first, first <= 0x20 { text.removeFirst() }
    while let last = text.last, last <= 0x20 { text.removeLast() }
    return text
  }
}
