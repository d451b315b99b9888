import PlumbCore
import PlumbGeometry

extension OpenedNetwork {
  /// The network with a reference for its coordinates, which are taken as they are.
  ///
  /// - Throws: when it has one of its own.
  public func referenced(by reference: SpatialReference) throws(PlumbError) -> OpenedNetwork {
    if let own = spatialReference {
      throw PlumbError(
        "\(path.printable) has the reference \(own.label.printable): none can be given for it")
    }
    var result = self
    result.spatialReference = reference
    return result
  }
}
