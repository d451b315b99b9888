import PlumbCore
import PlumbGeometry

/// Layers drawn on top of each other.
///
/// Several threads may identify a map's layers at the same time, directly or with separate
/// `MapIdentifier`s. The map and its layers must be changed only while a single thread uses them.
///
/// - Invariant: layers change their state, by loading or by keeping data, only within `withLock`,
///   and not while they wait for a remote server. The caller changes properties only before the map
///   is shared.
public final class Map: @unchecked Sendable {
  /// The operational layers; the first is the bottom, the last the top.
  public var layers: [any Layer]
  /// The CRS in which the map is drawn; nil for the CRS of the first layer that has one.
  public var spatialReference: SpatialReference?
  /// Notes about parts of the map's document that are not identified, such as tiled basemaps, one line each.
  public var notes: [String] = []
  /// The paths of the documents that define the map, without the paths of its layers' data.
  public var documents: [String] = []
  private let lock = YieldingLock()

  /// Creates a map of layers, the bottom one first.
  public init(layers: [any Layer] = [], spatialReference: SpatialReference? = nil) {
    self.layers = layers
    self.spatialReference = spatialReference
  }

  /// The map's CRS or, if it has none, the CRS of the first layer that has one; nil if no layer has
  /// one. Layers are opened to determine their CRS.
  public var resolvedReference: SpatialReference? { withLock { referenceOfLayers() } }

  /// Runs `body`, which may load layers, while no other thread uses the map. While `body` waits for a remote
  /// server, other threads may use the map.
  package func withLock<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try lock.withLock(body)
  }

  /// The value of `resolvedReference`; must be called within `withLock`.
  func referenceOfLayers() -> SpatialReference? {
    if let spatialReference { return spatialReference }
    for layer in layers where LayerNesting.failure(of: layer) == nil {
      if let found = Self.reference(of: layer) { return found }
    }
    return nil
  }

  private static func reference(of layer: any Layer) -> SpatialReference? {
    guard (try? layer.load()) != nil else { return nil }
    switch layer.typed {
    case .feature(let layer): return layer.table.spatialReference
    case .raster(let layer):
      return (layer.raster?.references.first ?? nil).flatMap { try? SpatialReference($0) }
    case .remote(let layer): return layer.source?.reference
    case .group, .mapImage, .broken:
      return layer.sublayers.lazy.compactMap { reference(of: $0) }.first
    }
  }

  /// Returns the layer with an id, including layers in groups. A sublayer of a map image layer is
  /// identified by the ids of the map image layer and the sublayer, such as `services/4`. If
  /// several layers have the id, the bottommost is returned.
  public func layer(id: String) -> (any Layer)? { withLock { path(toLayer: id)?.last } }

  /// Returns a layer and its ancestors, the outermost first. Must be called within `withLock`.
  func path(toLayer id: String) -> [any Layer]? {
    for layer in layers {
      // A layer that is nested too deeply can be requested by its id, but its sublayers cannot.
      if LayerNesting.failure(of: layer) != nil {
        if layer.id == id { return [layer] }
      } else if let path = Self.path(to: id, in: [layer], prefix: "") {
        return path
      }
    }
    return nil
  }

  private static func path(
    to id: String, in layers: [any Layer], prefix: String
  ) -> [any Layer]? {
    for layer in layers {
      if prefix + layer.id == id { return [layer] }
      var inner = prefix
      if layer.isService {
        inner = layer.id + "/"
        guard id.hasPrefix(inner) else { continue }
        try? layer.load()
      }
      if let rest = path(to: id, in: layer.sublayers, prefix: inner) { return [layer] + rest }
    }
    return nil
  }

  /// Reads all features of the given layers.
  func loadFeatures(of wanted: Set<ObjectIdentifier>) {
    func load(_ layer: any Layer) {
      // Failures are ignored here; the failures occur again and are reported when the layer is
      // queried.
      if let layer = layer as? FeatureLayer, wanted.contains(ObjectIdentifier(layer)) {
        _ = try? layer.loadFeatures()
      }
      layer.sublayers.forEach(load)
    }
    withLock { layers.forEach(load) }
  }
}
