import PlumbCore
import PlumbLayers
import PlumbRaster

/// Writes rows with their answers in one format: each input row one output row, in order.
protocol RowWriter: AnyObject {
  func write(_ batch: PlaceBatch, _ answers: MapAnswers) throws
  /// Writes what follows the last row and closes the output.
  func finish() throws
  /// What the format could not take as it was, one line each.
  var warnings: [String] { get }
}

extension RowWriter {
  var warnings: [String] { [] }
}

/// The formats that a batch can be written in.
public enum OutputFormat: Sendable, Hashable {
  case delimited(UInt8)
  /// Identify results, one JSON object a line.
  case jsonLines
  case geoJSON
  case geoJSONSequence
  /// An OGR driver, by its short name.
  case vector(String)

  static let comma = OutputFormat.delimited(UInt8(ascii: ","))
  static let tab = OutputFormat.delimited(0x09)
}
