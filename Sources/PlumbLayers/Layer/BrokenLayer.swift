/// A layer that stands in a map's list and cannot be made: its failure is all there is of it.
public final class BrokenLayer: Layer {
  /// The name, id and scales that the layer would have had.
  public var properties: LayerProperties
  /// What it would have been.
  public let kind: LayerKind
  /// The layer itself.
  public var typed: TypedLayer { .broken(self) }
  /// What results call its type.
  public let typeName: String
  /// Why it cannot be made.
  public let error: LayerError

  /// - Parameters:
  ///   - properties: the layer's id, name, visibility and scales.
  ///   - kind: what it would have been.
  ///   - typeName: what its document calls the type; nil for the kind's own word.
  public init(
    _ properties: LayerProperties, kind: LayerKind, typeName: String? = nil, error: LayerError
  ) {
    self.properties = properties
    self.kind = kind
    self.typeName = typeName ?? kind.rawValue
    self.error = error
  }

  /// Always failed, with `error`.
  public var loadStatus: LoadStatus { .failed(error) }
  /// None.
  public var sublayers: [any Layer] { [] }
  /// Throws `error`.
  public func load() throws(LayerError) { throw error }
}
