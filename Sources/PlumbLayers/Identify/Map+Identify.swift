import PlumbCore

extension Map {
  /// Identifies the layers at a point. Returns results for the layers that have elements or failed, the
  /// topmost first.
  ///
  /// For several points, a `MapIdentifier` is faster.
  ///
  /// - Parameters:
  ///   - point: the location, in the map's CRS unless the point has another CRS; shapes are returned in the
  ///     CRS of the point.
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
  /// - Throws: `bad_query` for an invalid query or if there is no such layer; `no_popups` if only
  ///   popups are requested but the layer has none; the error of the layer if the layer fails.
  public func identifyLayer(
    _ id: String, at point: Point, _ options: IdentifyOptions = IdentifyOptions()
  ) throws(LayerError) -> IdentifyLayerResult {
    let identifier = try MapIdentifier(
      self, options: options, reference: point.spatialReference, layer: id,
      workers: Workers(count: 1))
    let result =
      identifier.identify(x: point.x, y: point.y).first
      ?? IdentifyLayerResult(layerContent: identifier.queriedContent)
    if let error = result.error { throw error }
    return result
  }
}
