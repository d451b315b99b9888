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

extension FeatureRows {
  /// Rows in an order of fields; those that are equal stay as they are.
  func ordered(
    _ found: [Int], by order: [(field: String, isDescending: Bool)]
  ) throws(ServiceError) -> [Int] {
    guard !order.isEmpty else { return found }
    var keys: [(field: Int, isDescending: Bool)] = []
    for part in order {
      guard let field = field(part.field) else {
        throw ServiceError(
          "'orderByFields' parameter is invalid: there is no field \(part.field.shown)")
      }
      keys.append((field, part.isDescending))
    }
    let values = found.map { row in keys.map { value(row, $0.field) } }
    let sorted = found.indices.sorted { a, b in
      for (index, key) in keys.enumerated() {
        let (first, second) = (values[a][index], values[b][index])
        if first.precedes(second) { return !key.isDescending }
        if second.precedes(first) { return key.isDescending }
      }
      return a < b
    }
    return sorted.map { found[$0] }
  }

  /// A value by its field's index; the object id's comes last.
  func value(_ row: Int, _ field: Int) -> FieldValue {
    field == fields.count
      ? .integer(ids[row]) : table.features[row].attributes[safe: field] ?? .null
  }
}
