import PlumbCore
import PlumbRaster

/// A layer of one raster or mosaic.
public final class RasterLayer: Layer, LoadedOnce {
  /// The layer's id, name, visibility and scales.
  public var properties: LayerProperties
  /// What the layer's popups say; nil for a layer without popups.
  public var popup: PopupDefinition?
  /// The colours of its values in pictures; nil for those that its file suggests.
  public let renderer: RasterRenderer?
  /// Nil until it is loaded.
  public private(set) var raster: Raster?
  /// Whether the raster was opened.
  public var loadStatus: LoadStatus { loading.status }
  /// Opens the raster, also one that is not georeferenced.
  package let open: () throws -> Raster
  var loading: LoadState

  /// - Parameters:
  ///   - properties: the layer's id, name, visibility and scales.
  ///   - renderer: the colours of its values in pictures; nil for those that its file suggests.
  ///   - popup: what the layer's popups say; nil for none.
  ///   - isRemote: whether it is another machine's, so that a failure may be over later.
  ///   - open: opens the raster; called once, when the layer is first needed.
  public init(
    _ properties: LayerProperties, renderer: RasterRenderer? = nil,
    popup: PopupDefinition? = nil, isRemote: Bool = false, open: @escaping () throws -> Raster
  ) {
    self.properties = properties
    self.renderer = renderer
    self.popup = popup
    self.open = open
    loading = LoadState(isRemote: isRemote)
  }

  /// A layer of a raster that is open already.
  public convenience init(
    _ properties: LayerProperties, raster: Raster, renderer: RasterRenderer? = nil,
    popup: PopupDefinition? = nil
  ) {
    self.init(properties, renderer: renderer, popup: popup) { raster }
  }

  /// Always `raster`.
  public var kind: LayerKind { .raster }
  /// The layer itself.
  public var typed: TypedLayer { .raster(self) }
  /// None.
  public var sublayers: [any Layer] { [] }

  /// Opens the raster.
  ///
  /// - Throws: `load_failed` with what opening it throws, and for a raster that is not georeferenced.
  public func load() throws(LayerError) {
    let opening = {
      let raster = try self.open()
      try raster.checkGeoreference()
      return raster
    }
    try loadOnce(opening) { raster = $0 }
  }
}
