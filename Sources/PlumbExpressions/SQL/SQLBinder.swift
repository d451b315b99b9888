import PlumbCore

/// Replaces field names by their positions, checks kinds, and parses literals as the kinds of the
/// values with which they are compared.
struct SQLBinder {
  let source: SQLSource
  let fields: [Field]
  let exact: [String: [Int]]
  let folded: [String: [Int]]
  /// The categories of rows; nil if rows are not elements of a network.
  let categories: [String]?

  /// The index of the current time in a row, after the fields and the categories.
  var clockIndex: Int { fields.count + ((categories?.count ?? 0) + 62) / 63 }

  /// A bound value and its kind.
  struct Bound {
    var value: BoundValue
    var kind: SQLKind
    /// The text of a literal, which can be parsed as another kind.
    var literal: String?
    var node: SQLNode
  }

  init(_ source: SQLSource, _ fields: [Field], categories: [String]? = nil) {
    self.source = source
    self.categories = categories
    self.fields = fields
    exact = Dictionary(grouping: fields.indices) { fields[$0].name }
    folded = Dictionary(grouping: fields.indices) { fields[$0].name.lowercased() }
  }

  // MARK: Conditions

  func truth(_ node: SQLNode) throws(ExpressionError) -> BoundTruth {
    switch node {
    case .not(let node): return .not(try truth(node))
    case .all(let nodes): return .all(try truths(nodes))
    case .any(let nodes): return .any(try truths(nodes))
    case .comparison(let comparison, let left, let right):
      return try self.comparison(comparison, left, right)
    case .member(let node, let list, let isNot):
      let member = try member(node, list)
      return isNot ? .not(member) : member
    case .between(let node, let low, let high, let isNot):
      let between = try between(node, low, high)
      return isNot ? .not(between) : between
    case .like(let node, let pattern, let like):
      let match = try self.like(node, pattern, like)
      return like.isNot ? .not(match) : match
    case .isNull(let node, let isNot):
      let isNull = try self.isNull(node)
      return isNot ? .not(isNull) : isNull
    default: return try plain(node)
    }
  }

  // The following functions are not inlined: `truth` and `bound` recurse through them, hundreds of
  // levels deep, so the stack frames have to remain small.

  @inline(never)
  private func comparison(
    _ comparison: SQLComparison, _ left: SQLNode, _ right: SQLNode
  ) throws(ExpressionError) -> BoundTruth {
    let (left, right) = try paired(try bound(left), try bound(right))
    return .comparison(comparison, left.value, right.value)
  }

  @inline(never)
  private func isNull(_ node: SQLNode) throws(ExpressionError) -> BoundTruth {
    .isNull(try bound(node).value)
  }

  @inline(never)
  private func plain(_ node: SQLNode) throws(ExpressionError) -> BoundTruth {
    let value = try bound(node)
    guard value.kind == .boolean || value.kind == .null else {
      throw error(node, "\(describe(value)) is not a condition: compare it with a value")
    }
    return .value(value.value)
  }

  @inline(never)
  private func truths(_ nodes: [SQLNode]) throws(ExpressionError) -> [BoundTruth] {
    var truths: [BoundTruth] = []
    truths.reserveCapacity(nodes.count)
    for node in nodes { truths.append(try truth(node)) }
    return truths
  }

  @inline(never)
  func bounds(_ nodes: [SQLNode]) throws(ExpressionError) -> [Bound] {
    var bounds: [Bound] = []
    bounds.reserveCapacity(nodes.count)
    for node in nodes { bounds.append(try bound(node)) }
    return bounds
  }

  @inline(never)
  private func member(
    _ node: SQLNode, _ list: [SQLNode]
  ) throws(ExpressionError) -> BoundTruth {
    let value = try bound(node)
    let items = try bounds(list)
    // A literal before IN may be parsed as a different kind for each item.
    if value.literal != nil {
      var equalities: [BoundTruth] = []
      for item in items {
        let (left, right) = try paired(value, item)
        equalities.append(.comparison(.equal, left.value, right.value))
      }
      return .any(equalities)
    }
    var values: [BoundValue] = []
    var keys: Set<SQLKey> = []
    var (hasNull, isConstant) = (false, value.kind == .text || value.kind == .number)
    for item in items {
      let item = try paired(value, item).1.value
      values.append(item)
      guard isConstant, case .constant(let constant) = item else {
        isConstant = false
        continue
      }
      switch constant {
      case .null: hasNull = true
      case .moment: isConstant = false
      default: if let key = SQLKey(constant) { keys.insert(key) }
      }
    }
    if isConstant, values.count > 4 {
      return .constantMember(value.value, keys, hasNull: hasNull)
    }
    return .member(value.value, values)
  }

  @inline(never)
  private func between(
    _ node: SQLNode, _ low: SQLNode, _ high: SQLNode
  ) throws(ExpressionError) -> BoundTruth {
    let value = try bound(node)
    let (aboveValue, low) = try paired(value, try bound(low))
    let (belowValue, high) = try paired(value, try bound(high))
    guard value.literal == nil else {
      return .all([
        .comparison(.greaterOrEqual, aboveValue.value, low.value),
        .comparison(.lessOrEqual, belowValue.value, high.value),
      ])
    }
    return .between(value.value, low.value, high.value)
  }

  @inline(never)
  private func like(
    _ node: SQLNode, _ pattern: SQLNode, _ like: SQLLike
  ) throws(ExpressionError) -> BoundTruth {
    let (text, pattern) = (try bound(node), try bound(pattern))
    for value in [text, pattern] where value.kind != .text && value.kind != .null {
      throw error(
        value.node, "LIKE requires text, and \(describe(value)) is not text: CAST(… AS VARCHAR)")
    }
    guard case .constant(.text(let wanted)) = pattern.value else {
      return .likeEach(text.value, pattern.value, like)
    }
    guard let made = LikePattern(wanted, escape: like.escape, ignoresCase: like.ignoresCase) else {
      throw error(
        pattern.node, "the escape character may only be followed by %, _ or itself")
    }
    return .like(text.value, made)
  }
}
