/// A layer that stands in a map's list and cannot be made: its failure is all there is of it.
public final class BrokenLayer: Layer {
  public var properties: LayerProperties
  public let kind: LayerKind
  public let error: LayerError

  /// - Parameter kind: what it would have been.
  public init(_ properties: LayerProperties, kind: LayerKind, error: LayerError) {
    self.properties = properties
    self.kind = kind
    self.error = error
  }

  public var loadStatus: LoadStatus { .failed(error) }
  public var sublayers: [any Layer] { [] }
  public func load() throws(LayerError) { throw error }
}
