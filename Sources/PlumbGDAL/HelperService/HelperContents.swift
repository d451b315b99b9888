import PlumbCore
import PlumbRaster

/// The kinds of contents in replies of a helper process. Tests use them to read damaged replies
/// without a process. A compromised process may send such replies.
package enum HelperContents: UInt8, CaseIterable {
  case raster, layer, features, points, listing, coordinates

  /// Reads a reply in the same way as the code that receives it.
  ///
  /// - Parameter columnCount: the number of columns of the layer, for features and points.
  /// - Returns: the contents, serialized again as a helper's reply.
  @discardableResult
  package func read(_ bytes: [UInt8], columnCount: Int) throws(GDALError) -> [UInt8] {
    let reply = try HelperReply(bytes)
    var contents = try reply.outcome.get()
    var again = HelperReply.packer(warnings: reply.warnings, fault: nil)
    switch self {
    case .raster:
      again.put(try contents.read(RasterProfile.self))
      again.put(try contents.read(RasterDetails.self))
    case .layer: again.put(try contents.read(LayerFacts.self))
    case .features:
      again.put(true)
      guard try contents.read(Bool.self) else { break }
      try FeatureBatch(from: &contents, .wgs84, columnCount: columnCount).pack(into: &again)
    case .points:
      again.put(true)
      guard try contents.read(Bool.self) else { break }
      try VectorBatch(from: &contents, columnCount: columnCount).pack(into: &again)
    case .listing: again.put(try contents.read(VectorListing?.self))
    case .coordinates: again.putAll(try contents.readAll(Double.self))
    }
    return again.bytes
  }
}
