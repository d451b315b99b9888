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
///   `REPLACE`, `ABS`, `SIGN`, `ROUND`, `TRUNCATE`, `FLOOR`, `CEILING`, `MOD`, `SQRT`, `POWER`, `EXP`,
///   `LOG` (natural), `LOG10`, `COALESCE`, `NULLIF`, and `CAST` to `INTEGER`, `FLOAT`, `DECIMAL(p, s)`,
///   `VARCHAR(n)`, `DATE` or `TIMESTAMP`.
/// - `TRIM(LEADING '0' FROM code)`, also with `TRAILING` and `BOTH`: without what the text ends in of
///   the characters, of spaces where there are none. `TRIM`, `LTRIM` and `RTRIM` take them as a second
///   value, too.
/// - `CASE WHEN pop > 1000 THEN 'large' ELSE 'small' END` and `CASE kind WHEN 1 THEN 'a' END`; the
///   values are of one kind, and NULL where nothing applies. A field called `case`, or inside of a CASE
///   `when`, `then`, `else` or `end`, stands in double quotes.
/// - `CURRENT_DATE`, `CURRENT_TIMESTAMP` and, as a text `hh:mm:ss`, `CURRENT_TIME`; all in UTC, and the
///   same wherever they stand in the condition.
/// - `INTERVAL '7' DAY`, with `YEAR`, `MONTH`, `DAY`, `HOUR`, `MINUTE`, `SECOND` and ranges of them as
///   `INTERVAL '1 12:30' DAY TO MINUTE`.
/// - `EXTRACT(YEAR FROM built)`, and `QUARTER`, `MONTH`, `WEEK` (of ISO 8601), `DAY`, `HOUR`, `MINUTE`,
///   `SECOND` (with its fraction).
/// - `INCLUDES(bits, wanted)` and `INCLUDESANY(bits, wanted)` for integers whose bits stand for
///   things; of elements of a network, `CATEGORY('name')`.
///
/// Texts: every comparison and `LIKE` heed case, as in file geodatabases and most databases
/// (OGR's own SQL ignores it for `=`); `ILIKE` does not. Texts compare and count by Unicode code
/// point, so `é` in one code point is not `e` with an accent after it. `||` with a NULL is NULL;
/// `CONCAT` takes it for nothing.
///
/// Dates: a date in a text field compares as a date with `DATE` and `TIMESTAMP`, and is unknown
/// when it is none; one without a zone counts as UTC. Beside a plain `'text'` it is but a text. Dates
/// have the years 0 to 9999; beyond is NULL.
///
/// Intervals are added to dates and taken from them, where a text is read as a date; a date less a
/// date is an interval of time. Months keep the day, or take the last of a shorter month. Intervals
/// of months and of time neither compare nor add up. They are multiplied and divided by numbers.
/// `CAST` writes a date as `YYYY-MM-DD`, any other moment as `YYYY-MM-DD hh:mm:ss`.
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
  /// Whether it depends on the time at which it is asked.
  private let asksClock: Bool

  /// Reads a condition.
  ///
  /// - Throws: what is wrong and at which column, the first character being column 1.
  public init(_ text: String) throws(ExpressionError) {
    source = SQLSource(text)
    node = try SQLParser.node(source)
    var names: [String] = []
    var seen: Set<[UInt8]> = []
    var asksClock = false
    node.forEachLeaf { node in
      switch node {
      case .field(let name, _):
        if seen.insert(Array(name.utf8)).inserted { names.append(name) }
      case .call(let name, _, _): asksClock = asksClock || SQLClock(rawValue: name) != nil
      default: break
      }
    }
    (fieldNames, self.asksClock) = (names, asksClock)
  }

  /// The condition with one way of writing for all that mean the same tree: it reads back as an
  /// equal one.
  public var description: String { node.text }

  /// The condition with the positions of its fields among those of a source.
  ///
  /// - Throws: a field that is unknown or may be several, or values that do not compare, with the
  ///   column.
  public func bound(to fields: [Field]) throws(ExpressionError) -> BoundCondition {
    try bound(SQLBinder(source, fields))
  }

  private func bound(_ binder: SQLBinder) throws(ExpressionError) -> BoundCondition {
    BoundCondition(
      truth: try binder.truth(node), clockIndex: asksClock ? binder.clockIndex : nil)
  }

  /// The condition for elements of a network, which may ask `category('…')` too.
  ///
  /// Rows then have, after the values of the fields, one integer for each 63 of the categories: bit
  /// `i` of integer `n` tells whether the element is of category `63 n + i`.
  public func bound(
    to fields: [Field], categories: [String]
  ) throws(ExpressionError) -> BoundCondition {
    try bound(SQLBinder(source, fields, categories: categories))
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
  /// Where a row has the time in microseconds, behind all its values; nil where it needs none.
  let clockIndex: Int?

  /// Whether the condition is true for a row; unknown is not true. `CURRENT_DATE` and its like are
  /// the time of the call.
  ///
  /// - Parameter attributes: one value for each field that the condition was bound to, in their
  ///   order. A missing one is NULL, and so is one that does not read as its field's kind.
  public func isTrue(_ attributes: [FieldValue]) -> Bool {
    guard clockIndex != nil else { return truth.truth(attributes) == .yes }
    return isTrue(attributes, at: WallClock.microseconds)
  }

  /// Whether the condition is true for a row at a time, as a query asks that takes one for all rows.
  ///
  /// - Parameters:
  ///   - attributes: as `isTrue(_:)` takes them.
  ///   - microseconds: since 1970-01-01T00:00:00Z.
  package func isTrue(_ attributes: [FieldValue], at microseconds: Int64) -> Bool {
    guard let clockIndex else { return truth.truth(attributes) == .yes }
    var row = attributes
    while row.count <= clockIndex { row.append(.null) }
    row[clockIndex] = .integer(microseconds)
    return truth.truth(row) == .yes
  }
}

extension SQLNode {
  /// Fields and calls from left to right.
  fileprivate func forEachLeaf(_ body: (SQLNode) -> Void) {
    switch self {
    case .literal: break
    case .field: body(self)
    case .negated(let node), .not(let node), .isNull(let node, _), .cast(let node, _):
      node.forEachLeaf(body)
    case .chain(let first, let terms):
      first.forEachLeaf(body)
      for term in terms { term.operand.forEachLeaf(body) }
    case .call(_, let nodes, _):
      body(self)
      for node in nodes { node.forEachLeaf(body) }
    case .choice(let choice, _):
      choice.value?.forEachLeaf(body)
      for branch in choice.branches {
        branch.when.forEachLeaf(body)
        branch.then.forEachLeaf(body)
      }
      choice.otherwise?.forEachLeaf(body)
    case .joined(let nodes), .all(let nodes), .any(let nodes):
      for node in nodes { node.forEachLeaf(body) }
    case .comparison(_, let left, let right), .like(let left, let right, _):
      left.forEachLeaf(body)
      right.forEachLeaf(body)
    case .member(let node, let list, _):
      node.forEachLeaf(body)
      for item in list { item.forEachLeaf(body) }
    case .between(let node, let low, let high, _):
      node.forEachLeaf(body)
      low.forEachLeaf(body)
      high.forEachLeaf(body)
    }
  }
}
