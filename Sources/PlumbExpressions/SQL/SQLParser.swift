import PlumbCore

/// Parses a condition by operator precedence. The operators, from the lowest precedence to the
/// highest, are OR, AND, NOT, comparisons, ||, |, ^, &, << and >>, + and -, * and / and %, and the
/// minus sign.
struct SQLParser {
  /// The maximum nesting of parentheses, NOTs, minus signs and calls. Parsing at this depth fits
  /// into half a megabyte of stack, the smallest stack size of a thread.
  static let depthLimit = 128

  let source: SQLSource
  let tokens: [SQLToken]
  var position = 0
  private var depth = 0

  /// Parses a whole condition.
  ///
  /// - Parameter hasBits: whether bitwise operators are accepted, and `==` for `=`.
  static func node(
    _ source: SQLSource, hasBits: Bool = false
  ) throws(ExpressionError) -> SQLNode {
    let tokens = try SQLTokenizer.tokens(source, hasBits: hasBits)
    guard tokens.count > 1 else { throw ExpressionError("the condition is empty") }
    var parser = SQLParser(source: source, tokens: tokens)
    let node = try parser.expression(.or)
    guard parser.current.kind == .end else { throw parser.unexpected("AND, OR or the end") }
    return node
  }

  private init(source: SQLSource, tokens: [SQLToken]) {
    self.source = source
    self.tokens = tokens
  }

  // MARK: Tokens

  /// The current token. The last token is `end`, and the position never exceeds it.
  var current: SQLToken { tokens[position] }
  var following: SQLToken { tokens[min(position + 1, tokens.count - 1)] }

  mutating func advance() { position = min(position + 1, tokens.count - 1) }

  mutating func consume(_ kind: SQLToken.Kind) -> Bool {
    guard current.kind == kind else { return false }
    advance()
    return true
  }

  mutating func expect(_ sign: SQLSign) throws(ExpressionError) {
    guard consume(.sign(sign)) else { throw unexpected(sign.rawValue) }
  }

  /// Consumes a word that is a keyword only in this context, such as FROM in SUBSTRING.
  mutating func consume(word: String) -> Bool {
    guard case .word(let found) = current.kind, found.uppercased() == word else { return false }
    advance()
    return true
  }

  func unexpected(_ wanted: String) -> ExpressionError {
    let end = tokens[min(position + 1, tokens.count - 1)].offset
    let found = source.text(current.offset..<max(end, current.offset))
    let shown = String(found.trimmedEnd).shown
    return source.error(
      at: current.offset,
      current.kind == .end
        ? "expected \(wanted), but the condition ends"
        : "expected \(wanted) instead of \(shown)")
  }

  // MARK: Operators

  /// Parses an expression inside parentheses, or after NOT or a minus sign.
  mutating func nested(_ minimum: SQLLevel) throws(ExpressionError) -> SQLNode {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthLimit else {
      throw source.error(
        at: current.offset, "the condition nests deeper than \(Self.depthLimit) levels")
    }
    return try expression(minimum)
  }

  /// Parses operands and operators that bind at least as tightly as `minimum`.
  private mutating func expression(_ minimum: SQLLevel) throws(ExpressionError) -> SQLNode {
    var node = try prefix(minimum)
    var hasCompared = false
    while let level = operatorLevel(), level >= minimum {
      switch level {
      case .or: node = .any(try operands(node, .keyword(.or), .or))
      case .and: node = .all(try operands(node, .keyword(.and), .and))
      case .joined: node = .joined(try operands(node, .sign(.joined), .joined))
      case .bitOr, .bitXor, .bitAnd, .shift, .sum, .product:
        node = .chain(node, try terms(level))
      default:
        guard !hasCompared else {
          throw source.error(
            at: current.offset, "a comparison of a comparison needs parentheses")
        }
        hasCompared = true
        node = try predicate(node)
      }
    }
    return node
  }

  private func operatorLevel() -> SQLLevel? {
    switch current.kind {
    case .keyword(.or): return .or
    case .keyword(.and): return .and
    case .keyword(.isWord), .keyword(.inWord), .keyword(.between), .keyword(.like),
      .keyword(.ilike):
      return .comparison
    case .keyword(.not):
      switch following.kind {
      case .keyword(.inWord), .keyword(.between), .keyword(.like), .keyword(.ilike):
        return .comparison
      default: return nil
      }
    case .sign(.joined): return .joined
    case .sign(let sign): return comparison(sign) == nil ? sign.level : .comparison
    default: return nil
    }
  }

