import PlumbCore

/// A layer of another machine that is asked at locations and says by itself what it holds there: a web
/// map service, or the cells of a map service.
public final class RemoteLayer: Layer, LoadedOnce {
  /// What it holds at one location.
  public struct Answer: Sendable {
    /// The topmost first, shapes in the layer's reference.
    public var elements: [GeoElement]
    /// Whether there was more than was asked for.
    public var isCut: Bool
    /// Why it did not answer.
    public var error: LayerError?

    /// What is there; nothing unless it is given.
    public init(elements: [GeoElement] = [], isCut: Bool = false, error: LayerError? = nil) {
      (self.elements, self.isCut, self.error) = (elements, isCut, error)
    }
  }

  /// How it is asked.
  public struct Question: Sendable {
    /// How many elements there may be at most; nil for no limit.
    public var maximumResults: Int?
    /// The denominator of the scale; nil where none is asked.
    public var scale: Double?

    /// No limit and no scale, unless they are given.
    public init(maximumResults: Int? = nil, scale: Double? = nil) {
      (self.maximumResults, self.scale) = (maximumResults, scale)
    }
  }

  /// What asks it, once it is open.
  public struct Source {
    /// What locations and shapes are in; nil for those of the map.
    public var reference: SpatialReference?
    /// Asks at locations of the reference, with an answer for each in their order.
    public var ask: (_ points: [SIMD2<Double>], _ question: Question) -> [Answer]

    /// A source in a reference.
    public init(
      reference: SpatialReference?,
      ask: @escaping (_ points: [SIMD2<Double>], _ question: Question) -> [Answer]
    ) {
      (self.reference, self.ask) = (reference, ask)
    }
  }

  /// The layer's id, name, visibility and scales.
  public var properties: LayerProperties
  /// What the layer's popups say; nil for a layer without popups.
  public var popup: PopupDefinition?
  /// `raster` for cells, `other` for what may be anything.
  public let kind: LayerKind
  /// What results call its type.
  public let typeName: String
  /// Whether the source was opened.
  public var loadStatus: LoadStatus { loading.status }
  /// Nil until it is loaded.
  public private(set) var source: Source?
  private let open: () throws -> Source
  var loading = LoadState(isRemote: true)

  /// - Parameters:
  ///   - properties: the layer's id, name, visibility and scales.
  ///   - kind: what it holds.
  ///   - typeName: what results call its type; nil for the kind's own word.
  ///   - popup: what the layer's popups say; nil for none.
  ///   - open: called once, when the layer is first needed.
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
  /// None.
  public var sublayers: [any Layer] { [] }

  /// Opens the source.
  ///
  /// - Throws: `load_failed` with what opening it throws.
  public func load() throws(LayerError) {
    try loadOnce(open) { source = $0 }
  }
}
