import PlumbIO

extension ArcadeTokenizer {
  /// Reads text in quotes of either kind.
  mutating func quoted(_ position: ArcadePosition) throws(ExpressionError) -> String {
    let quote = byte(next)
    var content: [UInt8] = []
    next += 1
    while next < source.bytes.count {
      switch byte(next) {
      case quote:
        next += 1
        return String(decoding: content, as: UTF8.self)
      case 0x0A, 0x0D:
        throw position.error("the text that starts here does not end in its line")
      case UInt8(ascii: "\\"): try escape(&content)
      default:
        content.append(byte(next))
        next += 1
      }
    }
    throw position.error("the text that starts here has no closing \(UnicodeScalar(quote))")
  }

  /// Reads a template's text up to `${` or the end of the template, and returns whether the end was
  /// reached.
  mutating func piece(_ position: ArcadePosition) throws(ExpressionError) -> (String, isLast: Bool)
  {
    var content: [UInt8] = []
    while next < source.bytes.count {
      switch byte(next) {
      case UInt8(ascii: "`"):
        next += 1
        return (String(decoding: content, as: UTF8.self), true)
      case UInt8(ascii: "$") where byte(next + 1) == UInt8(ascii: "{"):
        next += 2
        return (String(decoding: content, as: UTF8.self), false)
      case UInt8(ascii: "\\"): try escape(&content)
      default:
        content.append(byte(next))
        next += 1
      }
    }
    throw position.error("the template has no closing `")
  }

  /// Appends the characters of an escape sequence.
  private mutating func escape(_ content: inout [UInt8]) throws(ExpressionError) {
    let start = next
    let letter = byte(start + 1)
    next = min(start + 2, source.bytes.count)
    switch letter {
    case UInt8(ascii: "n"): content.append(0x0A)
    case UInt8(ascii: "r"): content.append(0x0D)
    case UInt8(ascii: "t"): content.append(0x09)
    case UInt8(ascii: "b"): content.append(0x08)
    case UInt8(ascii: "f"): content.append(0x0C)
    case UInt8(ascii: "v"): content.append(0x0B)
    case UInt8(ascii: "0") where !((0x30...0x39) ~= byte(next)): content.append(0)
    case UInt8(ascii: "x"): try scalar(2, start, &content)
    case UInt8(ascii: "u"): try scalar(4, start, &content)
    // A backslash at the end of a line joins the lines.
    case 0x0D where byte(next) == 0x0A: next += 1
    case 0x0A, 0x0D: break
    // Any other escaped character represents itself. The caller detects text that is not closed.
    default: if start + 1 < source.bytes.count { content.append(letter) }
    }
  }

  /// Reads the code point of `\x` with two digits, `\u` with four digits, or `\u{…}`.
  private mutating func scalar(
    _ count: Int, _ start: Int, _ content: inout [UInt8]
  ) throws(ExpressionError) {
    let unit = try digits(count, start)
    var value = unit
    if (0xD800...0xDBFF) ~= unit, byte(next) == UInt8(ascii: "\\"),
      byte(next + 1) == UInt8(ascii: "u")
    {
      next += 2
      let low = try digits(4, start)
      guard let pair = Unicode.Scalar(high: unit, low: low) else { throw badEscape(start) }
      value = pair.value
    }
    guard let scalar = Unicode.Scalar(value) else { throw badEscape(start) }
    content += String(scalar).utf8
  }

  private mutating func digits(_ count: Int, _ start: Int) throws(ExpressionError) -> UInt32 {
    let isBraced = count == 4 && byte(next) == UInt8(ascii: "{")
    if isBraced { next += 1 }
    var value: UInt32 = 0
    var found = 0
    while found < (isBraced ? 6 : count),
      let digit = hexDigit(byte(next))
    {
      value = value << 4 | UInt32(digit)
      found += 1
      next += 1
    }
    guard isBraced ? found > 0 && byte(next) == UInt8(ascii: "}") : found == count else {
      throw badEscape(start)
    }
    if isBraced { next += 1 }
    return value
  }

  private mutating func badEscape(_ start: Int) -> ExpressionError {
    position(at: start).error("the escape sequence is invalid: use \\xHH, \\uHHHH or \\u{H…}")
  }
}
