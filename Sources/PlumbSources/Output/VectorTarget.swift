import PlumbCore
import PlumbGDAL
import PlumbGeometry

/// The destination of features that GDAL writes: a new file, or a table of a database.
package enum VectorTarget {
  /// A file, which must not exist, and the name of its layer.
  case file(path: String, driver: VectorDriver, layer: String)
  /// A new or existing table of a database.
  case table(DatabaseTable)

  /// Creates the layer or the table.
  ///
  /// - Parameter kind: the kind of every row's geometry.
  package func writer(
    fields: [VectorField], reference: SpatialReference?, kind: VectorShapeKind
  ) throws -> VectorRowWriter {
    switch self {
    case .file(let path, let driver, let layer):
      try VectorRowWriter(
        path: path, driver: driver, layer: layer, fields: fields,
        reference: reference?.definition, kind: kind)
    case .table(let table):
      try VectorRowWriter(
        table: table, fields: fields, reference: reference?.definition, kind: kind)
    }
  }
}
