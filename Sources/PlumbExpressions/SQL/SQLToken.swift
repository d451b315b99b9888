/// A word, number, text or sign of a condition, and the byte offset of its start.
struct SQLToken: Sendable {
  enum Kind: Sendable, Hashable {
    case keyword(SQLKeyword)
    /// A bare name: a field, a function, or a word such as DATE that is a keyword in some contexts.
    case word(String)
    /// A name in double quotes or brackets, or a qualified name with a part in double quotes or brackets.
    case quotedName(String)
    /// The magnitude of an integer, at most 2^63.
    case integer(UInt64)
    case real(Double)
    case text(String)
    case sign(SQLSign)
    case end
  }

  var kind: Kind
  var offset: Int
}

/// Keywords. Fields with these names have to be in double quotes or brackets.
enum SQLKeyword: String, Sendable, CaseIterable {
  case and = "AND"
  case or = "OR"
  case not = "NOT"
  case isWord = "IS"
  case inWord = "IN"
  case between = "BETWEEN"
  case like = "LIKE"
  case ilike = "ILIKE"
  case escape = "ESCAPE"
  case null = "NULL"
  case trueWord = "TRUE"
  case falseWord = "FALSE"

  static let longest = 7
}

enum SQLSign: String, Sendable {
  case open = "("
  case close = ")"
  case comma = ","
  case equal = "="
  case notEqual = "<>"
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case plus = "+"
  case minus = "-"
  case times = "*"
  case divided = "/"
  case remainder = "%"
  case joined = "||"
  case bitAnd = "&"
  case bitOr = "|"
  case bitXor = "^"
  case shiftLeft = "<<"
  case shiftRight = ">>"

  /// Whether the sign is a bitwise operator.
  var isOfBits: Bool {
    switch self {
    case .bitAnd, .bitOr, .bitXor, .shiftLeft, .shiftRight: true
    default: false
    }
  }
}
