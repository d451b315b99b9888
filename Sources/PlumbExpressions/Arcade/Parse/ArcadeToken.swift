/// A position in a program, as line and column from 1, with columns in code points. All positions
/// are equal in comparisons, so that trees are compared by content.
struct ArcadePosition: Hashable, Sendable {
  var line: Int32
  var column: Int32

  func error(_ message: String) -> ExpressionError {
    ExpressionError(message, line: Int(line), column: Int(column))
  }

  static func == (a: Self, b: Self) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}

struct ArcadeToken {
  enum Kind: Hashable {
    case name(String)
    /// A keyword and its spelling, because a keyword can be the name of a member.
    case keyword(ArcadeKeyword, String)
    /// The name with its `$`.
    case global(String)
    case number(Double)
    case text(String)
    /// The text before the first `${` of a template, or all text of a template without one.
    case templateStart(String, isAll: Bool)
    /// The text after a `}` of a template.
    case templatePart(String, isLast: Bool)
    case sign(ArcadeSign)
    case end
  }

  var kind: Kind
  var position: ArcadePosition
  /// The byte range of the token in the source.
  var range: Range<Int>
  /// Whether the token is on a later line than the previous token.
  var followsLine: Bool
}

enum ArcadeKeyword: String {
  case variable = "var"
  case function, `if`, `else`, `for`, `in`, `while`, `break`, `continue`, `return`
  case `true`, `false`, null
}

/// Signs. A longer sign comes before its prefixes.
enum ArcadeSign: String, CaseIterable {
  case increment = "++"
  case decrement = "--"
  case plusAssign = "+="
  case minusAssign = "-="
  case timesAssign = "*="
  case divideAssign = "/="
  case remainderAssign = "%="
  case and = "&&"
  case or = "||"
  case equal = "=="
  case notEqual = "!="
  case notGreater = "<="
  case notLess = ">="
  case shiftLeft = "<<"
  case shiftRight = ">>"
  case plus = "+"
  case minus = "-"
  case times = "*"
  case divide = "/"
  case remainder = "%"
  case not = "!"
  case assign = "="
  case less = "<"
  case greater = ">"
  case bitAnd = "&"
  case bitOr = "|"
  case bitXor = "^"
  case bitNot = "~"
  case open = "("
  case close = ")"
  case openBracket = "["
  case closeBracket = "]"
  case openBrace = "{"
  case closeBrace = "}"
  case comma = ","
  case semicolon = ";"
  case colon = ":"
  case dot = "."

  /// The precedence of a binary operator; 0 for other signs.
  var level: Int {
    switch self {
    case .or: 1
    case .and: 2
    case .bitOr: 3
    case .bitXor: 4
    case .bitAnd: 5
    case .equal, .notEqual: 6
    case .less, .notGreater, .greater, .notLess: 7
    case .shiftLeft, .shiftRight: 8
    case .plus, .minus: 9
    case .times, .divide, .remainder: 10
    default: 0
    }
  }

  /// The binary operator of an assignment such as `+=`; nil for other signs.
  var assigned: ArcadeSign? {
    switch self {
    case .plusAssign: .plus
    case .minusAssign: .minus
    case .timesAssign: .times
    case .divideAssign: .divide
    case .remainderAssign: .remainder
    default: nil
    }
  }
}
