/// One entry of a map: what it shows, and when.
///
/// Layers are changed and asked from one thread at a time.
public protocol Layer: AnyObject {
  var properties: LayerProperties { get set }
  var kind: LayerKind { get }
  /// The layer by its type, for what treats each type in its own way.
  var typed: TypedLayer { get }
  /// What results call the kind of layer: the kind's own word, or what a document calls a type that
  /// has no kind here.
  var typeName: String { get }
  var loadStatus: LoadStatus { get }
  /// What lies below it, the topmost first; empty for layers of features and rasters.
  var sublayers: [any Layer] { get }

  /// Opens what the layer stands for and checks its settings, without reading features or cells.
  ///
  /// Does nothing when that was done; a failure is kept and thrown again.
  func load() throws(LayerError)
}

/// What every layer has.
public struct LayerProperties: Sendable, Hashable {
  /// Tells the layer from all others of its map, or of its map image layer.
  public var id: String
  public var name: String
  /// A hidden layer hides all that lies below it.
  public var isVisible: Bool
  /// From 0, fully transparent, to 1. Transparent layers answer like others.
  public var opacity: Double
  public var scaleRange: ScaleRange

  public init(
    id: String, name: String? = nil, isVisible: Bool = true, opacity: Double = 1,
    scaleRange: ScaleRange = ScaleRange()
  ) {
    self.id = id
    self.name = name ?? id
    self.isVisible = isVisible
    self.opacity = opacity
    self.scaleRange = scaleRange
  }
}

extension Layer {
  /// Whether it is a map image layer, whose sublayers have ids of their own.
  var isService: Bool {
    if case .mapImage = typed { true } else { false }
  }
  public var id: String { properties.id }
  public var name: String { properties.name }
  public var typeName: String { kind.rawValue }
  public var isVisible: Bool {
    get { properties.isVisible }
    set { properties.isVisible = newValue }
  }
}

/// The scales at which a layer is drawn, by the denominators of their fractions.
public struct ScaleRange: Sendable, Hashable {
  /// The smallest scale, that is the greatest denominator; 0 for no limit.
  public var minScale: Double
  /// The largest scale, that is the least denominator; 0 for no limit.
  public var maxScale: Double

  public init(minScale: Double = 0, maxScale: Double = 0) {
    self.minScale = minScale
    self.maxScale = maxScale
  }

  /// Whether the layer is drawn at a scale, its limits among it.
  public func contains(_ scale: Double) -> Bool {
    (minScale == 0 || scale <= minScale) && (maxScale == 0 || scale >= maxScale)
  }
}

/// A layer by its type. Every layer is one of these.
public enum TypedLayer {
  case feature(FeatureLayer)
  case raster(RasterLayer)
  case group(GroupLayer)
  case mapImage(MapImageLayer)
  case broken(BrokenLayer)
}

/// What a layer holds, by the word that results have for it.
public enum LayerKind: String, Sendable, Hashable {
  case raster, feature, group, mapImage
  /// A type that a document names and Plumb does not read.
  case other
}

/// How far a layer has come.
public enum LoadStatus: Sendable, Hashable {
  case notLoaded
  case loaded
  case failed(LayerError)
}
