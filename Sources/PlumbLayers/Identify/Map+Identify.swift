import PlumbCore

extension Map {
  /// What the layers hold at a point, the topmost first: those that hold something, or failed.
  ///
  /// Asking more than one point is quicker with a `MapIdentifier` of one's own.
  ///
  /// - Parameters:
  ///   - point: in the map's reference unless it says another; shapes come back in the same.
  ///   - options: the search radius, the scale and what is wanted.
  /// - Throws: `bad_query` for what no map can be asked.
  public func identifyLayers(
    at point: Point, _ options: IdentifyOptions = IdentifyOptions()
  ) throws(LayerError) -> [IdentifyLayerResult] {
    try MapIdentifier(
      self, options: options, reference: point.spatialReference, workers: Workers(count: 1)
    ).identify(x: point.x, y: point.y)
  }

  /// What one layer holds at a point, nothing perhaps.
  ///
  /// - Throws: `bad_query`, also when there is no such layer; `no_popups` when popups alone are
  ///   asked and the layer has none; the layer's own failure.
  public func identifyLayer(
    _ id: String, at point: Point, _ options: IdentifyOptions = IdentifyOptions()
  ) throws(LayerError) -> IdentifyLayerResult {
    let identifier = try MapIdentifier(
      self, options: options, reference: point.spatialReference, layer: id,
      workers: Workers(count: 1))
    let result =
      identifier.identify(x: point.x, y: point.y).first
      ?? IdentifyLayerResult(layerContent: identifier.askedContent)
    if let error = result.error { throw error }
    return result
  }
}
