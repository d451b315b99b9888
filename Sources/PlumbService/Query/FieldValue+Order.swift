import Plumb

extension FieldValue {
  /// Whether this value comes before another: nulls first, numbers by size, texts by code point.
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

/// A field by which rows are ordered.
struct RowOrder: Sendable {
  var field: String
  var isDescending = false

  /// The same by where the field's value stands in a row.
  struct Key {
    var index: Int
    var isDescending = false
  }

  /// - Parameter index: where a field's value stands; nil where there is no such field.
  func key(_ index: (String) -> Int?) throws(ServiceError) -> Key {
    guard let index = index(field) else {
      throw ServiceError(
        "'orderByFields' parameter is invalid: there is no field \(field.shown)")
    }
    return Key(index: index, isDescending: isDescending)
  }

  /// The numbers of rows in an order of some of their values; those that are equal stay as they are.
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
  /// Rows in an order of fields; those that are equal stay as they are.
  func ordered(_ found: [Int], by order: [RowOrder]) throws(ServiceError) -> [Int] {
    guard !order.isEmpty else { return found }
    var keys: [RowOrder.Key] = []
    for part in order { keys.append(try part.key(field)) }
    let values = found.map { row in keys.map { value(row, $0.index) } }
    for index in keys.indices { keys[index].index = index }
    return RowOrder.sorted(values, by: keys).map { found[$0] }
  }

  /// A value by its field's index, dates as milliseconds; the object id's comes last.
  func value(_ row: Int, _ field: Int) -> FieldValue {
    if field == fields.count { return .integer(ids[row]) }
    let value = table.features[row].attributes[safe: field] ?? .null
    guard fields[field].kind == .date, case .text(let text) = value else { return value }
    return EsriField.milliseconds(text).map { .integer($0) } ?? .null
  }
}
