/// Validates UTF-8.
package enum UTF8Text {
  /// Whether the bytes are valid UTF-8, so that decoding replaces no characters.
  package static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var position = 0
    while position < bytes.count {
      let first = bytes[position]
      if first < 0x80 {
        position += 1
        continue
      }
      guard let length = length(first), position + length <= bytes.count else { return false }
      // The range of the second byte excludes overlong forms, surrogates, and code points above
      // U+10FFFF.
      let second = bytes[position + 1]
      let (low, high): (UInt8, UInt8) =
        switch first {
        case 0xE0: (0xA0, 0xBF)
        case 0xED: (0x80, 0x9F)
        case 0xF0: (0x90, 0xBF)
        case 0xF4: (0x80, 0x8F)
        default: (0x80, 0xBF)
        }
      guard second >= low, second <= high else { return false }
      for index in 2..<max(2, length) where bytes[position + index] & 0xC0 != 0x80 { return false }
      position += length
    }
    return true
  }

  /// The length of a character whose first byte is above 127; nil if the byte is invalid.
  private static func length(_ first: UInt8) -> Int? {
    switch first {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: nil
    }
  }
}
