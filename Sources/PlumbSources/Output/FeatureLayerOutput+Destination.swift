import PlumbCore
import PlumbGDAL
import PlumbGeometry
import PlumbIO

extension FeatureLayerOutput {
  /// The destination of a complete layer.
  package enum Destination {
    /// A file or standard output. A file appears when it is complete.
    case file(ResultOutput)
    /// A table of a database. Its rows are one transaction.
    case table(DatabaseTable)
  }

  /// Writes a complete layer.
  ///
  /// - Parameters:
  ///   - format: the format of a file.
  ///   - name: the name of the layer in a GeoPackage.
  ///   - fields: the columns of the attributes.
  ///   - reference: the CRS of the shapes; nil if it is unknown.
  ///   - body: adds the features.
  /// - Throws: the first error, after which the output file does not exist or the database is unchanged.
  package static func write(
    to destination: Destination, _ format: Format, layer name: String, fields: [VectorField],
    reference: SpatialReference?, kind: VectorShapeKind,
    _ body: (FeatureLayerOutput) throws -> Void
  ) throws {
    switch destination {
    case .file(let output):
      try output.write { path in
        let layer = try FeatureLayerOutput(
          path: path, format, layer: name, fields: fields, reference: reference, kind: kind)
        try body(layer)
        try WorkCancellation.checkCurrent()
        try layer.finish()
      }
    case .table(let table):
      let layer = try FeatureLayerOutput(
        table: table, fields: fields, reference: reference, kind: kind)
      try body(layer)
      try WorkCancellation.checkCurrent()
      try layer.finish()
    }
  }
}
