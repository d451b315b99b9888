import PlumbCore

/// A layer that is a tree of sublayers, as a map service has: each a group, a layer of features or
/// one of rasters.
public final class MapImageLayer: Layer, LoadedOnce {
  /// The layer's id, name, visibility and scales, which hold for all of its sublayers.
  public var properties: LayerProperties
  /// The uppermost sublayers, the topmost first. Their ids are unique in the whole tree.
  public private(set) var sublayers: [any Layer] = []
  /// Whether the sublayers were made and checked.
  public var loadStatus: LoadStatus { loading.status }
  /// What results call the layer's type: `mapImage` unless a document says otherwise.
  public let typeName: String
  private let open: () throws -> [any Layer]
  var loading: LoadState

  /// How many levels of sublayers there may be.
  public static let nestingLimit = 256

  /// - Parameters:
  ///   - properties: the layer's id, name, visibility and scales.
  ///   - typeName: what results call it, as `KML`.
  ///   - isRemote: whether it is another machine's, so that a failure may be over later.
  ///   - open: makes the sublayers, the topmost first.
  public init(
    _ properties: LayerProperties, typeName: String = LayerKind.mapImage.rawValue,
    isRemote: Bool = false, open: @escaping () throws -> [any Layer]
  ) {
    self.properties = properties
    self.typeName = typeName
    self.open = open
    loading = LoadState(isRemote: isRemote)
  }

  /// A layer of sublayers that are there already, the topmost first.
  public convenience init(_ properties: LayerProperties, sublayers: [any Layer]) {
    self.init(properties) { sublayers }
  }

  /// Always `mapImage`.
  public var kind: LayerKind { .mapImage }
  /// The layer itself.
  public var typed: TypedLayer { .mapImage(self) }

  /// Makes the sublayers and checks them.
  ///
  /// - Throws: what `open` throws; `bad_layer` when two have one id, one is a map image layer
  ///   itself, or they nest deeper than `nestingLimit`.
  public func load() throws(LayerError) {
    try loadOnce(open) {
      try Self.check($0)
      sublayers = $0
    }
  }

  /// - Throws: when two sublayers have one id, one is a map image layer itself, or they nest deeper
  ///   than `nestingLimit`.
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
