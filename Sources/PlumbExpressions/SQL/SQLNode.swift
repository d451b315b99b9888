/// A condition as it was read: its tree, before it knows the fields.
///
/// Chains of one operator are one node, so that the tree is never deeper than its parentheses.
indirect enum SQLNode: Sendable, Hashable {
  case literal(SQLLiteral, SQLPosition)
  case field(String, SQLPosition)
  case negated(SQLNode)
  /// Operators of one rank from left to right: + and -, or * and / and %.
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
  /// A function of the table, by its name there; EXTRACT with the name of a part before its value; or
  /// a word for the time, without values.
  case call(String, [SQLNode], SQLPosition)
  case cast(SQLNode, SQLType)
  case choice(SQLChoice, SQLPosition)
}

/// CASE: what follows THEN behind the first WHEN that is true, or that equals a value.
struct SQLChoice: Sendable, Hashable {
  struct Branch: Sendable, Hashable {
    var when: SQLNode
    var then: SQLNode
  }

  /// What the branches are compared with; nil where each is a condition of its own.
  var value: SQLNode?
  var branches: [Branch]
  /// Nil for NULL.
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
  /// DATE or TIMESTAMP and the text as written.
  case moment(SQLMoment, String, isDate: Bool)
  /// INTERVAL, the text as written, the first unit and the last.
  case interval(SQLInterval, String, SQLUnit, SQLUnit)
}

/// What CAST makes.
enum SQLType: Sendable, Hashable {
  case integer
  case real
  /// Rounded; nil for any number.
  case decimal(Decimal?)
  case date
  case timestamp
  /// Cut to so many code points; nil for all.
  case text(length: Int?)

  /// The digits of a decimal number, and those of them behind the point.
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

/// The byte of the text where a node starts: no part of what it means, so all positions are equal.
struct SQLPosition: Sendable, Hashable {
  var offset: Int

  static func == (a: Self, b: Self) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}

/// How tightly operators bind, loosest first.
enum SQLLevel: Int, Comparable {
  case or, and, not, comparison, joined, sum, product, sign, primary

  static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

  /// The level of an operand that may not be the operator's own.
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

  /// The byte of the text where the first name or literal of the node stands.
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
  /// The level of an arithmetic sign.
  var level: SQLLevel? {
    switch self {
    case .plus, .minus: .sum
    case .times, .divided, .remainder: .product
    default: nil
    }
  }
}
