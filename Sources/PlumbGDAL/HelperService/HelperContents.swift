import PlumbCore
import PlumbRaster

/// What the answers of a helper process hold, which may have been broken into: to try damaged answers
/// without a process.
package enum HelperContents: UInt8, CaseIterable {
  case raster, layer, features, points, listing, coordinates

  /// Reads an answer as who has asked for it does.
  ///
  /// - Parameter columnCount: of the layer, for features and points.
  /// - Returns: what was read, as a helper would answer it.
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
