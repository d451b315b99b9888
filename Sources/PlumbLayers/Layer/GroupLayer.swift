/// A group of layers that are shown and hidden together.
public final class GroupLayer: Layer {
  /// The group's id, name, visibility and scales, which apply to all of its layers.
  public var properties: LayerProperties
  /// The layers; the first is the bottom, as in `Map.layers`.
  public var layers: [any Layer]

  /// Creates a group of layers, the bottom one first.
  public init(_ properties: LayerProperties, layers: [any Layer]) {
    self.properties = properties
    self.layers = layers
  }

  /// Always `group`.
  public var kind: LayerKind { .group }
  /// The layer itself.
  public var typed: TypedLayer { .group(self) }
  /// Always loaded, because the group's layers are loaded separately.
  public var loadStatus: LoadStatus { .loaded }
  /// The group's layers, the topmost first.
  public var sublayers: [any Layer] { layers.reversed() }
  /// Does nothing.
  public func load() {}
}
