import PlumbCore
import PlumbGeometry
import PlumbIO
import PlumbParquet

/// The format of a columnar table.
package enum ColumnFormat: String, Sendable {
  /// A Parquet file, which is a GeoParquet file if it has geometries.
  case parquet
  /// An Arrow stream.
  case arrow
}

/// Writes the rows of a Parquet or Arrow table and, in its last column, geometries.
package final class ColumnOutput {
  /// The columns, with the geometries last.
  package let fields: [ColumnField]
  /// Warnings, one line for each change to the rows that the format requires.
  package private(set) var warnings: [String] = []
  private let writer: any TableWriter

  /// - Parameters:
  ///   - encoding: the encoding of the geometries; nil if there are none.
  ///   - reference: the CRS of the geometries; nil if it is unknown.
  /// - Throws: if two columns have the same name.
  package init(
    _ output: ByteOutput, _ format: ColumnFormat, fields: [ColumnField],
    geometry encoding: GeometryEncoding?, reference: SpatialReference?, workers: Workers
  ) throws {
    var taken = Set<String>()
    for field in fields where !taken.insert(field.name).inserted {
      throw PlumbError(
        "two output columns would be called \(field.name.printable); rename one of them")
    }
    var fields = fields
    if let encoding {
      var name = "geometry"
      while taken.contains(name) { name += "_" }
      if name != "geometry" {
        warnings.append(
          "the geometries are in the column \(name), because the input has a column geometry")
      }
      fields.append(ColumnField(name: name, kind: .geometry(encoding), isNullable: true))
    }
    self.fields = fields
    let crs = encoding == nil ? nil : try reference?.projJSON()
    writer =
      format == .arrow
      ? try ArrowStreamWriter(output, fields: fields, crs: crs)
      : try ParquetWriter(output, fields: fields, crs: crs, workers: workers)
  }

  package func write(_ batch: ColumnBatch) throws { try writer.write(batch) }

  package func finish() throws { try writer.finish() }
}
