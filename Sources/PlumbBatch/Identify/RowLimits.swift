/// Memory limits of a run that is answered raster by raster.
package struct RowLimits: Sendable {
  /// The maximum bytes of rows that are kept until they have been answered.
  package var rowBytes = 192 << 20
  /// The maximum bytes of answers; others go to a temporary file.
  package var answerBytes = 256 << 20
  /// The number of points that are looked up together if not all rows are kept.
  package var points = 1 << 21
  /// The bytes of text that are read at once; nil derives it from the number of columns.
  package var blockBytes: Int?
  /// The maximum number of points of a run; more are an error. Nil for no limit.
  package var rows: Int?

  package init() {}
}
