import PlumbCore

/// Forms that contain keywords: CASE, INTERVAL, EXTRACT and TRIM. The functions are not inlined, so
/// that the frames of recursive calls remain small.
extension SQLParser {
  /// Whether a field with this name has to be written in double quotes, because the bare word is a keyword in
  /// some contexts.
  static func isSpecial(_ name: String) -> Bool {
    let word = name.uppercased()
    return SQLClock(rawValue: word) != nil || caseWords.contains(word) || trimWords.contains(word)
      || followers.contains(word)
  }

  private static let caseWords: Set<String> = ["CASE", "WHEN", "THEN", "ELSE", "END"]
  private static let trimWords: Set<String> = ["LEADING", "TRAILING", "BOTH"]
  /// Keywords that follow a value, and cannot start a value.
  private static let followers: Set<String> = ["THEN", "ELSE", "END", "AS", "FROM", "FOR"]

  /// Whether a value or WHEN starts after the word CASE, so that CASE is not a field.
  var startsChoice: Bool {
    switch current.kind {
    case .word(let word): !Self.followers.contains(word.uppercased())
    case .quotedName, .integer, .real, .text, .sign(.open), .sign(.minus), .keyword(.null),
      .keyword(.trueWord), .keyword(.falseWord):
      true
    case .keyword(.not):
      switch following.kind {
      case .keyword(.inWord), .keyword(.between), .keyword(.like), .keyword(.ilike): false
      default: true
      }
    default: false
    }
  }

  // MARK: CASE

  /// Parses the rest of CASE, up to END.
  @inline(never)
  mutating func choice(_ position: SQLPosition) throws(ExpressionError) -> SQLNode {
    var choice = SQLChoice(branches: [])
    if !consume(word: "WHEN") {
      choice.value = try nested(.or)
      guard consume(word: "WHEN") else { throw unexpected("WHEN") }
    }
    repeat {
      let when = try nested(.or)
      guard consume(word: "THEN") else { throw unexpected("THEN") }
      choice.branches.append(SQLChoice.Branch(when: when, then: try nested(.or)))
    } while consume(word: "WHEN")
    let hasElse = consume(word: "ELSE")
    if hasElse { choice.otherwise = try nested(.or) }
    guard consume(word: "END") else { throw unexpected(hasElse ? "END" : "WHEN, ELSE or END") }
    return .choice(choice, position)
  }

  // MARK: INTERVAL

  /// Parses the units of INTERVAL, and then the text according to the units.
  @inline(never)
  mutating func interval(
    _ text: String, _ position: SQLPosition
  ) throws(ExpressionError) -> SQLNode {
    let start = current.offset
    advance()
    let first = try unit("YEAR, MONTH, DAY, HOUR, MINUTE or SECOND") { _ in true }
    var last = first
    if consume(word: "TO") {
      let shorter = SQLUnit.allCases.filter { $0 > first && $0.isOfMonths == first.isOfMonths }
      guard !shorter.isEmpty else {
        throw source.error(at: current.offset, "\(first.rawValue) has no shorter unit")
      }
      last = try unit(shorter.map(\.rawValue).joined(separator: " or ")) { shorter.contains($0) }
    }
    guard let interval = SQLInterval(text, first, last) else {
      let units = first.rawValue + (first == last ? "" : " TO \(last.rawValue)")
      throw source.error(at: start, "'\(text.shown)' is not an interval of \(units)")
    }
    return .literal(.interval(interval, text, first, last), position)
  }

  private mutating func unit(
    _ wanted: String, _ isAllowed: (SQLUnit) -> Bool
  ) throws(ExpressionError) -> SQLUnit {
    guard case .word(let word) = current.kind, let unit = SQLUnit(rawValue: word.uppercased()),
      isAllowed(unit)
    else { throw unexpected(wanted) }
    advance()
    return unit
  }

  // MARK: EXTRACT and TRIM

  /// Parses the arguments of EXTRACT and the closing parenthesis.
  @inline(never)
  mutating func extract(_ position: SQLPosition) throws(ExpressionError) -> SQLNode {
    guard case .word(let word) = current.kind, let part = SQLPart(rawValue: word.uppercased())
    else {
      throw unexpected(SQLPart.allCases.map(\.rawValue).joined(separator: ", "))
    }
    let name = SQLNode.literal(.text(part.rawValue), SQLPosition(offset: current.offset))
    advance()
    guard consume(word: "FROM") else { throw unexpected("FROM") }
    let value = try nested(.or)
    try expect(.close)
    return .call("EXTRACT", [name, value], position)
  }

  /// Whether LEADING, TRAILING or BOTH follows `TRIM(`.
  var startsTrimForm: Bool {
    guard case .word(let word) = current.kind, Self.trimWords.contains(word.uppercased()) else {
      return false
    }
    switch following.kind {
    case .word, .quotedName, .text, .sign(.open), .keyword(.null): return true
    default: return false
    }
  }

  /// Parses the arguments of TRIM with LEADING, TRAILING or BOTH, and the closing parenthesis.
  @inline(never)
  mutating func trim(_ position: SQLPosition) throws(ExpressionError) -> SQLNode {
    var name = "TRIM"
    if consume(word: "LEADING") {
      name = "LTRIM"
    } else if consume(word: "TRAILING") {
      name = "RTRIM"
    } else {
      advance()
    }
    var values: [SQLNode] = []
    if !consume(word: "FROM") {
      values.append(try nested(.or))
      guard consume(word: "FROM") else { throw unexpected("FROM") }
    }
    values.insert(try nested(.or), at: 0)
    try expect(.close)
    return .call(name, values, position)
  }

  // MARK: CAST

  /// Parses the precision and scale of DECIMAL in parentheses; nil if there are no parentheses.
  mutating func decimal() throws(ExpressionError) -> SQLType.Decimal? {
    guard consume(.sign(.open)) else { return nil }
    let precision = try digits(1...38)
    let scale = consume(.sign(.comma)) ? try digits(0...precision) : 0
    try expect(.close)
    return SQLType.Decimal(precision: precision, scale: scale)
  }

  private mutating func digits(_ range: ClosedRange<Int>) throws(ExpressionError) -> Int {
    guard case .integer(let digits) = current.kind, range.contains(Int(clamping: digits)) else {
      throw unexpected("a number from \(range.lowerBound) to \(range.upperBound)")
    }
    advance()
    return Int(clamping: digits)
  }
}
