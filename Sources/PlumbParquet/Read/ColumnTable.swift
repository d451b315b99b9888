import PlumbCore

/// A table whose columns are read batch by batch, from its first row on.
///
/// Only one thread at a time uses a table.
package protocol ColumnTable: AnyObject {
  /// The name of the format, for messages.
  var formatName: String { get }
  var fields: [ColumnField] { get }
  /// The number of rows; nil if it is not known before they are read.
  var rowCount: Int? { get }
  /// The metadata of GeoParquet; nil if there is none.
  var geo: GeoParquetMetadata? { get }

  /// The reason why a column cannot be read, such as `has unions`; nil if it can.
  func refusal(ofColumn column: Int) -> String?

  /// Whether a column has lists or maps, which are read as JSON text.
  func isNested(_ column: Int) -> Bool

  /// The CRS of a column of geometries; nil if neither metadata nor the column's type names it.
  func crs(ofColumn column: Int) -> GeoParquetMetadata.CRS?

  /// Returns the columns of the next rows; nil at the end.
  ///
  /// - Parameters:
  ///   - columns: the indices of the columns, in the order of the result.
  ///   - workers: the threads that decode the columns.
  func next(columns: [Int], workers: Workers) throws -> ColumnBatch?
}
