/// A layer that stands in a map's list and cannot be made: its failure is all there is of it.
public final class BrokenLayer: Layer {
  public var properties: LayerProperties
  public let kind: LayerKind
  public var typed: TypedLayer { .broken(self) }
  public let typeName: String
  public let error: LayerError

  /// - Parameters:
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

  public var loadStatus: LoadStatus { .failed(error) }
  public var sublayers: [any Layer] { [] }
  public func load() throws(LayerError) { throw error }
}
