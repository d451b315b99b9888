import PlumbCore

extension IdentifyLayerResult {
  /// The error of a strict run for a point's results: that of the first failed layer, from the top; nil if
  /// none failed.
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
