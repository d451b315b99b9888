/// A layer of a map, with its contents and its visibility.
///
/// Layers must be changed and queried by one thread at a time.
public protocol Layer: AnyObject {
  /// The common properties; visibility and scales may be changed at any time.
  var properties: LayerProperties { get set }
  /// The kind of the layer's contents.
  var kind: LayerKind { get }
  /// The layer as one of the concrete types, for code that depends on the type.
  var typed: TypedLayer { get }
  /// The layer type in results: the name of the kind, unless a document defines another type name.
  var typeName: String { get }
  /// Whether the layer is loaded, or the reason why the layer cannot be loaded.
  var loadStatus: LoadStatus { get }
  /// The sublayers, the topmost first; empty for layers of features and rasters.
  var sublayers: [any Layer] { get }

  /// Opens the layer's source and checks its settings, without reading features or cells.
  ///
  /// Does nothing if the layer is loaded. A failure is kept and thrown again; a failure of a remote layer is
  /// kept for only a few seconds.
  func load() throws(LayerError)
}

/// The properties common to all layers.
public struct LayerProperties: Sendable, Hashable {
  /// The id, unique in the map or in the map image layer.
  public var id: String
  /// The display name; by default the id.
  public var name: String
  /// Whether the layer is visible; a hidden layer hides all its sublayers.
  public var isVisible: Bool
  /// The opacity from 0, fully transparent, to 1. Transparent layers are identified like opaque
  /// layers.
  public var opacity: Double
  /// The scales at which the layer is drawn and, if the query has a scale, identified.
  public var scaleRange: ScaleRange
  /// The attribution of the data, which pictures show; empty if unknown.
  public var attribution: String
  /// The document's drawing settings that Plumb does not apply as specified.
  public var undrawn = UnsupportedDrawing()

  /// Creates properties. By default, the layer is visible and opaque, and has no scale limits.
  public init(
    id: String, name: String? = nil, isVisible: Bool = true, opacity: Double = 1,
    scaleRange: ScaleRange = ScaleRange(), attribution: String = ""
  ) {
    self.id = id
    self.name = name ?? id
    self.isVisible = isVisible
    self.opacity = opacity
    self.scaleRange = scaleRange
    self.attribution = attribution
  }
}

extension Layer {
  /// Whether the layer is a map image layer, whose sublayers have separate ids.
  var isService: Bool {
    if case .mapImage = typed { true } else { false }
  }
  /// The id, unique in the map or in the map image layer.
  public var id: String { properties.id }
  /// The display name of the layer.
  public var name: String { properties.name }
  /// The name of the kind.
  public var typeName: String { kind.rawValue }
  /// Whether the layer itself is visible; a hidden group also hides its visible layers.
  public var isVisible: Bool {
    get { properties.isVisible }
    set { properties.isVisible = newValue }
  }
}

/// A layer as one of the concrete types.
public enum TypedLayer {
  /// Features with shapes.
  case feature(FeatureLayer)
  /// One raster or mosaic.
  case raster(RasterLayer)
  /// A group of layers.
  case group(GroupLayer)
  /// A tree of sublayers, as in a map service.
  case mapImage(MapImageLayer)
  /// A remote layer that is queried by location.
  case remote(RemoteLayer)
  /// A layer that cannot be created.
  case broken(BrokenLayer)
}

/// The kind of a layer's contents, with its name in results.
public enum LayerKind: String, Sendable, Hashable {
  /// In this order: a raster or mosaic, features with shapes, a group of layers, and a tree of
  /// sublayers as in a map service.
  case raster, feature, group, mapImage
  /// A type in a document that Plumb does not support.
  case other
}

/// The state of loading a layer.
public enum LoadStatus: Sendable, Hashable {
  /// Not loaded yet.
  case notLoaded
  /// Open and checked.
  case loaded
  /// The layer cannot be opened, or its settings are wrong. Loading again throws the same error,
  /// for a remote layer only during the first few seconds.
  case failed(LayerError)
}
