/// The result of one layer at a point.
public struct IdentifyLayerResult: Sendable {
  /// The identity of the layer.
  public struct LayerContent: Sendable, Hashable {
    /// The layer's id in its map, or the sublayer's in its map image layer.
    public var id: String
    /// The layer's name in the map.
    public var name: String
    /// The type: `raster`, `feature`, `group`, `mapImage`, or `sublayer` for every layer in a map image
    /// layer.
    public var type: String

    /// Creates the identity of a layer.
    public init(id: String, name: String, type: String) {
      self.id = id
      self.name = name
      self.type = type
    }
  }

  /// The layer of the result.
  public var layerContent: LayerContent
  /// The elements, the topmost first.
  public var geoElements: [GeoElement]
  /// The popup of each element that was found, if the layer has popups.
  public var popups: [Popup]
  /// The results of the sublayers that have elements or failed, nested like the layers, the topmost first.
  public var sublayerResults: [IdentifyLayerResult]
  /// Whether there were more elements than `maximumResultsPerLayer`.
  public var isTransferLimitExceeded: Bool
  /// The number of elements of the layer at the point, regardless of the limit, without sublayers.
  public var foundCount: Int
  /// The reason why the layer failed completely or in part; nil if the layer did not fail. A
  /// failure does not affect the results of other layers.
  public var error: LayerError?

  /// Creates the result of one layer at a point.
  public init(
    layerContent: LayerContent, geoElements: [GeoElement] = [], popups: [Popup] = [],
    sublayerResults: [IdentifyLayerResult] = [], isTransferLimitExceeded: Bool = false,
    foundCount: Int = 0, error: LayerError? = nil
  ) {
    self.layerContent = layerContent
    self.geoElements = geoElements
    self.popups = popups
    self.sublayerResults = sublayerResults
    self.isTransferLimitExceeded = isTransferLimitExceeded
    self.foundCount = foundCount
    self.error = error
  }

  /// The number of elements (or popups, if only popups were requested) of the layer and its sublayers.
  public var elementCount: Int {
    sublayerResults.reduce(max(geoElements.count, popups.count)) { $0 + $1.elementCount }
  }

  /// Whether the result contains no elements, popups, sublayer results or error.
  var isEmpty: Bool {
    geoElements.isEmpty && popups.isEmpty && sublayerResults.isEmpty && error == nil
  }
}
