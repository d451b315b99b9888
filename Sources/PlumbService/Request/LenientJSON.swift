import PlumbCore

/// Conversion of JSON in the syntax of JavaScript, with unquoted member names and single-quoted
/// strings, such as `{x: 1, 'y': 2}`.
enum LenientJSON {
  /// Returns the text with its quotation marks corrected to JSON. Other errors are not corrected.
  ///
  /// - Parameter hasTextNumbers: whether a quoted number becomes a number.
  static func quoted(_ text: String, hasTextNumbers: Bool = false) -> [UInt8] {
    var result: [UInt8] = []
    var bytes = Array(text.utf8)[...]
    result.reserveCapacity(bytes.count + 16)
    // Whether a member name may follow.
    var mayName = false
    while let byte = bytes.first {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        let start = result.count
        copyText(&bytes, to: &result)
        if hasTextNumbers, !follows(bytes) {
          let inner = result[(start + 1)..<(result.count - 1)]
          let word = String(decoding: inner, as: UTF8.self).trimmingASCIISpace()
          if Double(plain: word) != nil {
            result.removeSubrange(start...)
            result += Array(word.utf8)
          }
        }
        mayName = false
      case UInt8(ascii: "{"), UInt8(ascii: ","):
        result.append(byte)
        bytes = bytes.dropFirst()
        mayName = true
      case 0x20, 0x09, 0x0A, 0x0D:
        result.append(byte)
        bytes = bytes.dropFirst()
      default:
        let name = mayName ? bytes.prefix(while: isOfName) : []
        let isName = !name.isEmpty && follows(bytes.dropFirst(name.count))
        if isName {
          result.append(UInt8(ascii: "\""))
          result += name
          result.append(UInt8(ascii: "\""))
          bytes = bytes.dropFirst(name.count)
        } else {
          result.append(byte)
          bytes = bytes.dropFirst()
        }
        mayName = false
      }
    }
    return result
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  /// Whether the next character that is not blank is a colon.
  private static func follows(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: ":")
  }

  private static func copyText(_ bytes: inout ArraySlice<UInt8>, to result: inout [UInt8]) {
    guard let quote = bytes.popFirst() else { return }
    result.append(UInt8(ascii: "\""))
    while let byte = bytes.popFirst() {
      if byte == quote { break }
      if byte == UInt8(ascii: "\\"), let next = bytes.popFirst() {
        // `\'` is not a JSON escape.
        if next != UInt8(ascii: "'") { result.append(byte) }
        result.append(next)
      } else if byte == UInt8(ascii: "\"") {
        result += [UInt8(ascii: "\\"), byte]
      } else {
        result.append(byte)
      }
    }
    result.append(UInt8(ascii: "\""))
  }
}
