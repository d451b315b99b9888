import PlumbCore

/// The row groups of a Parquet file in the file's order.
package final class ParquetGroups: ColumnTable {
  private let file: ParquetFile
  private var nextGroup = 0

  package init(_ file: ParquetFile) { self.file = file }

  package var formatName: String { "Parquet" }
  package var fields: [ColumnField] { file.fields }
  package var rowCount: Int? { file.rowCount }
  package var geo: GeoParquetMetadata? { file.geo }

  package func refusal(ofColumn column: Int) -> String? { file.refusal(ofColumn: column) }

  package func isNested(_ column: Int) -> Bool { file.isNested(column) }

  package func crs(ofColumn column: Int) -> GeoParquetMetadata.CRS? { file.crs(ofColumn: column) }

  package func next(columns: [Int], workers: Workers) throws -> ColumnBatch? {
    guard nextGroup < file.rowGroups.count else { return nil }
    defer { nextGroup += 1 }
    return try file.read(rowGroup: nextGroup, columns: columns, workers: workers)
  }
}
