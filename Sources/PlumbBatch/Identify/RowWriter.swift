import PlumbCore
import PlumbLayers
import PlumbRaster
import PlumbSources

/// Writes rows with their results in one format. Each input row becomes one output row, or one row
/// for each date, in order.
protocol RowWriter: AnyObject {
  func write(_ batch: PointBatch, _ answers: MapAnswers) throws
  /// Waits until the text of all rows so far is written.
  func flush() throws
  /// Writes the text that follows the last row, if any, and closes the output.
  func finish() throws
  /// Warnings, one line for each change to the rows that the format requires.
  var warnings: [String] { get }
}

extension RowWriter {
  func flush() throws {}
  package var warnings: [String] { [] }
}
