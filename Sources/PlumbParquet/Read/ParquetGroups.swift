import PlumbCore

/// The row groups of a Parquet file in the file's order.
///
/// The source of the file can fetch the bytes of the next row groups while a row group is decoded.
package final class ParquetGroups: ColumnTable {
  private let file: ParquetFile
  private var nextGroup = 0
  /// The first row group that has not been announced to the source.
  private var nextAhead = 0
  /// The number of bytes of each row group that has been announced but not read, and their sum.
  private var sizesAhead: ArraySlice<Int> = []
  private var bytesAhead = 0

  /// The number of bytes up to which row groups are announced before they are read.
  private static let aheadLimit = 64 << 20

  package init(_ file: ParquetFile) { self.file = file }

  package var formatName: String { "Parquet" }
  package var fields: [ColumnField] { file.fields }
  package var rowCount: Int? { file.rowCount }
  package var geo: GeoParquetMetadata? { file.geo }

  /// The number of bytes of all values before compression.
  package var byteCount: Int { file.rowGroups.reduce(0) { $0 + $1.byteCount } }

  package func refusal(ofColumn column: Int) -> String? { file.refusal(ofColumn: column) }

  package func isNested(_ column: Int) -> Bool { file.isNested(column) }

  package func crs(ofColumn column: Int) -> GeoParquetMetadata.CRS? { file.crs(ofColumn: column) }

  package func next(columns: [Int], workers: Workers) throws -> ColumnBatch? {
    guard nextGroup < file.rowGroups.count else { return nil }
    prefetch(columns)
    defer {
      nextGroup += 1
      bytesAhead -= sizesAhead.popFirst() ?? 0
    }
    return try file.read(rowGroup: nextGroup, columns: columns, workers: workers)
  }

  /// Announces the next row group, and the row groups after it up to the limit.
  private func prefetch(_ columns: [Int]) {
    var ranges: [Range<Int>] = []
    while nextAhead < file.rowGroups.count, nextAhead <= nextGroup || bytesAhead < Self.aheadLimit {
      let group = file.bytes(ofRowGroup: nextAhead, columns: columns)
      let size = group.reduce(0) { $0 + $1.count }
      sizesAhead.append(size)
      bytesAhead += size
      ranges += group
      nextAhead += 1
    }
    if !ranges.isEmpty { file.prefetch(ranges) }
  }
}