  private func comparison(_ sign: SQLSign) -> SQLComparison? {
    SQLComparison(rawValue: sign.rawValue)
  }

  private mutating func operands(
    _ first: SQLNode, _ kind: SQLToken.Kind, _ level: SQLLevel
  ) throws(ExpressionError) -> [SQLNode] {
    var nodes = [first]
    while consume(kind) { nodes.append(try expression(level.tighter)) }
    return nodes
  }

  private mutating func terms(_ level: SQLLevel) throws(ExpressionError) -> [SQLTerm] {
    var terms: [SQLTerm] = []
    while case .sign(let sign) = current.kind, sign.level == level {
      advance()
      terms.append(SQLTerm(sign: sign, operand: try expression(level.tighter)))
    }
    return terms
  }

  private mutating func prefix(_ minimum: SQLLevel) throws(ExpressionError) -> SQLNode {
    let start = current
    if consume(.keyword(.not)) {
      guard minimum <= .not else {
        throw source.error(at: start.offset, "NOT needs parentheses here")
      }
      return .not(try nested(.not))
    }
    guard case .sign(let sign) = start.kind, sign == .minus || sign == .plus else {
      return try primary()
    }
    advance()
    let isMinus = sign == .minus
    let position = SQLPosition(offset: start.offset)
    switch current.kind {
    case .integer(let magnitude):
      advance()
      return .literal(Self.integer(magnitude, isNegative: isMinus), position)
    case .real(let real):
      advance()
      return .literal(.real(isMinus ? -real : real), position)
    default:
      guard isMinus else { throw unexpected("a number") }
      return .negated(try nested(.sign))
    }
  }

  /// The literal of an integer. A magnitude beyond signed 64 bits becomes a double.
  static func integer(_ magnitude: UInt64, isNegative: Bool) -> SQLLiteral {
    if isNegative { return .integer(Int64(truncatingIfNeeded: 0 &- magnitude)) }
    return Int64(exactly: magnitude).map { .integer($0) } ?? .real(Double(magnitude))
  }

  // MARK: Predicates

  private mutating func predicate(_ left: SQLNode) throws(ExpressionError) -> SQLNode {
    if case .sign(let sign) = current.kind, let comparison = comparison(sign) {
      advance()
      return .comparison(comparison, left, try operand())
    }
    if consume(.keyword(.isWord)) {
      let isNot = consume(.keyword(.not))
      guard consume(.keyword(.null)) else { throw unexpected(isNot ? "NULL" : "NULL or NOT NULL") }
      return .isNull(left, isNot: isNot)
    }
    let isNot = consume(.keyword(.not))
    if consume(.keyword(.inWord)) {
      try expect(.open)
      return .member(left, of: try list(), isNot: isNot)
    }
    if consume(.keyword(.between)) {
      let low = try operand()
      guard consume(.keyword(.and)) else { throw unexpected("AND") }
      return .between(left, low, try operand(), isNot: isNot)
    }
    let ignoresCase = current.kind == .keyword(.ilike)
    advance()
    let pattern = try operand()
    let escape = consume(.keyword(.escape)) ? try escape() : nil
    return .like(
      left, pattern: pattern, SQLLike(isNot: isNot, ignoresCase: ignoresCase, escape: escape))
  }

  private mutating func operand() throws(ExpressionError) -> SQLNode {
    try expression(SQLLevel.comparison.tighter)
  }

  private mutating func escape() throws(ExpressionError) -> Unicode.Scalar {
    guard case .text(let text) = current.kind, text.unicodeScalars.count == 1,
      let scalar = text.unicodeScalars.first
    else { throw unexpected("one character in quotes") }
    advance()
    return scalar
  }

  /// Parses values up to the closing parenthesis, at least one.
  mutating func list() throws(ExpressionError) -> [SQLNode] {
    var nodes = [try nested(.or)]
    while consume(.sign(.comma)) { nodes.append(try nested(.or)) }
    guard consume(.sign(.close)) else { throw unexpected("a comma or )") }
    return nodes
  }
}

extension String {
  fileprivate var trimmedEnd: Substring {
    var end = endIndex
    while end > startIndex, self[index(before: end)].isWhitespace { end = index(before: end) }
    return self[..<end]
  }
}
