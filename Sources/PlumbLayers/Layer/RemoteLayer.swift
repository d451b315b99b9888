import PlumbCore

/// A remote layer that returns its elements at a requested location, such as a web map service or
/// the cells of a map service.
public final class RemoteLayer: Layer, LoadedOnce {
  /// The answer at one location.
  public struct Answer: Sendable {
    /// The elements, the topmost first, with shapes in the layer's CRS.
    public var elements: [GeoElement]
    /// Whether there were more elements than requested.
    public var isCut: Bool
    /// The reason why the location could not be queried completely; nil if the query was complete.
    public var error: LayerError?

    /// Creates an answer, empty by default.
    public init(elements: [GeoElement] = [], isCut: Bool = false, error: LayerError? = nil) {
      (self.elements, self.isCut, self.error) = (elements, isCut, error)
    }
  }

  /// The options of a query.
  public struct Question: Sendable {
    /// The maximum number of elements; nil for no limit.
    public var maximumResults: Int?
    /// The denominator of the scale; nil if there is none.
    public var scale: Double?

    /// Creates options, by default without a limit or a scale.
    public init(maximumResults: Int? = nil, scale: Double? = nil) {
      (self.maximumResults, self.scale) = (maximumResults, scale)
    }
  }

  /// The open source that queries the layer.
  public struct Source {
    /// The CRS of locations and shapes; nil for the map's.
    public var reference: SpatialReference?
    /// Queries locations in the CRS; returns an answer for each, in their order.
    public var ask: (_ points: [SIMD2<Double>], _ question: Question) -> [Answer]

    /// Creates a source with a CRS.
    public init(
      reference: SpatialReference?,
      ask: @escaping (_ points: [SIMD2<Double>], _ question: Question) -> [Answer]
    ) {
      (self.reference, self.ask) = (reference, ask)
    }
  }

  /// The layer's id, name, visibility and scales.
  public var properties: LayerProperties
  /// The layer's popup definition; nil for a layer without popups.
  public var popup: PopupDefinition?
  /// `raster` for cells, `other` for arbitrary contents.
  public let kind: LayerKind
  /// The layer type in results.
  public let typeName: String
  /// Whether the source is open.
  public var loadStatus: LoadStatus { loading.status }
  /// The open source; nil until the layer is loaded.
  public private(set) var source: Source?
  private let open: () throws -> Source
  var loading = LoadState(isRemote: true)

  /// - Parameters:
  ///   - properties: the layer's id, name, visibility and scales.
  ///   - kind: the kind of the layer's contents.
  ///   - typeName: the layer type in results; nil for the name of the kind.
  ///   - popup: the layer's popup definition; nil for none.
  ///   - open: opens the source; called once, on first use of the layer.
  public init(
    _ properties: LayerProperties, kind: LayerKind, typeName: String? = nil,
    popup: PopupDefinition? = nil, open: @escaping () throws -> Source
  ) {
    self.properties = properties
    (self.kind, self.typeName) = (kind, typeName ?? kind.rawValue)
    (self.popup, self.open) = (popup, open)
  }

  /// The layer itself.
  public var typed: TypedLayer { .remote(self) }
  /// Always empty.
  public var sublayers: [any Layer] { [] }

  /// Opens the source.
  ///
  /// - Throws: `load_failed` if the source cannot be opened, with the reason.
  public func load() throws(LayerError) {
    try loadOnce(open) { source = $0 }
  }
}
