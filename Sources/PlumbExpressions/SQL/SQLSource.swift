import PlumbCore

/// The text of a condition and its bytes. Error messages contain the column of the error.
struct SQLSource: Sendable {
  let text: String
  let bytes: [UInt8]

  init(_ text: String) {
    self.text = text
    bytes = Array(text.utf8)
  }

  /// An error at a byte. Its column is the number of the character, from 1.
  func error(at byte: Int, _ message: String) -> ExpressionError {
    let before = String(decoding: bytes[..<min(max(byte, 0), bytes.count)], as: UTF8.self)
    return ExpressionError("column \(before.count + 1): \(message)")
  }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// The scalar that starts at a byte, and its length in bytes.
  func scalar(at byte: Int) -> (scalar: Unicode.Scalar, length: Int) {
    let first = bytes[byte]
    guard first >= 0x80 else { return (Unicode.Scalar(first), 1) }
    let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    let end = min(byte + length, bytes.count)
    let scalar = text(byte..<end).unicodeScalars.first
    return (scalar ?? "\u{FFFD}", end - byte)
  }
}

extension String {
  /// At most 40 characters of the text in one line, for messages.
  var shown: String {
    let start = prefix(40)
    return (start.endIndex == endIndex ? self : start + "…").printable
  }
}
