import PlumbCore

/// A condition on attributes, as the WHERE of SQL has it: `POP > 1000 AND NAME LIKE 'San %'`.
///
/// - Comparison `= <> != < <= > >=`, `BETWEEN`, `IN`, `LIKE` and `ILIKE` with `ESCAPE`, `IS NULL`,
///   each with `NOT`; `AND`, `OR`, `NOT`; `+ - * / %`, `||` and parentheses. A NULL makes a
///   comparison unknown, and unknown is not true.
/// - `'text'` with `''` for a quote, `N'text'`, numbers, `TRUE`, `FALSE`, `NULL`,
///   `DATE '2024-05-31'`, `TIMESTAMP '2024-05-31 12:00:00'`. Fields bare, in `"double quotes"` or
///   in `[brackets]`; a name that no field has exactly is sought without regard to case.
/// - `UPPER`, `LOWER`, `TRIM`, `LTRIM`, `RTRIM`, `SUBSTRING`, `CHAR_LENGTH`, `CONCAT`, `POSITION`,
///   `REPLACE`, `ABS`, `ROUND`, `FLOOR`, `CEILING`, `MOD`, `SQRT`, `POWER`, `COALESCE`, `NULLIF`,
///   and `CAST` to `INTEGER`, `FLOAT` or `VARCHAR`.
/// - `INCLUDES(bits, wanted)` and `INCLUDESANY(bits, wanted)` for integers whose bits stand for
///   things; of elements of a network, `CATEGORY('name')`.
///
/// Texts: every comparison and `LIKE` heed case, as in file geodatabases and most databases
/// (OGR's own SQL ignores it for `=`); `ILIKE` does not. Texts compare and count by Unicode code
/// point, so `é` in one code point is not `e` with an accent after it. `||` with a NULL is NULL;
/// `CONCAT` takes it for nothing.
///
/// Dates: a date in a text field compares as a date with `DATE` and `TIMESTAMP`, and is unknown
/// when it is none; one without a zone counts as UTC. Beside a plain `'text'` it is but a text.
///
/// Numbers: integers are exact to 64 bits and doubles beyond; an integer and a real compare
/// exactly. An integer divided by an integer is cut to an integer, as in OGR, SQLite and
/// PostgreSQL, so `7 / 2` is 3 and `7 / 2.0` is 3.5. Division by zero is NULL, and so is NaN. A
/// text literal compared with a number is read as one, `POP > '1000'`; a text field and a number do
/// not compare without a `CAST`. TRUE is 1 and FALSE is 0 beside a number.
public struct Condition: Sendable, CustomStringConvertible {
  /// As it was written.
  public var text: String { source.text }
  /// The fields it asks for, in order of first use, as written, without quotes.
  public let fieldNames: [String]

  let node: SQLNode
  private let source: SQLSource

  /// Reads a condition.
  ///
  /// - Throws: what is wrong and at which column, the first character being column 1.
  public init(_ text: String) throws(ExpressionError) {
    source = SQLSource(text)
    node = try SQLParser.node(source)
    var names: [String] = []
    var seen: Set<[UInt8]> = []
    node.forEachField { name in
      if seen.insert(Array(name.utf8)).inserted { names.append(name) }
    }
    fieldNames = names
  }

  /// The condition with one way of writing for all that mean the same tree: it reads back as an
  /// equal one.
  public var description: String { node.text }

  /// The condition with the positions of its fields among those of a source.
  ///
  /// - Throws: a field that is unknown or may be several, or values that do not compare, with the
  ///   column.
  public func bound(to fields: [Field]) throws(ExpressionError) -> BoundCondition {
    BoundCondition(truth: try SQLBinder(source, fields).truth(node))
  }

  /// The condition for elements of a network, which may ask `category('…')` too.
  ///
  /// Rows then have, after the values of the fields, one integer for each 63 of the categories: bit
  /// `i` of integer `n` tells whether the element is of category `63 n + i`.
  public func bound(
    to fields: [Field], categories: [String]
  ) throws(ExpressionError) -> BoundCondition {
    BoundCondition(truth: try SQLBinder(source, fields, categories: categories).truth(node))
  }
}

/// Conditions are equal when they are the same tree, however they are spaced and quoted.
extension Condition: Hashable {
  public static func == (a: Condition, b: Condition) -> Bool { a.node == b.node }

  public func hash(into hasher: inout Hasher) { hasher.combine(node) }
}

/// A condition that can be asked of rows.
public struct BoundCondition: Sendable {
  let truth: BoundTruth

  /// Whether the condition is true for a row; unknown is not true.
  ///
  /// - Parameter attributes: one value for each field that the condition was bound to, in their
  ///   order. A missing one is NULL, and so is one that does not read as its field's kind.
  public func isTrue(_ attributes: [FieldValue]) -> Bool { truth.truth(attributes) == .yes }
}

extension SQLNode {
  /// The names of fields from left to right.
  fileprivate func forEachField(_ body: (String) -> Void) {
    switch self {
    case .literal: break
    case .field(let name, _): body(name)
    case .negated(let node), .not(let node), .isNull(let node, _), .cast(let node, _):
      node.forEachField(body)
    case .chain(let first, let terms):
      first.forEachField(body)
      for term in terms { term.operand.forEachField(body) }
    case .joined(let nodes), .all(let nodes), .any(let nodes), .call(_, let nodes, _):
      for node in nodes { node.forEachField(body) }
    case .comparison(_, let left, let right), .like(let left, let right, _):
      left.forEachField(body)
      right.forEachField(body)
    case .member(let node, let list, _):
      node.forEachField(body)
      for item in list { item.forEachField(body) }
    case .between(let node, let low, let high, _):
      node.forEachField(body)
      low.forEachField(body)
      high.forEachField(body)
    }
  }
}
