/// A true, false or unknown part of a condition, with bound fields.
indirect enum BoundTruth: Sendable {
  case value(BoundValue)
  case not(BoundTruth)
  case all([BoundTruth])
  case any([BoundTruth])
  case comparison(SQLComparison, BoundValue, BoundValue)
  case between(BoundValue, BoundValue, BoundValue)
  case member(BoundValue, [BoundValue])
  case constantMember(BoundValue, Set<SQLKey>, hasNull: Bool)
  case like(BoundValue, LikePattern)
  /// LIKE with a pattern that differs from row to row.
  case likeEach(BoundValue, BoundValue, SQLLike)
  case isNull(BoundValue)

  func truth(_ row: SQLRow) -> SQLTruth {
    switch self {
    case .value(let node): return SQLTruth(node.value(row))
    case .not(let node): return node.truth(row).inverse
    case .all(let nodes):
      var result = SQLTruth.yes
      for node in nodes {
        switch node.truth(row) {
        case .no: return .no
        case .unknown: result = .unknown
        case .yes: break
        }
      }
      return result
    case .any(let nodes):
      var result = SQLTruth.no
      for node in nodes {
        switch node.truth(row) {
        case .yes: return .yes
        case .unknown: result = .unknown
        case .no: break
        }
      }
      return result
    case .comparison(let comparison, let left, let right):
      return Self.compare(comparison, left.value(row), right.value(row))
    case .between(let node, let low, let high):
      let value = node.value(row)
      let (isAbove, isBelow) = (
        Self.compare(.greaterOrEqual, value, low.value(row)),
        Self.compare(.lessOrEqual, value, high.value(row))
      )
      if isAbove == .no || isBelow == .no { return .no }
      return isAbove == .yes && isBelow == .yes ? .yes : .unknown
    case .member(let node, let list):
      let value = node.value(row)
      var result = SQLTruth.no
      for item in list {
        switch Self.compare(.equal, value, item.value(row)) {
        case .yes: return .yes
        case .unknown: result = .unknown
        case .no: break
        }
      }
      return result
    case .constantMember(let node, let keys, let hasNull):
      guard let key = SQLKey(node.value(row)) else { return .unknown }
      return keys.contains(key) ? .yes : hasNull ? .unknown : .no
    case .like(let node, let pattern):
      guard case .text(let text) = node.value(row) else { return .unknown }
      return SQLTruth(pattern.matches(text))
    case .likeEach(let node, let pattern, let like):
      guard case .text(let text) = node.value(row), case .text(let wanted) = pattern.value(row),
        let pattern = LikePattern(wanted, escape: like.escape, ignoresCase: like.ignoresCase)
      else { return .unknown }
      return SQLTruth(pattern.matches(text))
    case .isNull(let node):
      guard case .null = node.value(row) else { return .no }
      return .yes
    }
  }

  @inline(__always)
  private static func compare(
    _ comparison: SQLComparison, _ a: SQLValue, _ b: SQLValue
  ) -> SQLTruth {
    guard let order = SQLValue.order(a, b) else { return .unknown }
    return comparison.holds(order) ? .yes : .no
  }
}

/// The key of a value in a set. Keys are equal if `SQLValue.order` of the values is 0. Numbers are
/// compared by value, and text is compared by bytes.
struct SQLKey: Hashable, Sendable {
  private enum Content: Hashable {
    case integer(Int64)
    case real(Double)
    case text(String)
  }

  private let content: Content

  /// - Returns: nil for NULL, dates and intervals.
  init?(_ value: SQLValue) {
    switch value {
    case .boolean(let boolean): content = .integer(boolean ? 1 : 0)
    case .integer(let integer): content = .integer(integer)
    case .real(let real): content = Int64(exactly: real).map { .integer($0) } ?? .real(real)
    case .text(let text): content = .text(text)
    case .null, .moment, .interval: return nil
    }
  }

  static func == (a: Self, b: Self) -> Bool {
    // Swift's own equality treats "é" and "e" with a combining accent as equal.
    if case .text(let a) = a.content, case .text(let b) = b.content {
      return SQLText.order(a, b) == 0
    }
    return a.content == b.content
  }
}
