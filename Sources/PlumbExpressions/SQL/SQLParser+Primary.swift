import PlumbCore

/// Literals, fields, functions and parentheses.
extension SQLParser {
  mutating func primary() throws(ExpressionError) -> SQLNode {
    let token = current
    let position = SQLPosition(offset: token.offset)
    switch token.kind {
    case .text(let text): return literal(.text(text), position)
    case .integer(let magnitude):
      return literal(Self.integer(magnitude, isNegative: false), position)
    case .real(let real): return literal(.real(real), position)
    case .keyword(.null): return literal(.null, position)
    case .keyword(.trueWord): return literal(.boolean(true), position)
    case .keyword(.falseWord): return literal(.boolean(false), position)
    case .sign(.open):
      advance()
      let node = try nested(.or)
      try expect(.close)
      return node
    case .quotedName(let name):
      advance()
      return .field(name, position)
    case .word(let word): return try self.word(word, position)
    default: throw unexpected("a field, a value or (")
    }
  }

  private mutating func literal(_ literal: SQLLiteral, _ position: SQLPosition) -> SQLNode {
    advance()
    return .literal(literal, position)
  }

  /// Parses a field, a function, CASE, a keyword for the current time, or DATE, TIMESTAMP or INTERVAL with
  /// its text.
  private mutating func word(_ word: String, _ position: SQLPosition) throws(ExpressionError)
    -> SQLNode
  {
    advance()
    switch current.kind {
    case _ where startsChoice && word.uppercased() == "CASE": return try choice(position)
    case .sign(.open):
      advance()
      return try call(word.uppercased(), position)
    case .text(let text) where word.uppercased() == "INTERVAL":
      return try interval(text, position)
    case .text(let text) where ["DATE", "TIMESTAMP"].contains(word.uppercased()):
      guard let moment = SQLMoment(text) else {
        throw source.error(
          at: current.offset,
          "'\(text.shown)' is not a date: write YYYY-MM-DD or YYYY-MM-DD hh:mm:ss")
      }
      let isDate = word.uppercased() == "DATE"
      return literal(.moment(moment, text, isDate: isDate), position)
    default:
      let clock = SQLClock(rawValue: word.uppercased())
      return clock.map { .call($0.rawValue, [], position) } ?? .field(word, position)
    }
  }

  // MARK: Functions

  /// Parses the arguments of a function and the closing parenthesis.
  private mutating func call(
    _ written: String, _ position: SQLPosition
  ) throws(ExpressionError) -> SQLNode {
    switch written {
    case "CAST": return try cast()
    case "EXTRACT": return try extract(position)
    case "TRIM" where startsTrimForm: return try trim(position)
    case _ where SQLClock(rawValue: written) != nil:
      try expect(.close)
      return .call(written, [], position)
    default: break
    }
    guard let function = SQLFunction.named(written) else {
      throw source.error(
        at: position.offset,
        "there is no function \(written.shown); available: CAST, EXTRACT, \(SQLFunction.nameList)")
    }
    var values: [SQLNode] = []
    switch function.name {
    case _ where consume(.sign(.close)): break
    case "POSITION":
      values.append(try nested(SQLLevel.comparison.tighter))
      guard consume(.keyword(.inWord)) else { throw unexpected("IN") }
      values.append(try nested(.or))
      try expect(.close)
    case "TRIM":
      values.append(try nested(.or))
      if consume(word: "FROM") {
        values.insert(try nested(.or), at: 0)
        try expect(.close)
      } else if consume(.sign(.comma)) {
        values += try list()
      } else {
        guard consume(.sign(.close)) else { throw unexpected("a comma or )") }
      }
    case "SUBSTRING":
      values.append(try nested(.or))
      if consume(word: "FROM") {
        values.append(try nested(.or))
        if consume(word: "FOR") { values.append(try nested(.or)) }
        try expect(.close)
      } else if consume(.sign(.comma)) {
        values += try list()
      } else {
        try expect(.close)
      }
    default: values = try list()
    }
    guard function.counts.contains(values.count) else {
      throw source.error(
        at: position.offset, "\(written) takes \(function.countText), not \(values.count)")
    }
    return .call(function.name, values, position)
  }

  private mutating func cast() throws(ExpressionError) -> SQLNode {
    let node = try nested(.or)
    guard consume(word: "AS") else { throw unexpected("AS and a type") }
    guard case .word(let word) = current.kind else { throw unexpected("a type") }
    let type: SQLType
    switch word.uppercased() {
    case "INTEGER", "INT", "BIGINT", "SMALLINT":
      advance()
      type = .integer
    case "FLOAT", "REAL":
      advance()
      type = .real
    case "DOUBLE":
      advance()
      _ = consume(word: "PRECISION")
      type = .real
    case "DECIMAL", "NUMERIC":
      advance()
      type = .decimal(try decimal())
    case "DATE":
      advance()
      type = .date
    case "TIMESTAMP":
      advance()
      type = .timestamp
    case "VARCHAR", "CHAR", "NVARCHAR", "TEXT":
      advance()
      type = .text(length: try length())
    default: throw unexpected("INTEGER, FLOAT, DECIMAL, VARCHAR, DATE or TIMESTAMP")
    }
    try expect(.close)
    return .cast(node, type)
  }

  private mutating func length() throws(ExpressionError) -> Int? {
    guard consume(.sign(.open)) else { return nil }
    guard case .integer(let length) = current.kind, length > 0 else { throw unexpected("a length") }
    advance()
    try expect(.close)
    return Int(clamping: length)
  }
}
