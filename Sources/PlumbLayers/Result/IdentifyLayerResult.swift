/// What one layer holds at a point.
public struct IdentifyLayerResult: Sendable {
  /// Which layer answered.
  public struct LayerContent: Sendable, Hashable {
    /// The layer's id in its map, or the sublayer's in its map image layer.
    public var id: String
    /// The layer's name as the map says it.
    public var name: String
    /// `raster`, `feature`, `group`, `mapImage`, or `sublayer` for all that lies in a map image
    /// layer.
    public var type: String

    /// The head of a layer's result.
    public init(id: String, name: String, type: String) {
      self.id = id
      self.name = name
      self.type = type
    }
  }

  /// The layer that answered.
  public var layerContent: LayerContent
  /// The topmost first.
  public var geoElements: [GeoElement]
  /// One for each of the elements that were found, where the layer has popups.
  public var popups: [Popup]
  /// Nested as the layers are, the topmost first: those that hold something, or failed.
  public var sublayerResults: [IdentifyLayerResult]
  /// Whether there was more than `maximumResultsPerLayer` allows.
  public var isTransferLimitExceeded: Bool
  /// How many elements the layer holds there, whatever the limit; sublayers not counted.
  public var foundCount: Int
  /// Why the layer did not answer, or not wholly; nil when it did. Other layers' results are not
  /// concerned.
  public var error: LayerError?

  /// What one layer holds at a point.
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

  /// How many elements (or popups, where only they were asked) there are here and below.
  public var elementCount: Int {
    sublayerResults.reduce(max(geoElements.count, popups.count)) { $0 + $1.elementCount }
  }

  /// Whether there is nothing to tell.
  var isEmpty: Bool {
    geoElements.isEmpty && popups.isEmpty && sublayerResults.isEmpty && error == nil
  }
}
