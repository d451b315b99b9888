import PlumbCore
import PlumbLayers
import PlumbRaster
import PlumbSources

/// Writes rows with their answers in one format: each input row one output row, in order.
package protocol RowWriter: AnyObject {
  func write(_ batch: PointBatch, _ answers: MapAnswers) throws
  /// Writes what follows the last row and closes the output.
  func finish() throws
  /// What the format could not take as it was, one line each.
  var warnings: [String] { get }
}

extension RowWriter {
  package var warnings: [String] { [] }
}
