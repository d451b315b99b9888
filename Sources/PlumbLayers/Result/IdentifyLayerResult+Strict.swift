import PlumbCore

extension IdentifyLayerResult {
  /// Why the strict mode refuses a point's results: the first layer, from the top, that failed; nil
  /// when none did.
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
