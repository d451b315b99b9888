import PlumbCore
import PlumbRaster

/// A layer of one raster or mosaic.
public final class RasterLayer: Layer {
  public var properties: LayerProperties
  public var popup: PopupDefinition?
  /// Nil until it is loaded.
  public private(set) var raster: Raster?
  public private(set) var loadStatus = LoadStatus.notLoaded
  private let open: () throws -> Raster

  /// - Parameter open: opens the raster; called once, when the layer is first needed.
  public init(
    _ properties: LayerProperties, popup: PopupDefinition? = nil,
    open: @escaping () throws -> Raster
  ) {
    self.properties = properties
    self.popup = popup
    self.open = open
  }

  public convenience init(
    _ properties: LayerProperties, raster: Raster, popup: PopupDefinition? = nil
  ) {
    self.init(properties, popup: popup) { raster }
  }

  public var kind: LayerKind { .raster }
  public var typed: TypedLayer { .raster(self) }
  public var sublayers: [any Layer] { [] }

  public func load() throws(LayerError) {
    try loadOnce(&loadStatus) { raster = try open() }
  }
}
