extension ArcadeParser {
  /// Parses a statement; nil for an empty statement.
  mutating func statement() throws(ExpressionError) -> ArcadeStatement? {
    let position = current.position
    switch current.kind {
    case .sign(.semicolon):
      advance()
      return nil
    case .sign(.openBrace):
      guard !startsDictionary else { return try expressionStatement() }
      return .block(try block())
    case .keyword(let keyword, _):
      switch keyword {
      case .variable:
        let statement = try variables()
        try endStatement()
        return statement
      case .function: return .function(try declaration())
      case .if: return try condition()
      case .for: return try loop(position)
      case .while:
        advance()
        try expect(.open)
        let test = try expression()
        try expect(.close)
        return .whileLoop(test, try body(), position)
      case .break, .continue:
        advance()
        try endStatement()
        return keyword == .break ? .leave(position) : .next(position)
      case .return:
        advance()
        let isBare =
          isAt(.semicolon) || isAt(.closeBrace) || current.kind == .end || current.followsLine
        let value = isBare ? nil : try expression()
        try endStatement()
        return .result(value, position)
      case .else: throw position.error("else has no if before it")
      case .in, .true, .false, .null: return try expressionStatement()
      }
    case .name(let name):
      try refuseForeign(name)
      return try expressionStatement()
    default: return try expressionStatement()
    }
  }

  /// Throws an error with advice for keywords of related languages.
  private func refuseForeign(_ name: String) throws(ExpressionError) {
    switch (name.lowercased(), following().kind) {
    case ("let", .name), ("const", .name):
      throw current.position.error("\(name) is not supported; use var")
    case ("class", .name): throw current.position.error("classes are not supported")
    case ("import", .name), ("import", .text), ("import", .sign(.openBrace)):
      throw current.position.error("imports are not supported")
    case ("do", .sign(.openBrace)), ("switch", .sign(.open)), ("try", .sign(.openBrace)):
      guard name.lowercased() != "switch" else { return }
      throw current.position.error("\(name) is not supported")
    default: break
    }
  }

  private var startsDictionary: Bool {
    switch (following().kind, following(2).kind) {
    case (.text, .sign(.colon)), (.name, .sign(.colon)), (.keyword, .sign(.colon)),
      (.number, .sign(.colon)):
      true
    default: false
    }
  }

  private mutating func expressionStatement() throws(ExpressionError) -> ArcadeStatement {
    let position = current.position
    let node = try expression()
    try endStatement()
    return .expression(node, position)
  }

  /// Parses the end of a statement, which is `;`, or no token before `}`, `else`, a new line or the
  /// end of the program.
  private mutating func endStatement() throws(ExpressionError) {
    if consume(.semicolon) || isAt(.closeBrace) || isAt(.else) || current.kind == .end
      || current.followsLine
    {
      return
    }
    throw unexpected("an operator, ; or a new line")
  }

  /// Parses statements in braces.
  private mutating func block() throws(ExpressionError) -> [ArcadeStatement] {
    let position = current.position
    try expect(.openBrace)
    var statements: [ArcadeStatement] = []
    while !consume(.closeBrace) {
      guard current.kind != .end else { throw position.error("the block has no closing }") }
      let next = try nested { parser throws(ExpressionError) in try parser.statement() }
      if let next { statements.append(next) }
    }
    return statements
  }

  /// Parses the body of a loop or a condition. An empty statement is an empty block.
  private mutating func body() throws(ExpressionError) -> ArcadeStatement {
    try nested { parser throws(ExpressionError) in try parser.statement() } ?? .block([])
  }

  private mutating func variables() throws(ExpressionError) -> ArcadeStatement {
    advance()
    var variables: [ArcadeVariable] = []
    repeat {
      let (name, position) = try name("a variable's name")
      let value =
        consume(.assign)
        ? try nested { parser throws(ExpressionError) in try parser.expression() } : nil
      variables.append(ArcadeVariable(name: name, value: value, position: position))
    } while consume(.comma)
    return .variables(variables)
  }

  private mutating func declaration() throws(ExpressionError) -> ArcadeDeclaration {
    advance()
    let (name, position) = try name("a function's name")
    try expect(.open)
    var parameters: [ArcadeVariable] = []
    if !consume(.close) {
      repeat {
        let (name, position) = try self.name("a parameter's name")
        parameters.append(ArcadeVariable(name: name, value: nil, position: position))
      } while consume(.comma)
      guard consume(.close) else { throw unexpected("a comma or )") }
    }
    let body = try block()
    return ArcadeDeclaration(name: name, parameters: parameters, body: body, position: position)
  }

  private mutating func condition() throws(ExpressionError) -> ArcadeStatement {
    var branches: [ArcadeBranch] = []
    var otherwise: ArcadeStatement?
    repeat {
      let position = current.position
      guard consume(.if) else {
        otherwise = try body()
        break
      }
      try expect(.open)
      let test = try expression()
      try expect(.close)
      branches.append(ArcadeBranch(condition: test, body: try body(), position: position))
    } while consume(.else)
    return .condition(branches, otherwise: otherwise)
  }

  private mutating func loop(_ position: ArcadePosition) throws(ExpressionError) -> ArcadeStatement
  {
    advance()
    try expect(.open)
    if let each = try each(position) {
      try expect(.close)
      return .forEach(each, try body())
    }
    var start: ArcadeStatement?
    if isAt(.variable) {
      start = try variables()
    } else if !isAt(.semicolon) {
      let position = current.position
      start = .expression(try expression(), position)
    }
    try expect(.semicolon)
    let test = isAt(.semicolon) ? nil : try expression()
    try expect(.semicolon)
    let step = isAt(.close) ? nil : try expression()
    try expect(.close)
    return .forLoop(start, test, step, try body(), position)
  }

  /// Parses the header of a loop over values; nil for another kind of loop.
  private mutating func each(_ position: ArcadePosition) throws(ExpressionError) -> ArcadeEach? {
    let isDeclared = isAt(.variable)
    guard case .name(let name) = (isDeclared ? following() : current).kind else { return nil }
    let isOf: Bool
    switch following(isDeclared ? 2 : 1).kind {
    case .keyword(.in, _): isOf = false
    case .name(let word) where word.lowercased() == "of": isOf = true
    default: return nil
    }
    if isDeclared { advance() }
    let namePosition = current.position
    advance()
    advance()
    return ArcadeEach(
      name: name, isDeclared: isDeclared, isOf: isOf, values: try expression(),
      position: namePosition)
  }
}
