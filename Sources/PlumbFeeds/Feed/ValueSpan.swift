/// One value of an array. The value is scanned byte by byte, so that it may arrive in parts.
struct ValueSpan {
  /// The number of bytes of the value that have been scanned.
  private(set) var length = 0
  private var depth = 0
  private var isText = false
  private var isEscaped = false

  /// Whether a byte is a comma or blank.
  static func isBetween(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ",") || byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// Scans the bytes that have arrived, and returns whether the value has ended.
  mutating func extend(in window: FeedWindow) -> Bool {
    let bytes = window.base
    var position = window.start + length
    defer { length = position - window.start }
    while position < window.end {
      let byte = bytes[position]
      if isText {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isText = false
        }
      } else {
        switch byte {
        case UInt8(ascii: "\""): isText = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "]") where depth == 0: return true
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          depth -= 1
          if depth <= 0 {
            position += 1
            return true
          }
        case UInt8(ascii: ",") where depth == 0: return true
        default: break
        }
      }
      position += 1
    }
    return false
  }
}
