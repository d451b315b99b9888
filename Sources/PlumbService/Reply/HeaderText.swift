/// Encoding of text in headers.
package enum HeaderText {
  private static let maximumBytes = 1500

  /// Returns ASCII text unchanged, and other text encoded as in RFC 8187 (`UTF-8''G%C3%A4rten`).
  /// Long text is truncated.
  package static func encoded(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    if text.unicodeScalars.allSatisfy({ $0.isASCII && $0.value >= 0x20 && $0.value < 0x7F }) {
      scalars.append(contentsOf: text.unicodeScalars.prefix(maximumBytes))
      return String(scalars)
    }
    var result = "UTF-8''"
    for scalar in text.unicodeScalars {
      var part = ""
      for byte in String(scalar).utf8 {
        if isPlain(byte) {
          part.unicodeScalars.append(Unicode.Scalar(byte))
        } else {
          let digits = String(byte, radix: 16, uppercase: true)
          part += (digits.utf8.count == 1 ? "%0" : "%") + digits
        }
      }
      guard result.utf8.count + part.utf8.count <= maximumBytes else { break }
      result += part
    }
    return result
  }

  /// Whether a byte is one of RFC 8187's `attr-char`.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$&+-.^_`|~".utf8.contains(byte)
    }
  }
}
