import PlumbCore
import PlumbGeometry

extension OpenedNetwork {
  /// Returns the network with a CRS assigned to its coordinates, which are not changed.
  ///
  /// - Throws: if the network already has a CRS.
  public func referenced(by reference: SpatialReference) throws(PlumbError) -> OpenedNetwork {
    if let existing = spatialReference {
      throw PlumbError(
        "\(path.printable) already has the CRS \(existing.label.printable)")
    }
    var result = self
    result.spatialReference = reference
    return result
  }
}
