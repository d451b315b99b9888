import PlumbCore

extension Map {
  /// Identifies the layers at a point. The results are of layers with elements or failures, the topmost
  /// first.
  ///
  /// For several points, a separate `MapIdentifier` is faster.
  ///
  /// - Parameters:
  ///   - point: in the map's CRS unless it has another; shapes are returned in the same CRS.
  ///   - options: the search radius, the scale and other options.
  /// - Throws: `bad_query` for an invalid query.
  public func identifyLayers(
    at point: Point, _ options: IdentifyOptions = IdentifyOptions()
  ) throws(LayerError) -> [IdentifyLayerResult] {
    try MapIdentifier(
      self, options: options, reference: point.spatialReference, workers: Workers(count: 1)
    ).identify(x: point.x, y: point.y)
  }

  /// Identifies one layer at a point; the result may be empty.
  ///
  /// - Throws: `bad_query`, also if there is no such layer; `no_popups` if only popups are requested and the
  ///   layer has none; the layer's own failure.
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
