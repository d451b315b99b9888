import PlumbIO

/// Builds columns from the decoded values of a row group.
struct ColumnAssembly {
  /// The values that are not yet in a column, in the order of the schema.
  private var next: ArraySlice<LeafValues>
  private let rowCount: Int
  private let budget: DecodeBudget

  init(_ values: [LeafValues], rowCount: Int, _ budget: DecodeBudget) {
    (next, self.rowCount, self.budget) = (values[...], rowCount, budget)
  }

  /// Builds a column, or the elements of lists.
  ///
  /// - Parameter lists: for each list around the column, the definition level of its elements.
  mutating func column(
    _ column: ParquetColumn, in lists: [Int] = []
  ) throws(FormatError) -> ValueColumn {
    guard let first = next.first else { throw Self.fault }
    var field = column.field
    let rows = try slots(first, lists)
    let validity = Self.validity(first, column, rows)
    let count = rows?.count ?? rowCount
    switch column.node {
    case .leaf:
      next.removeFirst()
      if let unit = first.unit { field.kind = .timestamp(unit, isUTC: false) }
      guard let rows, rows.count < first.entryCount else {
        return ValueColumn(field: field, values: first.values, validity: validity, count: count)
      }
      let all = ValueColumn(
        field: field, values: first.values, validity: nil, count: first.entryCount)
      return try ColumnRows(rows, budget).taken(from: all, field: field, validity: validity)
    case .structure(let members):
      var columns: [ValueColumn] = []
      for member in members { columns.append(try self.column(member, in: lists)) }
      guard columns.allSatisfy({ $0.count == count }) else { throw Self.fault }
      return ValueColumn(
        field: field, values: .structure(columns), validity: validity, count: count)
    case .list(let list):
      try budget.take(count + 1, width: 8)
      let offsets = try offsets(first, list.levels, outer: lists)
      let elements = try self.column(list.element, in: list.levels)
      guard offsets.count == count + 1, offsets.last == elements.count else { throw Self.fault }
      var texts = ListTexts(elements, isMap: list.isMap, budget)
      return try texts.column(field, count: count, validity: validity) {
        offsets[$0]..<offsets[$0 + 1]
      }
    case .refused: preconditionFailure("refused columns are not read")
    }
  }

  private static var fault: FormatError {
    ParquetFault.damaged("the lists of a row group have different lengths")
  }

  /// The entries at which rows begin or, within lists, at which list elements begin; nil if each entry is
  /// a row.
  private func slots(
    _ values: LeafValues, _ lists: [Int]
  ) throws(FormatError) -> [UInt32]? {
    guard let repetitions = values.repetitions else { return nil }
    try budget.take(values.entryCount, width: 4)
    var slots: [UInt32] = []
    for entry in 0..<values.entryCount
    where repetitions[entry] <= lists.count && values.isAt(lists.last ?? 0, entry) {
      slots.append(UInt32(truncatingIfNeeded: entry))
    }
    guard !lists.isEmpty || slots.count == rowCount else {
      throw ParquetFault.damaged("a row group has \(slots.count) lists for \(rowCount) rows")
    }
    return slots
  }

  /// For each list, the index of its first element among the elements of all lists. The last value is the
  /// number of elements of all lists.
  ///
  /// - Parameters:
  ///   - levels: for each list around an element, the definition level of the elements of this list.
  ///   - outer: the same levels for the lists around the list itself.
  private func offsets(
    _ values: LeafValues, _ levels: [Int], outer: [Int]
  ) throws(FormatError) -> [Int] {
    guard let repetitions = values.repetitions else { throw Self.fault }
    var offsets: [Int] = []
    var elementCount = 0
    for entry in 0..<values.entryCount {
      if repetitions[entry] <= outer.count, values.isAt(outer.last ?? 0, entry) {
        offsets.append(elementCount)
      }
      if repetitions[entry] <= levels.count, values.isAt(levels.last ?? 0, entry) {
        elementCount += 1
      }
    }
    return offsets + [elementCount]
  }

  /// The rows that are not null; nil if no row is null.
  private static func validity(
    _ values: LeafValues, _ column: ParquetColumn, _ rows: [UInt32]?
  ) -> [UInt8]? {
    guard column.definition > 0, let bits = values.validity[column.definition - 1] else {
      return nil
    }
    guard let rows else { return bits }
    var areAll = true
    var taken = [UInt8](repeating: 0, count: (rows.count + 7) / 8)
    for (row, entry) in rows.enumerated() {
      if bits[Int(entry >> 3)] >> UInt8(entry & 7) & 1 == 1 {
        taken[row >> 3] |= 1 << UInt8(row & 7)
      } else {
        areAll = false
      }
    }
    return areAll ? nil : taken
  }
}
