import PlumbCore
import PlumbGDAL
import PlumbGeometry
import PlumbIO
import PlumbParquet

/// Writes features with attributes to a new file or to a table of a database. Only one thread at a
/// time may use it.
package final class FeatureLayerOutput {
  package enum Format: Sendable, Hashable {
    /// A layer of a GeoPackage.
    case geoPackage
    case columns(ColumnFormat)

    /// Whether times are milliseconds since 1970 instead of text in ISO 8601.
    package var hasNumericTimes: Bool { self != .geoPackage }
  }

  private enum Target {
    case layer(VectorRowWriter)
    case columns(ColumnShapeOutput)
  }

  private let target: Target
  /// The features that have not been written as columns.
  private var pending: [(shape: Geometry?, values: [FieldValue])] = []
  private static let pendingLimit = 4096

  /// - Parameters:
  ///   - path: the path of the file, which must not exist; nil for standard output.
  ///   - name: the name of the layer in a GeoPackage.
  ///   - fields: the columns of the attributes.
  ///   - reference: the CRS of the shapes; nil if it is unknown.
  /// - Throws: when GDAL lacks GeoPackage, or the file cannot be created.
  package init(
    path: String?, _ format: Format, layer name: String, fields: [VectorField],
    reference: SpatialReference?, kind: VectorShapeKind
  ) throws {
    switch format {
    case .geoPackage:
      guard let path, !OutputFile.isStream(path) else {
        throw PlumbError(
          "a GeoPackage is written to a file: specify a file name that ends in .gpkg")
      }
      guard let driver = VectorDriver.named("GPKG") else {
        throw PlumbError("this GDAL does not write GeoPackages", code: .unsupported)
      }
      target = .layer(
        try VectorTarget.file(path: path, driver: driver, layer: name)
          .writer(fields: fields, reference: reference, kind: kind))
    case .columns(let columns):
      let columnFields = fields.map { field in
        var column = ColumnField(field)
        if field.kind == .dateTime { column.kind = .timestamp(.milliseconds, isUTC: true) }
        return column
      }
      let output = try ColumnShapeOutput(
        ByteOutput(path: path), columns, fields: columnFields, reference: reference,
        workers: Workers(count: 1))
      // A reader of a live stream expects the schema before the first feature.
      if columns == .arrow { try output.start() }
      target = .columns(output)
    }
  }

  /// Writes to a table of a database.
  ///
  /// - Throws: if the database cannot be opened or refuses the table.
  package init(
    table: DatabaseTable, fields: [VectorField], reference: SpatialReference?,
    kind: VectorShapeKind
  ) throws {
    target = .layer(
      try VectorTarget.table(table).writer(fields: fields, reference: reference, kind: kind))
  }

  /// Creates a file with shapes of any kind.
  package convenience init(
    path: String?, _ format: Format, layer name: String, fields: [Field],
    reference: SpatialReference?
  ) throws {
    try self.init(
      path: path, format, layer: name, fields: fields.map { VectorField($0) },
      reference: reference, kind: .mixed)
  }

  /// Warnings about changes that the format requires, one line for each change to the features.
  package var warnings: [String] {
    switch target {
    case .layer(let writer): writer.warnings
    case .columns(let output): output.warnings
    }
  }

  /// Adds a feature.
  ///
  /// - Parameter values: the attributes, one for each column.
  package func append(_ shape: Geometry?, _ values: [FieldValue]) throws {
    switch target {
    case .layer(let writer): try writer.append(shape: shape, values: values)
    case .columns:
      pending.append((shape, values))
      if pending.count >= Self.pendingLimit { try flush() }
    }
  }

  /// For a column format, writes the features that were added since the last call. For a live table, commits
  /// these features. For a GeoPackage or a table that is not live, `finish` writes the features.
  package func flush() throws {
    switch target {
    case .layer(let writer): try writer.flush()
    case .columns(let output):
      guard !pending.isEmpty else { return }
      let features = pending
      pending.removeAll(keepingCapacity: true)
      try output.write(features.count) { (features[$0].shape, [features[$0].values]) }
    }
  }

  /// Writes all features, and completes the file or the table.
  package func finish() throws {
    try flush()
    switch target {
    case .layer(let writer): try writer.finish()
    case .columns(let output): try output.finish()
    }
  }
}
