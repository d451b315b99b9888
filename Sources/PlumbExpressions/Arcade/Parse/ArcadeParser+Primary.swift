extension ArcadeParser {
  mutating func primary() throws(ExpressionError) -> ArcadeNode {
    let token = current
    switch token.kind {
    case .number(let number):
      advance()
      return .number(number)
    case .text(let text):
      advance()
      return .text(text)
    case .keyword(.true, _), .keyword(.false, _), .keyword(.null, _):
      advance()
      return token.kind.literal
    case .global(let name):
      advance()
      return .global(name, token.position)
    case .name(let name):
      advance()
      guard consume(.open) else { return .name(name, token.position) }
      return .call(name, try list(.close, mayEndWithComma: false), token.position)
    case .templateStart(let piece, let isAll):
      advance()
      return try template(piece, isAll, token.position)
    case .sign(.open):
      advance()
      let node = try nested { parser throws(ExpressionError) in try parser.expression() }
      try expect(.close)
      return node
    case .sign(.openBracket):
      advance()
      return .array(try list(.closeBracket, mayEndWithComma: true), token.position)
    case .sign(.openBrace):
      advance()
      return .dictionary(try members(), token.position)
    default: throw unexpected("a value")
    }
  }

  /// Parses values separated by commas, up to the closing sign. The list may be empty.
  private mutating func list(
    _ close: ArcadeSign, mayEndWithComma: Bool
  ) throws(ExpressionError) -> [ArcadeNode] {
    var nodes: [ArcadeNode] = []
    if consume(close) { return nodes }
    repeat {
      if mayEndWithComma, !nodes.isEmpty, consume(close) { return nodes }
      nodes.append(try nested { parser throws(ExpressionError) in try parser.expression() })
    } while consume(.comma)
    guard consume(close) else { throw unexpected("a comma or \(close.rawValue)") }
    return nodes
  }

  private mutating func members() throws(ExpressionError) -> [ArcadeMember] {
    var members: [ArcadeMember] = []
    repeat {
      // The dictionary has no members, or a comma follows the last member.
      if consume(.closeBrace) { return members }
      let key: String
      switch current.kind {
      case .text(let text): key = text
      case .name(let name), .keyword(_, let name): key = name
      case .number(let number): key = ArcadeNumber.text(number)
      default: throw unexpected("a key")
      }
      advance()
      try expect(.colon)
      let value = try nested { parser throws(ExpressionError) in try parser.expression() }
      members.append(ArcadeMember(key: key, value: value))
    } while consume(.comma)
    guard consume(.closeBrace) else { throw unexpected("a comma or }") }
    return members
  }

  private mutating func template(
    _ first: String, _ isAll: Bool, _ position: ArcadePosition
  ) throws(ExpressionError) -> ArcadeNode {
    var pieces = [first]
    var values: [ArcadeNode] = []
    var isDone = isAll
    while !isDone {
      values.append(try nested { parser throws(ExpressionError) in try parser.expression() })
      guard case .templatePart(let piece, let isLast) = current.kind else { throw unexpected("}") }
      advance()
      pieces.append(piece)
      isDone = isLast
    }
    return .template(pieces, values, position)
  }
}

extension ArcadeToken.Kind {
  fileprivate var literal: ArcadeNode {
    switch self {
    case .keyword(.true, _): .boolean(true)
    case .keyword(.false, _): .boolean(false)
    default: .null
    }
  }
}
