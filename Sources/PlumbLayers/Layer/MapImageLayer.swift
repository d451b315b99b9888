import PlumbCore

/// A layer with a tree of sublayers, as in a map service. Each sublayer is a group, a feature layer
/// or a raster layer.
public final class MapImageLayer: Layer, LoadedOnce {
  /// The layer's id, name, visibility and scales, which apply to all of its sublayers.
  public var properties: LayerProperties
  /// The top-level sublayers, the topmost first. Their ids are unique in the whole tree.
  public private(set) var sublayers: [any Layer] = []
  /// Whether the sublayers have been created and checked.
  public var loadStatus: LoadStatus { loading.status }
  /// The layer type in results: `mapImage` unless a document defines another.
  public let typeName: String
  private let open: () throws -> [any Layer]
  var loading: LoadState

  /// The maximum number of levels of sublayers.
  public static let nestingLimit = 256

  /// - Parameters:
  ///   - properties: the layer's id, name, visibility and scales.
  ///   - typeName: the layer type in results, such as `KML`.
  ///   - isRemote: whether the layer is remote, so that a failure may be temporary.
  ///   - open: creates the sublayers, the topmost first.
  public init(
    _ properties: LayerProperties, typeName: String = LayerKind.mapImage.rawValue,
    isRemote: Bool = false, open: @escaping () throws -> [any Layer]
  ) {
    self.properties = properties
    self.typeName = typeName
    self.open = open
    loading = LoadState(isRemote: isRemote)
  }

  /// Creates a layer of existing sublayers, the topmost first.
  public convenience init(_ properties: LayerProperties, sublayers: [any Layer]) {
    self.init(properties) { sublayers }
  }

  /// Always `mapImage`.
  public var kind: LayerKind { .mapImage }
  /// The layer itself.
  public var typed: TypedLayer { .mapImage(self) }

  /// Creates and checks the sublayers.
  ///
  /// - Throws: the errors of `open`; `bad_layer` if two sublayers have the same id, a sublayer is
  ///   itself a map image layer, or sublayers are nested deeper than `nestingLimit`.
  public func load() throws(LayerError) {
    try loadOnce(open) {
      try Self.check($0)
      sublayers = $0
    }
  }

  /// - Throws: if two sublayers have the same id, a sublayer is itself a map image layer, or
  ///   sublayers are nested deeper than `nestingLimit`.
  private static func check(_ sublayers: [any Layer]) throws(LayerError) {
    var level = sublayers
    var seen = Set<String>()
    for _ in 0..<nestingLimit {
      for layer in level where !seen.insert(layer.id).inserted {
        throw LayerError(
          code: .badLayer, message: "two sublayers have the id \(layer.id.printable)")
      }
      for layer in level where layer.isService {
        throw LayerError(
          code: .badLayer,
          message: "the sublayer \(layer.id.printable) is a map image layer itself")
      }
      level = level.flatMap(\.sublayers)
      if level.isEmpty { return }
    }
    throw LayerError(
      code: .badLayer, message: "sublayers nest deeper than \(nestingLimit) levels")
  }
}
