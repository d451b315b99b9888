import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbParquet

/// Writes features with ids to a GeoParquet file.
package struct FeatureTableOutput {
  private let output: ColumnShapeOutput

  /// - Parameters:
  ///   - path: the path of the file, which is created.
  ///   - idField: the name of the first column, which has the ids.
  ///   - fields: the columns of the attributes.
  ///   - reference: the CRS of the shapes; nil if it is unknown.
  package init(
    path: String, idField: String, fields: [Field], reference: SpatialReference?
  ) throws {
    let ids = ColumnField(
      name: idField, kind: .integer(bits: 64, isSigned: true), isNullable: false)
    output = try ColumnShapeOutput(
      ByteOutput(path: path), .parquet, fields: [ids] + fields.map { ColumnField($0) },
      reference: reference, workers: Workers(count: 1))
  }

  /// Warnings, one line for each change to the rows that the format requires.
  package var warnings: [String] { output.warnings }

  /// Writes all features, and completes the file.
  ///
  /// - Parameter features: the shape of each feature, its id and its attributes.
  package func write(_ features: [(shape: Geometry?, values: [FieldValue])]) throws {
    try output.write(features.count) { (features[$0].shape, [features[$0].values]) }
    try output.finish()
  }
}
