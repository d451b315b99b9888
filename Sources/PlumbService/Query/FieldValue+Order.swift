import Plumb

extension FieldValue {
  /// Whether this value sorts before another: nulls first, numbers by size, strings by code point.
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

  /// The sort key by value index in a row.
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

  /// Returns row indices in the order of some values; the sort is stable.
  static func sorted(_ rows: [[FieldValue]], by keys: [Key]) -> [Int] {
    rows.indices.sorted { a, b in
      for key in keys {
        let (first, second) = (rows[a][key.index], rows[b][key.index])
        if first.precedes(second) { return !key.isDescending }
        if second.precedes(first) { return key.isDescending }
      }
      return a < b
    }
  }
}

extension FeatureRows {
  /// Returns rows in the order of some fields; the sort is stable.
  func ordered(_ found: [Int], by order: [RowOrder]) throws(ServiceError) -> [Int] {
    guard !order.isEmpty else { return found }
    var keys: [RowOrder.Key] = []
    for part in order { keys.append(try part.key(field)) }
    let values = found.map { row in keys.map { value(row, $0.index) } }
    for index in keys.indices { keys[index].index = index }
    return RowOrder.sorted(values, by: keys).map { found[$0] }
  }

  /// Returns a value by its field index, dates as milliseconds; the object id is last.
  func value(_ row: Int, _ field: Int) -> FieldValue {
    if field == fields.count { return .integer(ids[row]) }
    let value = table.features[row].attributes[safe: field] ?? .null
    guard fields[field].kind == .date, case .text(let text) = value else { return value }
    return EsriField.milliseconds(text).map { .integer($0) } ?? .null
  }
}
