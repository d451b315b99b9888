import PlumbCore
import PlumbGeometry

/// Layers drawn one over the other.
///
/// Several threads may ask a map, by itself or by `MapIdentifier`s of their own. It is changed, and
/// so are its layers, while only one thread has it.
///
/// - Invariant: the layers load, and keep what they read, within `asking` alone, but not over a wait for
///   another machine; whoever changes the properties does so before the map is shared.
public final class Map: @unchecked Sendable {
  /// The operational layers; the first is the bottom, the last the top.
  public var layers: [any Layer]
  /// What the map is drawn in; nil for its first layer's.
  public var spatialReference: SpatialReference?
  /// What of its document is not asked, as basemaps of tiles, a line each.
  public var notes: [String] = []
  /// The documents that the map came from, as paths; those of its layers' data are not among them.
  public var documents: [String] = []
  private let lock = YieldingLock()

  /// A map of these layers, the bottom one first.
  public init(layers: [any Layer] = [], spatialReference: SpatialReference? = nil) {
    self.layers = layers
    self.spatialReference = spatialReference
  }

  /// The map's reference, else that of its first layer which has one, which is opened for that; nil
  /// when no layer has one.
  public var resolvedReference: SpatialReference? { asking { referenceOfLayers() } }

  /// Runs `body`, which may load layers, while no other thread asks the map; others may while it waits for
  /// another machine.
  package func asking<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try lock.withLock(body)
  }

  /// The same within `asking`.
  package func referenceOfLayers() -> SpatialReference? {
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

  /// The layer of an id, in groups too. A sublayer of a map image layer goes by both ids, as
  /// `services/4`. Of layers that have one id the first from the bottom is taken.
  public func layer(id: String) -> (any Layer)? { asking { path(toLayer: id)?.last } }

  /// A layer and all above it, the uppermost first. To be called within `asking`.
  func path(toLayer id: String) -> [any Layer]? {
    for layer in layers {
      // What nests too deep can be named, and nothing in it.
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

  /// Reads all features of some layers, by what they are.
  func loadFeatures(of wanted: Set<ObjectIdentifier>) {
    func load(_ layer: any Layer) {
      // What fails here fails again, and is reported, when it is asked.
      if let layer = layer as? FeatureLayer, wanted.contains(ObjectIdentifier(layer)) {
        _ = try? layer.loadFeatures()
      }
      layer.sublayers.forEach(load)
    }
    asking { layers.forEach(load) }
  }
}
