import PlumbCore
import PlumbLayers
import PlumbRaster
import PlumbSources

/// Writes rows with their results in one format: one output row per input row, in order.
protocol RowWriter: AnyObject {
  func write(_ batch: PointBatch, _ answers: MapAnswers) throws
  /// Writes the text that follows the last row, if any, and closes the output.
  func finish() throws
  /// One line for each change that the format required.
  var warnings: [String] { get }
}

extension RowWriter {
  package var warnings: [String] { [] }
}
