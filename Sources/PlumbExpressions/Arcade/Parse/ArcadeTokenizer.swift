import PlumbCore

/// Splits the text of a program into tokens.
struct ArcadeTokenizer {
  let source: SQLSource
  var next = 0
  private var line: Int32 = 1
  /// The number of code points in the line before the byte `counted`, up to which positions are known.
  private var column: Int32 = 0
  private var counted = 0
  private var followsLine = false
  /// The number of open braces in each open template, the innermost last.
  private var templates: [Int] = []

  private init(_ source: SQLSource) { self.source = source }

  /// Returns all tokens, ending with `end`.
  ///
  /// - Throws: an error with its position for an invalid token, or text, a template or a comment that is not
  ///   closed.
  static func tokens(_ source: SQLSource) throws(ExpressionError) -> [ArcadeToken] {
    var tokenizer = ArcadeTokenizer(source)
    var tokens: [ArcadeToken] = []
    while true {
      let token = try tokenizer.token()
      tokens.append(token)
      if token.kind == .end { return tokens }
    }
  }

  func byte(_ index: Int) -> UInt8 { index < source.bytes.count ? source.bytes[index] : 0 }

  /// The position of a byte, which must not be before the byte of an earlier call.
  mutating func position(at byte: Int) -> ArcadePosition {
    while counted < min(byte, source.bytes.count) {
      let current = source.bytes[counted]
      counted += 1
      let isLineEnd =
        current == UInt8(ascii: "\n")
        || current == UInt8(ascii: "\r") && self.byte(counted) != UInt8(ascii: "\n")
      if isLineEnd {
        line += 1
        column = 0
      } else if current & 0xC0 != 0x80 {
        column += 1
      }
    }
    return ArcadePosition(line: line, column: column + 1)
  }

  private mutating func token() throws(ExpressionError) -> ArcadeToken {
    followsLine = false
    try skipSpace()
    let start = next
    let position = position(at: start)
    guard start < source.bytes.count else {
      guard templates.isEmpty else { throw position.error("a template's ${ has no closing }") }
      return ArcadeToken(
        kind: .end, position: position, range: start..<start, followsLine: followsLine)
    }
    let followsLine = followsLine
    let kind = try kind(position)
    return ArcadeToken(
      kind: kind, position: position, range: start..<next, followsLine: followsLine)
  }

  private mutating func skipSpace() throws(ExpressionError) {
    while next < source.bytes.count {
      let (scalar, length) = source.scalar(at: next)
      switch scalar {
      case "\n", "\r":
        followsLine = true
        next += 1
      case "/" where byte(next + 1) == UInt8(ascii: "/"):
        while next < source.bytes.count, byte(next) != 0x0A, byte(next) != 0x0D { next += 1 }
      case "/" where byte(next + 1) == UInt8(ascii: "*"): try skipComment()
      case " ", "\t"..."\r", "\u{FEFF}": next += length
      case _ where scalar.isASCII: return
      default:
        guard scalar.properties.isWhitespace else { return }
        next += length
      }
    }
  }

  private mutating func skipComment() throws(ExpressionError) {
    let start = next
    next += 2
    while !(byte(next) == UInt8(ascii: "*") && byte(next + 1) == UInt8(ascii: "/")) {
      guard next < source.bytes.count else {
        throw position(at: start).error("the comment that starts here has no closing */")
      }
      if byte(next) == 0x0A || byte(next) == 0x0D { followsLine = true }
      next += 1
    }
    next += 2
  }

  private mutating func kind(_ position: ArcadePosition) throws(ExpressionError) -> ArcadeToken.Kind
  {
    let first = byte(next)
    switch first {
    case UInt8(ascii: "'"), UInt8(ascii: "\""): return .text(try quoted(position))
    case UInt8(ascii: "`"):
      next += 1
      let (piece, isLast) = try piece(position)
      if !isLast { templates.append(0) }
      return .templateStart(piece, isAll: isLast)
    case UInt8(ascii: "}") where templates.last == 0:
      next += 1
      let (piece, isLast) = try piece(position)
      if isLast { templates.removeLast() }
      return .templatePart(piece, isLast: isLast)
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number(position))
    case UInt8(ascii: ".") where (0x30...0x39) ~= byte(next + 1):
      return .number(try number(position))
    case UInt8(ascii: "$"):
      next += 1
      let name = word()
      guard !name.isEmpty else { throw position.error("expected a name after $") }
      return .global("$" + name)
    default: break
    }
    if Self.isNameStart(source.scalar(at: next).scalar) {
      let name = word()
      if let keyword = ArcadeKeyword(rawValue: name.lowercased()) {
        return .keyword(keyword, name)
      }
      return .name(name)
    }
    return .sign(try sign(position))
  }

  // MARK: Names, numbers and signs

  private static func isNameStart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "_": true
    case _ where scalar.isASCII: false
    default: scalar.properties.isAlphabetic
    }
  }

  private static func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
    if isNameStart(scalar) { return true }
    if scalar.isASCII { return "0"..."9" ~= scalar }
    switch scalar.properties.generalCategory {
    case .decimalNumber, .nonspacingMark, .spacingMark: return true
    default: return false
    }
  }

  private mutating func word() -> String {
    let start = next
    while next < source.bytes.count {
      let (scalar, length) = source.scalar(at: next)
      guard Self.isNamePart(scalar) else { break }
      next += length
    }
    return source.text(start..<next)
  }

  private mutating func number(_ position: ArcadePosition) throws(ExpressionError) -> Double {
    let start = next
    var value: Double?
    if byte(start) == UInt8(ascii: "0"), byte(start + 1) | 0x20 == UInt8(ascii: "x") {
      _ = word()
      value = ArcadeNumber.hexadecimal(Array(source.bytes[start..<next]))
      guard value != nil else { throw position.error("expected hexadecimal digits after 0x") }
    } else if let (end, _) = SQLNumber.end(of: source.bytes, from: start) {
      next = end
      value = Double(source.text(start..<end))
    }
    guard let value, value.isFinite else { throw position.error("the number is too large") }
    if next < source.bytes.count, Self.isNamePart(source.scalar(at: next).scalar) {
      throw self.position(at: next).error("the number is followed by other characters")
    }
    return value
  }

  private mutating func sign(_ position: ArcadePosition) throws(ExpressionError) -> ArcadeSign {
    let start = next
    let (scalar, length) = source.scalar(at: start)
    let pair = source.text(start..<min(start + 2, source.bytes.count))
    if scalar.isASCII, let sign = ArcadeSign(rawValue: pair) ?? ArcadeSign(rawValue: "\(scalar)") {
      next += sign.rawValue.utf8.count
      switch sign {
      case .openBrace: if !templates.isEmpty { templates[templates.count - 1] += 1 }
      case .closeBrace: if !templates.isEmpty { templates[templates.count - 1] -= 1 }
      default: break
      }
      return sign
    }
    next += length
    switch scalar {
    case "?": throw position.error("? : is not supported; use IIf(condition, value, otherwise)")
    case "‘", "’", "“", "”", "„", "´":
      throw position.error("\(scalar) is not a quote here: write text in \" or '")
    default: throw position.error("\"\(String(scalar).printable)\" is unexpected here")
    }
  }
}
