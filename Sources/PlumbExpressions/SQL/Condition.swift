import PlumbCore

/// A condition on attributes, as in a WHERE clause of SQL: `POP > 1000 AND NAME LIKE 'San %'`.
///
/// - Comparison `= <> != < <= > >=`, `BETWEEN`, `IN`, `LIKE` and `ILIKE` with `ESCAPE`, `IS NULL`,
///   each with `NOT`; `AND`, `OR`, `NOT`; `+ - * / %`, `||` and parentheses. A NULL makes a
///   comparison unknown, and unknown is not true.
/// - `'text'` with `''` for a quote, `N'text'`, numbers, `TRUE`, `FALSE`, `NULL`,
///   `DATE '2024-05-31'`, `TIMESTAMP '2024-05-31 12:00:00'`. Fields are bare, in `"double quotes"` or
///   in `[brackets]`; a name without an exact match is looked up without regard to case.
/// - `UPPER`, `LOWER`, `TRIM`, `LTRIM`, `RTRIM`, `SUBSTRING`, `CHAR_LENGTH`, `CONCAT`, `POSITION`,
///   `REPLACE`, `ABS`, `SIGN`, `ROUND`, `TRUNCATE`, `FLOOR`, `CEILING`, `MOD`, `SQRT`, `POWER`, `EXP`,
///   `LOG` (natural), `LOG10`, `COALESCE`, `NULLIF`, and `CAST` to `INTEGER`, `FLOAT`, `DECIMAL(p, s)`,
///   `VARCHAR(n)`, `DATE` or `TIMESTAMP`.
/// - `TRIM(LEADING '0' FROM code)`, or with `TRAILING` or `BOTH`: removes the given characters, or
///   spaces by default, from the ends of text. `TRIM`, `LTRIM` and `RTRIM` also take the characters as a
///   second value.
/// - `CASE WHEN pop > 1000 THEN 'large' ELSE 'small' END` and `CASE kind WHEN 1 THEN 'a' END`. The
///   values are of one kind, and the result is NULL if no branch applies. A field called `case` has
///   to be in double quotes. Inside a CASE, so does a field called `when`, `then`, `else` or `end`.
/// - `CURRENT_DATE`, `CURRENT_TIMESTAMP` and `CURRENT_TIME` (as text `hh:mm:ss`), in UTC. They are
///   the same throughout the condition.
/// - `INTERVAL '7' DAY`, with `YEAR`, `MONTH`, `DAY`, `HOUR`, `MINUTE`, `SECOND` and ranges of them such as
///   `INTERVAL '1 12:30' DAY TO MINUTE`.
/// - `EXTRACT(YEAR FROM built)`, and `QUARTER`, `MONTH`, `WEEK` (of ISO 8601), `DAY`, `HOUR`, `MINUTE`,
///   `SECOND` (with its fraction).
/// - `INCLUDES(bits, wanted)` and `INCLUDESANY(bits, wanted)` for integers used as bit masks; for
///   elements of a network, `CATEGORY('name')`.
///
/// Text: all comparisons and `LIKE` are case-sensitive, as in file geodatabases and most databases.
/// (In OGR's own SQL, `=` ignores case.) `ILIKE` is case-insensitive. Text is compared, and its
/// length is counted, by Unicode code point, so `é` as one code point differs from `e` with a
/// combining accent. `||` with a NULL is NULL. `CONCAT` skips NULLs.
///
/// Dates: text fields compared with `DATE` or `TIMESTAMP` are parsed as dates. The comparison is
/// unknown if the text is not a date. Dates without a zone are in UTC. A plain `'text'` is compared
/// as text. Years are from 0 to 9999. Dates outside this range are NULL.
///
/// Intervals can be added to and subtracted from dates. Text is parsed as a date. The difference of
/// two dates is an interval in days and time. Adding months keeps the day, or uses the last day of
/// a shorter month. Intervals of months and intervals of days and time can neither be compared with
/// nor added to each other. Intervals can be multiplied and divided by numbers. `CAST` formats a
/// date as `YYYY-MM-DD`, and a date with a time as `YYYY-MM-DD hh:mm:ss`.
///
/// Numbers: integers are exact to 64 bits, and larger integers are doubles. An integer and a real
/// are compared exactly. The quotient of two integers is truncated to an integer, as in OGR, SQLite
/// and PostgreSQL, so `7 / 2` is 3 and `7 / 2.0` is 3.5. Division by zero and NaN are NULL. Text
/// literals compared with a number are parsed as numbers, as in `POP > '1000'`. Text fields have to
/// be converted with `CAST` for a comparison with a number. Combined with a number, TRUE is 1 and
/// FALSE is 0.
public struct Condition: Sendable, CustomStringConvertible {
  /// The text of the condition.
  public var text: String { source.text }
  /// The names of the condition's fields as written, without quotes, in order of first use.
  public let fieldNames: [String]

