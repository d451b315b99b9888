import Plumb
import PlumbCore

extension FieldValue {
  /// Whether this value sorts before another value. Nulls are first, numbers are sorted by size,
  /// and strings by code point.
  func precedes(_ other: FieldValue) -> Bool {
    switch (self, other) {
    case (.null, .null): return false
    case (.null, _): return true
    case (_, .null): return false
    case (.integer(let a), .integer(let b)): return a < b
    case (.text(let a), .text(let b)), (.json(let a), .json(let b)):
      return a.unicodeScalars.lexicographicallyPrecedes(b.unicodeScalars)
    case (.boolean(let a), .boolean(let b)): return !a && b
    default:
      if let a = doubleValue, let b = other.doubleValue { return a < b }
      return rank < other.rank
    }
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .boolean: 1
    case .integer, .real: 2
    case .text, .json: 3
    }
  }
}

/// A field to sort by.
struct RowOrder: Sendable {
  var field: String
  var isDescending = false

  /// A sort key, which is the index of a value in a row.
  struct Key {
    var index: Int
    var isDescending = false
  }

  /// - Parameter index: returns the value index of a field; nil for an unknown field.
  func key(_ index: (String) -> Int?) throws(ServiceError) -> Key {
    guard let index = index(field) else {
      throw ServiceError(
        "'orderByFields' parameter is invalid: there is no field \(field.shown)")
    }
    return Key(index: index, isDescending: isDescending)
  }

  /// Returns row indices in the order of the keys' values. The sort is stable.
  ///
  /// - Throws: if the work is cancelled.
  static func sorted(_ rows: [[FieldValue]], by keys: [Key]) throws -> [Int] {
    try sorted(rows.indices, by: keys) { rows[$0][keys[$1].index] }
  }

  /// Returns indices in the order of their values. Indices with equal values keep their order.
  ///
  /// - Parameter value: returns the value of an index for the key at a position.
  /// - Throws: if the work is cancelled.
  static func sorted(
    _ indices: Range<Int>, by keys: [Key], _ value: (_ index: Int, _ key: Int) -> FieldValue
  ) throws -> [Int] {
    var comparisons = 0
    return try indices.sorted { a, b in
      comparisons += 1
      if comparisons % 4096 == 0 { try WorkCancellation.checkCurrent() }
      for position in keys.indices {
        let (first, second) = (value(a, position), value(b, position))
        if first.precedes(second) { return !keys[position].isDescending }
        if second.precedes(first) { return keys[position].isDescending }
      }
      return a < b
    }
  }
}

extension FeatureRows {
  /// Returns rows in the order of some fields. The sort is stable. The values are compared without
  /// copying them, because copies of many fields could exceed the memory limit. Only dates are
  /// converted before the sort.
  func ordered(_ found: [Int], by order: [RowOrder]) throws -> [Int] {
    guard !order.isEmpty else { return found }
    var keys: [RowOrder.Key] = []
    for part in order {
      let key = try part.key(field)
      // A repeated field does not change the order.
      if !keys.contains(where: { $0.index == key.index }) { keys.append(key) }
    }
    let dates = keys.map { key in
      key.index < fields.count && fields[key.index].kind == .date
        ? found.map { value($0, key.index) } : []
    }
    return try RowOrder.sorted(found.indices, by: keys) { row, position in
      dates[position].isEmpty ? value(found[row], keys[position].index) : dates[position][row]
    }.map { found[$0] }
  }

  /// Returns a value by its field index. Dates are returned as milliseconds. The object id has the
  /// last index.
  func value(_ row: Int, _ field: Int) -> FieldValue {
    if field == fields.count { return .integer(ids[row]) }
    let value = table.features[row].attributes[safe: field] ?? .null
    guard fields[field].kind == .date, case .text(let text) = value else { return value }
    return EsriField.milliseconds(text).map { .integer($0) } ?? .null
  }
}
