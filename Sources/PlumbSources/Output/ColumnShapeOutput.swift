import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbParquet

/// Writes features with shapes as a Parquet or Arrow table.
package final class ColumnShapeOutput {
  private let output: ColumnOutput
  private let workers: Workers
  private static let grain = 512

  /// - Parameters:
  ///   - fields: the columns of the attributes.
  ///   - reference: the CRS of the shapes; nil if it is unknown.
  package init(
    _ bytes: ByteOutput, _ format: ColumnFormat, fields: [ColumnField],
    reference: SpatialReference?, workers: Workers
  ) throws {
    output = try ColumnOutput(
      bytes, format, fields: fields, geometry: .wkb, reference: reference, workers: workers)
    self.workers = workers
  }

  package var warnings: [String] { output.warnings }

  /// Writes rows.
  ///
  /// - Parameters:
  ///   - count: the number of features.
  ///   - source: the features' rows in a Parquet or Arrow table, from which the first columns are copied;
  ///     nil for other inputs.
  ///   - feature: the shape of a feature, and the attributes of its rows.
  package func write(
    _ count: Int, source: [TableRow]? = nil,
    _ feature: @Sendable (_ index: Int) -> (shape: Geometry?, rows: [[FieldValue]])
  ) throws {
    let step = Self.grain * 2 * workers.count
    for start in stride(from: 0, to: count, by: step) {
      try WorkCancellation.checkCurrent()
      let tables = try workers.mapRanges(min(step, count - start), grain: Self.grain) {
        [fields = output.fields] _, range in
        let features = range.map { feature(start + $0) }
        let copied = try source.map { rows in
          let rows = rows[start + range.lowerBound..<start + range.upperBound]
          return try TableRow.columns(rows) { features[$0 - rows.startIndex].rows.count }
        }
        let first = copied?.count ?? 0
        var builders = fields.dropFirst(first).map { ColumnBuilder($0) }
        for (shape, rows) in features {
          let wkb = try shape.flatMap { $0.isEmpty ? nil : try WKBGeometry.encode($0) }
          for row in rows { try Self.append(row.dropFirst(first), wkb, to: &builders) }
        }
        return ColumnBatch(
          columns: (copied ?? []) + builders.map(\.column), rowCount: builders.last?.count ?? 0)
      }
      for table in tables { try output.write(table) }
    }
  }

  private static func append(
    _ row: ArraySlice<FieldValue>, _ wkb: [UInt8]?, to builders: inout [ColumnBuilder]
  ) throws {
    let last = builders.count - 1
    for index in 0..<last {
      try builders[index].append(index < row.count ? row[row.startIndex + index] : .null)
    }
    if let wkb {
      try wkb.withUnsafeBytes { try builders[last].append(bytes: $0) }
    } else {
      builders[last].appendNull()
    }
  }

  /// Writes the description of the columns of a stream.
  package func start() throws {
    try output.write(
      ColumnBatch(columns: output.fields.map { ColumnBuilder($0).column }, rowCount: 0))
  }

  package func finish() throws { try output.finish() }
}
