/// The memory limits of a run.
package struct RowLimits: Sendable {
  /// The maximum size in bytes of the rows that are kept until they are processed.
  package var rowBytes = 192 << 20
  /// The maximum size in bytes of the results in memory. Further results are stored in a temporary
  /// file.
  package var answerBytes = 256 << 20
  /// The number of points that are processed together if not all rows fit into memory.
  package var points = 1 << 21
  /// The number of bytes of text that are read at once; nil derives it from the number of columns.
  package var blockBytes: Int?
  /// The maximum number of points of a run, beyond which the run fails; nil for no limit.
  package var rows: Int?
  /// The maximum number of vertices of a buffer; nil for the engine's limit.
  package var vertices: Int?
  /// The maximum number of vertices of a union of buffers; nil for no limit.
  package var joinedVertices: Int?

  /// The maximum number of distinct values of an area, and of values that the results of a batch of areas
  /// list; nil for no limit.
  package var entries: Int?
  /// The maximum number of vertices of the shapes of all rows; nil for no limit.
  package var writtenVertices: Int?
  /// The maximum number of cells that the edges of an area cross; nil for no limit.
  package var edgeCells: Int?

  package init() {}
}
