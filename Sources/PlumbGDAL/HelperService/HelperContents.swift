import PlumbCore
import PlumbRaster

/// The kinds of contents in replies of a helper process. Tests use them to read damaged replies, which a
/// compromised process may send, without a process.
package enum HelperContents: UInt8, CaseIterable {
  case raster, layer, features, points, listing, coordinates

  /// Reads a reply as its receiver does.
  ///
  /// - Parameter columnCount: the number of columns of the layer, for features and points.
  /// - Returns: the contents, serialized again as a helper's reply.
  @discardableResult
  package func read(_ bytes: [UInt8], columnCount: Int) throws(GDALError) -> [UInt8] {
    let answer = try HelperAnswer(bytes)
    var contents = try answer.outcome.get()
    var again = HelperAnswer.packer(warnings: answer.warnings, fault: nil)
    switch self {
    case .raster:
      again.put(try contents.take(RasterProfile.self))
      again.put(try contents.take(RasterDetails.self))
    case .layer: again.put(try contents.take(LayerFacts.self))
    case .features:
      again.put(true)
      guard try contents.take(Bool.self) else { break }
      try FeatureBatch(from: &contents, .wgs84, columnCount: columnCount).pack(into: &again)
    case .points:
      again.put(true)
      guard try contents.take(Bool.self) else { break }
      try VectorBatch(from: &contents, columnCount: columnCount).pack(into: &again)
    case .listing: again.put(try contents.take(VectorListing?.self))
    case .coordinates: again.putAll(try contents.takeAll(Double.self))
    }
    return again.bytes
  }
}
