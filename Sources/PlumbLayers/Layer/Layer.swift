/// One entry of a map: what it shows, and when.
///
/// Layers are changed and asked from one thread at a time.
public protocol Layer: AnyObject {
  /// What every layer has; visibility and scales may be changed at any time.
  var properties: LayerProperties { get set }
  /// What the layer holds.
  var kind: LayerKind { get }
  /// The layer by its type, for what treats each type in its own way.
  var typed: TypedLayer { get }
  /// What results call the kind of layer: the kind's own word, or what a document calls a type that
  /// has no kind here.
  var typeName: String { get }
  /// Whether the layer was loaded, or why it cannot be.
  var loadStatus: LoadStatus { get }
  /// What lies below it, the topmost first; empty for layers of features and rasters.
  var sublayers: [any Layer] { get }

  /// Opens what the layer stands for and checks its settings, without reading features or cells.
  ///
  /// Does nothing when that was done; a failure is kept and thrown again, one of another machine for
  /// some seconds.
  func load() throws(LayerError)
}

/// What every layer has.
public struct LayerProperties: Sendable, Hashable {
  /// Tells the layer from all others of its map, or of its map image layer.
  public var id: String
  /// What people call it; the id where no name was given.
  public var name: String
  /// A hidden layer hides all that lies below it.
  public var isVisible: Bool
  /// From 0, fully transparent, to 1. Transparent layers answer like others.
  public var opacity: Double
  /// The scales at which the layer is drawn, and answers when a scale is asked.
  public var scaleRange: ScaleRange
  /// Whose data it shows, for pictures; empty where nobody says.
  public var attribution: String
  /// What of a document's drawing is drawn in another way.
  public var undrawn = UndrawnParts()

  /// Properties of a visible, opaque layer at all scales, unless said otherwise.
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
  /// Whether it is a map image layer, whose sublayers have ids of their own.
  var isService: Bool {
    if case .mapImage = typed { true } else { false }
  }
  /// Tells the layer from all others of its map, or of its map image layer.
  public var id: String { properties.id }
  /// What people call the layer.
  public var name: String { properties.name }
  /// The kind's own word.
  public var typeName: String { kind.rawValue }
  /// Whether the layer is drawn, as far as it is up to it: a hidden group hides it too.
  public var isVisible: Bool {
    get { properties.isVisible }
    set { properties.isVisible = newValue }
  }
}

/// A layer by its type. Every layer is one of these.
public enum TypedLayer {
  /// Features with shapes.
  case feature(FeatureLayer)
  /// One raster or mosaic.
  case raster(RasterLayer)
  /// Layers under one name.
  case group(GroupLayer)
  /// A tree of sublayers, as a map service has.
  case mapImage(MapImageLayer)
  /// One of another machine that is asked at locations.
  case remote(RemoteLayer)
  /// One that cannot be made.
  case broken(BrokenLayer)
}

/// What a layer holds, by the word that results have for it.
public enum LayerKind: String, Sendable, Hashable {
  /// One raster or mosaic; features with shapes; layers under one name; a tree of sublayers as a
  /// map service has.
  case raster, feature, group, mapImage
  /// A type that a document names and Plumb does not read.
  case other
}

/// How far a layer has come.
public enum LoadStatus: Sendable, Hashable {
  /// Not needed so far.
  case notLoaded
  /// Open and checked.
  case loaded
  /// Cannot be opened, or its settings are wrong; asking again says the same.
  case failed(LayerError)
}
