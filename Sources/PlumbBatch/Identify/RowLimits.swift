/// How much of a run that is answered raster by raster is in memory.
package struct RowLimits: Sendable {
  /// Bytes of rows that are kept until they have been answered.
  package var rowBytes = 192 << 20
  /// Bytes of answers; those beyond go to a temporary file.
  package var answerBytes = 256 << 20
  /// Points that are looked up together where not all rows are kept.
  package var points = 1 << 21
  /// Bytes of text that are read at once; nil for what suits the number of columns.
  package var blockBytes: Int?
  /// Points of a run; more are an error. Nil for any number.
  package var rows: Int?

  package init() {}
}
