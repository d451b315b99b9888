/// The syntax tree of a condition, before fields are bound.
///
/// A chain of one operator is one node, so that the tree is never deeper than the nesting of parentheses.
indirect enum SQLNode: Sendable, Hashable {
  case literal(SQLLiteral, SQLPosition)
  case field(String, SQLPosition)
  case negated(SQLNode)
  /// Operators of one precedence from left to right: + and -, or *, / and %, or bitwise operators.
  case chain(SQLNode, [SQLTerm])
  case joined([SQLNode])
  case not(SQLNode)
  case all([SQLNode])
  case any([SQLNode])
  case comparison(SQLComparison, SQLNode, SQLNode)
  case member(SQLNode, of: [SQLNode], isNot: Bool)
  case between(SQLNode, SQLNode, SQLNode, isNot: Bool)
  case like(SQLNode, pattern: SQLNode, SQLLike)
  case isNull(SQLNode, isNot: Bool)
  /// A function by its name in `SQLFunction.all`, EXTRACT, or a keyword for the time. The first
  /// argument of EXTRACT is the name of the part. Keywords have no arguments.
  case call(String, [SQLNode], SQLPosition)
  case cast(SQLNode, SQLType)
  case choice(SQLChoice, SQLPosition)
}

/// A CASE expression. Its result is the value after THEN of the first branch whose WHEN is true or
/// equals the value of the expression.
struct SQLChoice: Sendable, Hashable {
  struct Branch: Sendable, Hashable {
    var when: SQLNode
    var then: SQLNode
  }

  /// The value with which branches are compared; nil if each branch has a condition.
  var value: SQLNode?
  var branches: [Branch]
  /// The value after ELSE; nil for NULL.
  var otherwise: SQLNode?
}

struct SQLTerm: Sendable, Hashable {
  var sign: SQLSign
  var operand: SQLNode
}

struct SQLLike: Sendable, Hashable {
  var isNot: Bool
  var ignoresCase: Bool
  var escape: Unicode.Scalar?
}

enum SQLLiteral: Sendable, Hashable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case real(Double)
  case text(String)
  /// DATE or TIMESTAMP, with the text as written.
  case moment(SQLMoment, String, isDate: Bool)
  /// INTERVAL, with the text as written, and the first and last unit.
  case interval(SQLInterval, String, SQLUnit, SQLUnit)
}

/// The target type of CAST.
enum SQLType: Sendable, Hashable {
  case integer
  case real
  /// A rounded number; nil for any precision and scale.
  case decimal(Decimal?)
  case date
  case timestamp
  /// Text that is cut to a number of code points; nil for no limit.
  case text(length: Int?)

  /// The precision and the scale of a decimal number. The precision is the number of all digits,
  /// and the scale is the number of digits after the point.
  struct Decimal: Sendable, Hashable {
    var precision: Int
    var scale: Int
  }
}

enum SQLComparison: String, Sendable {
  case equal = "="
  case notEqual = "<>"
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
}

/// The byte offset of a node's start in the text. All positions are equal in comparisons, because
/// they are not part of the meaning.
struct SQLPosition: Sendable, Hashable {
  var offset: Int

  static func == (a: Self, b: Self) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}

/// The precedence of operators, from the lowest to the highest.
enum SQLLevel: Int, Comparable {
  case or, and, not, comparison, joined, bitOr, bitXor, bitAnd, shift, sum, product, sign, primary

  static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

  /// The next higher precedence, for operands that must bind more tightly than the operator.
  var tighter: SQLLevel { SQLLevel(rawValue: rawValue + 1) ?? .primary }
}

extension SQLNode {
  var level: SQLLevel {
    switch self {
    case .any: .or
    case .all: .and
    case .not: .not
    case .comparison, .member, .between, .like, .isNull: .comparison
    case .joined: .joined
    case .chain(_, let terms): terms.first?.sign.level ?? .sum
    case .negated: .sign
    case .literal(.integer(let integer), _): integer < 0 ? .sign : .primary
    case .literal(.real(let real), _): real.sign == .minus ? .sign : .primary
    case .literal, .field, .call, .cast, .choice: .primary
    }
  }

  /// The byte offset of the node's first name or literal in the text.
  var offset: Int {
    switch self {
    case .literal(_, let position), .field(_, let position), .call(_, _, let position),
      .choice(_, let position):
      position.offset
    case .negated(let node), .chain(let node, _), .not(let node), .comparison(_, let node, _),
      .member(let node, _, _), .between(let node, _, _, _), .like(let node, _, _),
      .isNull(let node, _), .cast(let node, _):
      node.offset
    case .joined(let nodes), .all(let nodes), .any(let nodes): nodes.first?.offset ?? 0
    }
  }
}

extension SQLSign {
  /// The level of an arithmetic operator.
  var level: SQLLevel? {
    switch self {
    case .plus, .minus: .sum
    case .times, .divided, .remainder: .product
    case .bitAnd: .bitAnd
    case .bitOr: .bitOr
    case .bitXor: .bitXor
    case .shiftLeft, .shiftRight: .shift
    default: nil
    }
  }
}
