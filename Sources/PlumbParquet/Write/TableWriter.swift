/// Writes the rows of a table in a columnar format.
package protocol TableWriter: AnyObject {
  /// Adds rows, which have the columns of the table.
  func write(_ batch: ColumnBatch) throws
  /// Writes the remaining rows and the end of the table.
  func finish() throws
}
