import PlumbCore
import PlumbRaster

/// A layer of one raster or mosaic, or of a raster with dates, from which one date is read at a
/// time.
public final class RasterLayer: Layer, LoadedOnce {
  /// The layer's id, name, visibility and scales.
  public var properties: LayerProperties
  /// The layer's popup definition; nil for a layer without popups.
  public var popup: PopupDefinition?
  /// The colours of the raster's values in pictures; nil for the colours from its file.
  public let renderer: RasterRenderer?
  /// The raster; for a layer with dates, the raster of the last date; nil until the layer is
  /// loaded.
  public private(set) var raster: Raster?
  /// The dates; nil if the layer has no dates or is not loaded.
  public private(set) var dates: RasterDates?
  /// Whether the raster is open.
  public var loadStatus: LoadStatus { loading.status }
  private let opening: () throws -> Opened
  var loading: LoadState

  /// The source of a layer.
  package enum Opened {
    case raster(Raster)
    case dates(RasterDates)
  }

  /// - Parameters:
  ///   - properties: the layer's id, name, visibility and scales.
  ///   - renderer: the colours of the raster's values in pictures; nil for the colours from its file.
  ///   - popup: the layer's popup definition; nil for none.
  ///   - isRemote: whether the layer is remote, so that a failure may be temporary.
  ///   - open: opens the raster; called once, on first use of the layer.
  public convenience init(
    _ properties: LayerProperties, renderer: RasterRenderer? = nil,
    popup: PopupDefinition? = nil, isRemote: Bool = false, open: @escaping () throws -> Raster
  ) {
    self.init(
      properties, renderer: renderer, popup: popup, isRemote: isRemote,
      opening: { .raster(try open()) })
  }

  /// Creates a layer whose source may have dates. Whether it has dates is unknown until the source is open.
  package init(
    _ properties: LayerProperties, renderer: RasterRenderer? = nil,
    popup: PopupDefinition? = nil, isRemote: Bool = false,
    opening: @escaping () throws -> Opened
  ) {
    self.properties = properties
    self.renderer = renderer
    self.popup = popup
    self.opening = opening
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
    let opening = { () throws -> (Raster?, RasterDates?) in
      switch try self.opening() {
      case .raster(let raster):
        try raster.checkGeoreference()
        return (raster, nil)
      case .dates(let dates):
        try dates.whole.checkGeoreference()
        return (try dates.raster(at: dates.dates.count - 1), dates)
      }
    }
    try loadOnce(opening) { (raster, dates) = $0 }
  }

  /// Opens the raster, even if the raster is not georeferenced.
  package func open() throws -> Raster {
    switch try opening() {
    case .raster(let raster): raster
    case .dates(let dates): dates.whole
    }
  }

  /// The raster that is read for a time, and its date as text. A layer without dates has the same
  /// raster for all times. Nil if the layer is not loaded.
  ///
  /// - Parameter moment: nil for the last date.
  /// - Throws: `not_found` if no date of the layer is near enough.
  package func raster(at moment: RasterMoment?) throws -> (raster: Raster, date: String?)? {
    guard let dates else { return raster.map { ($0, nil) } }
    guard let index = dates.index(at: moment) else {
      throw LayerError(
        code: .notFound,
        message: "it has no date at the requested time, only \(dates.summary)")
    }
    return (try dates.raster(at: index), dates.texts[index])
  }

  /// The files of all dates; empty until the layer is loaded.
  package var members: [any TileSource] { (dates?.whole ?? raster)?.members ?? [] }
}
