import PlumbCore
import PlumbParquet

/// The row of a feature in a Parquet or Arrow table.
package struct TableRow: Sendable {
  /// Rows that were read together, and the attributes of the features.
  final class Part: Sendable {
    let batch: ColumnBatch
    let attributes: [ColumnAttribute]

    /// Keeps only the columns of the attributes in memory.
    init(_ batch: ColumnBatch, _ attributes: [ColumnAttribute]) {
      var batch = batch
      let needed = Set(attributes.compactMap(\.path.first))
      for index in batch.columns.indices where !needed.contains(index) {
        batch.columns[index].values = .booleans([])
        (batch.columns[index].validity, batch.columns[index].count) = (nil, 0)
      }
      (self.batch, self.attributes) = (batch, attributes)
    }
  }

  let part: Part
  /// The row's number in the batch.
  let row: Int

  /// Returns the attributes of rows as columns of their types.
  ///
  /// - Parameters:
  ///   - rows: rows of one table; at least one.
  ///   - copies: the number of times that a row is repeated.
  /// - Throws: if a decimal has more digits than its column allows.
  package static func columns(
    _ rows: ArraySlice<TableRow>, copies: (_ index: Int) -> Int
  ) throws(PlumbError) -> [ValueColumn] {
    var columns: [ValueColumn] = []
    var start = rows.startIndex
    while start < rows.endIndex {
      let (first, count) = (rows[start], copies(start))
      var end = start + 1
      while end < rows.endIndex, rows[end].part === first.part,
        rows[end].row == first.row + end - start, copies(end) == count
      {
        end += 1
      }
      let range = first.row..<first.row + end - start
      for (index, attribute) in first.part.attributes.enumerated() {
        let column = try attribute.typedColumn(first.part.batch, range, copies: count)
        if columns.count > index { columns[index].append(column) } else { columns.append(column) }
      }
      start = end
    }
    return columns
  }

  /// A copy of the row with one of its attributes, which does not keep the other rows in memory.
  package func copy(ofAttribute index: Int) -> TableRow {
    let attribute = part.attributes[index]
    var batch = part.batch
    if let column = attribute.path.first, batch.columns.indices.contains(column) {
      batch.columns[column] = batch.columns[column].rows(row..<row + 1)
    }
    batch.rowCount = 1
    return TableRow(part: Part(batch, [attribute]), row: 0)
  }
}
