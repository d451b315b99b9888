/// Layers under one name, shown and hidden together.
public final class GroupLayer: Layer {
  public var properties: LayerProperties
  /// The first is the bottom, as in `Map.layers`.
  public var layers: [any Layer]

  public init(_ properties: LayerProperties, layers: [any Layer]) {
    self.properties = properties
    self.layers = layers
  }

  public var kind: LayerKind { .group }
  public var typed: TypedLayer { .group(self) }
  public var loadStatus: LoadStatus { .loaded }
  public var sublayers: [any Layer] { layers.reversed() }
  public func load() {}
}
