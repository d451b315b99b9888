import PlumbCore

extension IdentifyLayerResult {
  /// Returns the error that ends a strict run if a layer failed at a point, with the name and the
  /// error code of the topmost failed layer; nil if no layer failed.
  package static func strictRefusal(of results: [IdentifyLayerResult]) -> PlumbError? {
    for result in results {
      if let error = result.error {
        return .strict("\(result.layerContent.name.printable): a point is \(error.code)")
      }
      if let below = strictRefusal(of: result.sublayerResults) { return below }
    }
    return nil
  }
}
