/// A placeholder in a map for a layer that cannot be created, with the error.
public final class BrokenLayer: Layer {
  /// The name, id and scale range that the layer would have.
  public var properties: LayerProperties
  /// The kind of the intended layer.
  public let kind: LayerKind
  /// The layer itself.
  public var typed: TypedLayer { .broken(self) }
  /// The layer type in results.
  public let typeName: String
  /// The reason why the layer cannot be created.
  public let error: LayerError

  /// - Parameters:
  ///   - properties: the layer's id, name, visibility and scales.
  ///   - kind: the kind of the intended layer.
  ///   - typeName: the type name in the document; nil for the name of the kind.
  public init(
    _ properties: LayerProperties, kind: LayerKind, typeName: String? = nil, error: LayerError
  ) {
    self.properties = properties
    self.kind = kind
    self.typeName = typeName ?? kind.rawValue
    self.error = error
  }

  /// Always `failed` with `error`.
  public var loadStatus: LoadStatus { .failed(error) }
  /// Always empty.
  public var sublayers: [any Layer] { [] }
  /// Throws `error`.
  public func load() throws(LayerError) { throw error }
}
