import PlumbCore

/// Splits the text of a condition into tokens.
struct SQLTokenizer {
  private let source: SQLSource
  private let hasBits: Bool
  private var next = 0

  private init(_ source: SQLSource, hasBits: Bool) {
    (self.source, self.hasBits) = (source, hasBits)
  }

  /// Returns all tokens, ending with `end`.
  ///
  /// - Parameter hasBits: whether bitwise operators are accepted, and `==` for `=`.
  /// - Throws: an error with its column for an invalid token, or text or a name that is not closed.
  static func tokens(
    _ source: SQLSource, hasBits: Bool
  ) throws(ExpressionError) -> [SQLToken] {
    var tokenizer = SQLTokenizer(source, hasBits: hasBits)
    var tokens: [SQLToken] = []
    while true {
      let token = try tokenizer.token()
      tokens.append(token)
      if token.kind == .end { return tokens }
    }
  }

  private func byte(_ index: Int) -> UInt8 {
    index < source.bytes.count ? source.bytes[index] : 0
  }

  private mutating func token() throws(ExpressionError) -> SQLToken {
    skipSpace()
    let start = next
    guard start < source.bytes.count else { return SQLToken(kind: .end, offset: start) }
    let kind = try kind()
    return SQLToken(kind: kind, offset: start)
  }

  private mutating func skipSpace() {
    while next < source.bytes.count {
      let (scalar, length) = source.scalar(at: next)
      switch scalar {
      case " ", "\t"..."\r": break
      case _ where scalar.isASCII: return
      default: guard scalar.properties.isWhitespace else { return }
      }
      next += length
    }
  }

  private mutating func kind() throws(ExpressionError) -> SQLToken.Kind {
    let start = next
    let first = byte(start)
    switch first {
    case UInt8(ascii: "'"): return .text(try quoted(by: first))
    case UInt8(ascii: "N"), UInt8(ascii: "n"):
      guard byte(start + 1) == UInt8(ascii: "'") else { return try name() }
      next += 1
      return .text(try quoted(by: UInt8(ascii: "'")))
    case UInt8(ascii: "\""), UInt8(ascii: "["): return try name()
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."): return try number()
    default: break
    }
    if isNameStart(source.scalar(at: start).scalar) { return try name() }
    return .sign(try sign())
  }

  // MARK: Text and names

  /// Text in quotes. A doubled closing quote is a quote.
  private mutating func quoted(by open: UInt8) throws(ExpressionError) -> String {
    let start = next
    let close = open == UInt8(ascii: "[") ? UInt8(ascii: "]") : open
    var content: [UInt8] = []
    next += 1
    while next < source.bytes.count {
      let current = source.bytes[next]
      next += 1
      if current == close {
        guard byte(next) == close else { return String(decoding: content, as: UTF8.self) }
        next += 1
      }
      content.append(current)
    }
    let what = open == UInt8(ascii: "'") ? "text" : "name"
    let sign = String(UnicodeScalar(close))
    throw source.error(at: start, "the \(what) that starts here has no closing \(sign)")
  }

  private func isNameStart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "_": true
    case _ where scalar.isASCII: false
    default: scalar.properties.isAlphabetic
    }
  }

  private func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
    if isNameStart(scalar) { return true }
    if scalar.isASCII { return "0"..."9" ~= scalar }
    switch scalar.properties.generalCategory {
    case .decimalNumber, .nonspacingMark, .spacingMark: return true
    default: return false
    }
  }

  /// A name of one part, or of several parts separated by dots. Each part is bare or in quotes.
  private mutating func name() throws(ExpressionError) -> SQLToken.Kind {
    let start = next
    var name = ""
    var isBare = true
    while true {
      let start = next
      var part = ""
      if byte(next) == UInt8(ascii: "\"") || byte(next) == UInt8(ascii: "[") {
        isBare = false
        part = try quoted(by: byte(next))
      } else {
        while next < source.bytes.count {
          let (scalar, length) = source.scalar(at: next)
          guard isNamePart(scalar) else { break }
          next += length
        }
        part = source.text(start..<next)
      }
      guard !part.isEmpty else { throw source.error(at: start, "a field's name is missing here") }
      name += part
      guard byte(next) == UInt8(ascii: ".") else { break }
      name += "."
      next += 1
    }
    guard isBare else { return .quotedName(name) }
    if next - start <= SQLKeyword.longest,
      let keyword = SQLKeyword(rawValue: name.uppercased())
    {
      return .keyword(keyword)
    }
    return .word(name)
  }

  // MARK: Numbers and signs

  private mutating func number() throws(ExpressionError) -> SQLToken.Kind {
    let start = next
    guard let (end, isReal) = SQLNumber.end(of: source.bytes, from: start) else {
      throw source.error(at: start, "a dot must be followed by digits")
    }
    next = end
    if end < source.bytes.count,
      byte(end) == UInt8(ascii: ".") || isNamePart(source.scalar(at: end).scalar)
    {
      throw source.error(at: end, "the number is followed by other characters")
    }
    let text = source.text(start..<end)
    if !isReal, let integer = UInt64(text), integer <= 1 << 63 { return .integer(integer) }
    guard let real = Double(text), real.isFinite else {
      throw source.error(at: start, "the number is too large")
    }
    return .real(real)
  }

  private mutating func sign() throws(ExpressionError) -> SQLSign {
    let start = next
    let (scalar, length) = source.scalar(at: start)
    next += length
    let pair = source.text(start..<min(start + 2, source.bytes.count))
    switch pair {
    case "--", "/*":
      throw source.error(
        at: start, "comments are not supported; put a space between two minus signs")
    case "==" where hasBits:
      next = start + 2
      return .equal
    case "==": throw source.error(at: start, "write = for ==")
    case "&&": throw source.error(at: start, "write AND for &&")
    case "!=":
      next = start + 2
      return .notEqual
    default: break
    }
    if let sign = SQLSign(rawValue: pair), pair.utf8.count == 2, hasBits || !sign.isOfBits {
      next = start + 2
      return sign
    }
    if length == 1, let sign = SQLSign(rawValue: String(scalar)), hasBits || !sign.isOfBits {
      return sign
    }
    switch scalar {
    case "‘", "’", "‚", "`", "´":
      throw source.error(at: start, "\(scalar) is not a quote here: write text in '")
    case "“", "”", "„":
      throw source.error(at: start, "\(scalar) is not a quote here: write names in \"")
    default:
      throw source.error(at: start, "\"\(String(scalar).printable)\" is unexpected here")
    }
  }
}
