import PlumbCore

/// Parses programs. Operator precedence is resolved on a separate stack, so that the thread's stack grows
/// only with nesting, which `depthLimit` bounds.
struct ArcadeParser {
  /// The maximum nesting depth. Parsing to this depth needs less than half a megabyte, the smallest
  /// stack size of a thread.
  static let depthLimit = 100
  /// The maximum height of a tree, including levels of operators.
  static let heightLimit = 200

  let source: SQLSource
  private let tokens: [ArcadeToken]
  private var position = 0
  private var depth = 0
  /// An upper bound on the height of the nodes parsed since the current nesting level began.
  private var height = 0

  /// - Throws: for a syntax error, with its position.
  static func statements(_ text: String) throws(ExpressionError) -> [ArcadeStatement] {
    let source = SQLSource(text)
    var parser = ArcadeParser(source: source, tokens: try ArcadeTokenizer.tokens(source))
    var statements: [ArcadeStatement] = []
    while parser.current.kind != .end {
      if let statement = try parser.statement() { statements.append(statement) }
    }
    return statements
  }

  private init(source: SQLSource, tokens: [ArcadeToken]) {
    self.source = source
    self.tokens = tokens
  }

  // MARK: Tokens

  /// The current token. The last token is `end`, and the position never exceeds it.
  var current: ArcadeToken { tokens[position] }

  func following(_ count: Int = 1) -> ArcadeToken {
    tokens[min(position + count, tokens.count - 1)]
  }

  mutating func advance() { position = min(position + 1, tokens.count - 1) }

  func isAt(_ sign: ArcadeSign) -> Bool { current.kind == .sign(sign) }

  func isAt(_ keyword: ArcadeKeyword) -> Bool {
    if case .keyword(keyword, _) = current.kind { true } else { false }
  }

  mutating func consume(_ sign: ArcadeSign) -> Bool {
    guard isAt(sign) else { return false }
    advance()
    return true
  }

  mutating func consume(_ keyword: ArcadeKeyword) -> Bool {
    guard isAt(keyword) else { return false }
    advance()
    return true
  }

  mutating func expect(_ sign: ArcadeSign) throws(ExpressionError) {
    guard consume(sign) else { throw unexpected(sign.rawValue) }
  }

  mutating func name(_ what: String) throws(ExpressionError) -> (String, ArcadePosition) {
    guard case .name(let name) = current.kind else { throw unexpected(what) }
    let position = current.position
    advance()
    return (name, position)
  }

  func unexpected(_ wanted: String) -> ExpressionError {
    if case .end = current.kind {
      return current.position.error("expected \(wanted), but the expression ends")
    }
    let shown = source.text(current.range).shown
    return current.position.error("expected \(wanted) instead of \(shown)")
  }

  /// Parses nested nodes that are `levels` deeper.
  mutating func nested<Value>(
    _ levels: Int = 1, _ body: (inout ArcadeParser) throws(ExpressionError) -> Value
  ) throws(ExpressionError) -> Value {
    let outer = height
    depth += levels
    height = 0
    defer {
      depth -= levels
      height = max(outer, height + levels)
    }
    guard depth <= Self.depthLimit else {
      throw current.position.error("the expression nests deeper than \(Self.depthLimit) levels")
    }
    let value = try body(&self)
    guard height <= Self.heightLimit else {
      throw current.position.error("the expression nests deeper than \(Self.heightLimit) levels")
    }
    return value
  }

  // MARK: Operators

  /// Parses an expression, including assignments.
  mutating func expression() throws(ExpressionError) -> ArcadeNode {
    let position = current.position
    let node = try chains()
    guard case .sign(let sign) = current.kind, sign == .assign || sign.assigned != nil else {
      return node
    }
    guard node.isTarget else {
      throw current.position.error("only a variable, a member or an element can be set")
    }
    advance()
    let value = try nested { parser throws(ExpressionError) in try parser.expression() }
    return .assignment(node, sign.assigned, value, position)
  }

  /// A chain of operators of the same precedence, without its last operand.
  private struct OpenChain {
    var first: ArcadeNode
    var terms: [ArcadeTerm] = []
    var sign: ArcadeSign
    var position: ArcadePosition

    mutating func append(_ operand: ArcadeNode) {
      terms.append(ArcadeTerm(sign: sign, operand: operand, position: position))
    }
  }

  private mutating func chains() throws(ExpressionError) -> ArcadeNode {
    var open: [OpenChain] = []
    while true {
      let count = open.count
      var node = try nested(count) { parser throws(ExpressionError) in try parser.operand() }
      var sign = ArcadeSign.semicolon
      if case .sign(let found) = current.kind { sign = found }
      while let level = open.last?.sign.level, level > sign.level {
        var last = open.removeLast()
        last.append(node)
        node = .chain(last.first, last.terms)
        height += 1
      }
      guard sign.level > 0 else { return node }
      let position = current.position
      // Reads only the level of the last chain, because `append` would copy the chain's terms if a
      // variable still held a copy of the chain.
      if open.last?.sign.level == sign.level {
        open[open.count - 1].append(node)
        open[open.count - 1].sign = sign
        open[open.count - 1].position = position
      } else {
        open.append(OpenChain(first: node, sign: sign, position: position))
      }
      advance()
    }
  }

  private mutating func operand() throws(ExpressionError) -> ArcadeNode {
    let position = current.position
    guard case .sign(let sign) = current.kind else { return try postfix() }
    switch sign {
    case .minus, .plus, .not, .bitNot:
      advance()
      let node = try nested { parser throws(ExpressionError) in try parser.operand() }
      return .prefix(sign, node, position)
    case .increment, .decrement:
      advance()
      let node = try nested { parser throws(ExpressionError) in try parser.operand() }
      guard node.isTarget else {
        throw position.error("\(sign.rawValue) needs a variable, a member or an element")
      }
      return .change(node, sign, isBefore: true, position)
    default: return try postfix()
    }
  }

  private mutating func postfix() throws(ExpressionError) -> ArcadeNode {
    var node = try primary()
    var steps: [ArcadeStep] = []
    while true {
      let position = current.position
      if consume(.dot) {
        steps.append(.member(try memberName(), position))
      } else if consume(.openBracket) {
        let index = try nested { parser throws(ExpressionError) in try parser.expression() }
        try expect(.closeBracket)
        steps.append(.index(index, position))
      } else {
        break
      }
    }
    if !steps.isEmpty {
      node = .path(node, steps)
      height += 1
    }
    if isAt(.open) { throw current.position.error("only a function's name can be called") }
    guard case .sign(let sign) = current.kind, sign == .increment || sign == .decrement,
      !current.followsLine
    else { return node }
    let position = current.position
    guard node.isTarget else {
      throw position.error("\(sign.rawValue) needs a variable, a member or an element")
    }
    advance()
    return .change(node, sign, isBefore: false, position)
  }

  private mutating func memberName() throws(ExpressionError) -> String {
    switch current.kind {
    case .name(let name), .keyword(_, let name):
      advance()
      return name
    default: throw unexpected("a member's name")
    }
  }
}

extension ArcadeNode {
  /// Whether the node can be assigned to.
  var isTarget: Bool {
    switch self {
    case .name, .global, .path: true
    default: false
    }
  }
}