  let node: SQLNode
  private let source: SQLSource
  /// Whether the condition uses the current time.
  private let usesClock: Bool

  /// Parses a condition.
  ///
  /// - Throws: an error with the column, from 1.
  public init(_ text: String) throws(ExpressionError) {
    source = SQLSource(text)
    node = try SQLParser.node(source)
    var names: [String] = []
    var seen: Set<[UInt8]> = []
    var usesClock = false
    node.forEachLeaf { node in
      switch node {
      case .field(let name, _):
        if seen.insert(Array(name.utf8)).inserted { names.append(name) }
      case .call(let name, _, _): usesClock = usesClock || SQLClock(rawValue: name) != nil
      default: break
      }
    }
    (fieldNames, self.usesClock) = (names, usesClock)
  }

  /// The condition in canonical form. It is the same for all conditions with equal trees, and is
  /// parsed to an equal condition.
  public var description: String { node.text }

  /// Binds the fields of the condition to the fields of a source.
  ///
  /// - Throws: an error with the column if a field is unknown or ambiguous, or if values cannot be compared.
  public func bound(to fields: [Field]) throws(ExpressionError) -> BoundCondition {
    try bound(SQLBinder(source, fields))
  }

  private func bound(_ binder: SQLBinder) throws(ExpressionError) -> BoundCondition {
    BoundCondition(
      truth: try binder.truth(node), clockIndex: usesClock ? binder.clockIndex : nil)
  }

  /// Binds the condition, which may use `category('…')`, for elements of a network.
  ///
  /// A row for this condition consists of the values of the fields and, after them, one integer for
  /// every 63 categories. Bit `i` of integer `n` is set if the element is of category `63 n + i`.
  public func bound(
    to fields: [Field], categories: [String]
  ) throws(ExpressionError) -> BoundCondition {
    try bound(SQLBinder(source, fields, categories: categories))
  }
}

/// Conditions are equal if their trees are equal, regardless of spaces and quotes.
extension Condition: Hashable {
  public static func == (a: Condition, b: Condition) -> Bool { a.node == b.node }

  public func hash(into hasher: inout Hasher) { hasher.combine(node) }
}

/// A condition that can be evaluated for rows.
public struct BoundCondition: Sendable {
  let truth: BoundTruth
  /// The index of the current time in a row; nil if the condition does not use the time. The time
  /// is in microseconds, and follows all other values.
  let clockIndex: Int?

  /// Returns whether the condition is true for a row. Unknown is not true. Keywords such as
  /// `CURRENT_DATE` refer to the time of the call.
  ///
  /// - Parameter attributes: one value for each field to which the condition was bound, in the
  ///   order of the fields. Missing values, and values that cannot be converted to their field's
  ///   kind, are NULL.
  public func isTrue(_ attributes: [FieldValue]) -> Bool {
    guard clockIndex != nil else { return truth.truth(attributes) == .yes }
    return isTrue(attributes, at: WallClock.microseconds)
  }

  /// Whether the condition is true for a row at a given time, for queries that use the same time for all
  /// rows.
  ///
  /// - Parameters:
  ///   - attributes: as for `isTrue(_:)`.
  ///   - microseconds: the current time, in microseconds since 1970-01-01T00:00:00Z.
  package func isTrue(_ attributes: [FieldValue], at microseconds: Int64) -> Bool {
    guard let clockIndex else { return truth.truth(attributes) == .yes }
    var row = attributes
    while row.count <= clockIndex { row.append(.null) }
    row[clockIndex] = .integer(microseconds)
    return truth.truth(row) == .yes
  }
}

extension SQLNode {
  /// Calls `body` with the nodes of fields and function calls from left to right.
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
