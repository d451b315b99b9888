import PlumbCore
import PlumbRaster

/// A layer of one raster or mosaic.
public final class RasterLayer: Layer, LoadedOnce {
  /// The layer's id, name, visibility and scales.
  public var properties: LayerProperties
  /// The layer's popup definition; nil for a layer without popups.
  public var popup: PopupDefinition?
  /// The colours of the raster's values in pictures; nil for the colours from its file.
  public let renderer: RasterRenderer?
  /// The raster; nil until the layer is loaded.
  public private(set) var raster: Raster?
  /// Whether the raster is open.
  public var loadStatus: LoadStatus { loading.status }
  /// Opens the raster, even if the raster is not georeferenced.
  package let open: () throws -> Raster
  var loading: LoadState

  /// - Parameters:
  ///   - properties: the layer's id, name, visibility and scales.
  ///   - renderer: the colours of the raster's values in pictures; nil for the colours from its file.
  ///   - popup: the layer's popup definition; nil for none.
  ///   - isRemote: whether the layer is remote, so that a failure may be temporary.
  ///   - open: opens the raster; called once, on first use of the layer.
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

  /// Creates a layer of an open raster.
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
  /// Always empty.
  public var sublayers: [any Layer] { [] }

  /// Opens the raster.
  ///
  /// - Throws: `load_failed` if the raster cannot be opened, with the reason, or is not georeferenced.
  public func load() throws(LayerError) {
    let opening = {
      let raster = try self.open()
      try raster.checkGeoreference()
      return raster
    }
    try loadOnce(opening) { raster = $0 }
  }
}
