import PlumbCore
import PlumbGeometry
import PlumbLayers
import PlumbRaster

/// Draws the layers of a map in order, and results over the layers.
public struct MapPainter {
  /// The scale denominator that is compared with layers' scale ranges; nil for the view's scale.
  package var scale: Double?
  /// The layers to draw, with all their groups, regardless of their visibility; nil for the visible layers.
  /// Scale ranges apply in either case.
  package var shown: Set<ObjectIdentifier>?
  /// Filters of feature layers by attributes; layers without a filter draw all features.
  package var filters: [ObjectIdentifier: @Sendable ([FieldValue]) -> Bool] = [:]
  /// The indexes of the one or three bands to draw of each raster; nil for the bands of its
  /// renderer.
  package var bands: [Int]?
  /// The time at which layers with dates are drawn; nil for their last dates.
  package var moment: RasterMoment?
  /// The date of each drawn layer with dates, one line each.
  package private(set) var dateNotes: [String] = []
  /// The thread that prepares layers while the layers below are drawn, for a map that is drawn once.
  package var opening: LayerOpening?
  /// The resampling of raster cells to pixels.
  package var resampling = Resampling.nearest
  /// The number of layers that could not be drawn.
  package private(set) var failures = 0
  private let view: DrawnView
  private let canvas: Canvas
  private let cache: TileCache
  private let workers: Workers
  /// Messages about layers and results that could not be drawn completely, one line each.
  public private(set) var warnings: [String] = []
  /// The legend of the drawn layers and results, the topmost first.
  public private(set) var legend: [LegendGroup] = []
  /// The attributions of the drawn data, without duplicates.
  public private(set) var attributions: [String] = []

  /// - Parameters:
  ///   - view: the view to draw.
  ///   - canvas: the canvas, of the same size as the view.
  ///   - cache: the cache for decoded tiles.
  ///   - workers: the threads that read rasters.
  public init(
    _ view: DrawnView, on canvas: Canvas, cache: TileCache = TileCache(),
    workers: Workers = Workers()
  ) {
    (self.view, self.canvas, self.cache, self.workers) = (view, canvas, cache, workers)
  }

  /// Fills the picture with a colour.
  public func fill(_ color: Color) { canvas.fill(color) }

  /// Draws all visible layers whose scale range contains the view's scale, starting at the bottom.
  /// A layer that fails is omitted with a warning.
  public mutating func draw(_ map: Map) {
    if workers.count > 1 {
      opening?.prepare(
        LayerPreparation(view, symbolScale: canvas.symbolScale) {
          [shown, scale = scale ?? view.scale] in Self.isDrawn($0, shown, scale)
        })
    }
    for layer in map.layers { draw(layer, of: map) }
    opening?.finish()
  }

  private static func isDrawn(
    _ layer: any Layer, _ shown: Set<ObjectIdentifier>?, _ scale: Double
  ) -> Bool {
    (shown?.contains(ObjectIdentifier(layer)) ?? layer.isVisible)
      && layer.properties.scaleRange.contains(scale)
  }

  /// Draws a result over the map.
  ///
  /// - Throws: if PROJ has no transformation from the result's CRS to the view's CRS.
  public mutating func draw(_ overlay: Overlay) throws {
    let painter = try FeaturePainter(
      view, from: overlay.reference, symbolScale: canvas.symbolScale)
    var ofKind = Array(repeating: [Int](), count: overlay.kinds.count)
    for (index, shape) in overlay.shapes.enumerated() { ofKind[shape.kind].append(index) }
    // The first kind in the legend is drawn last, on top.
    for (kind, shapes) in ofKind.enumerated().reversed() {
      for index in shapes {
        painter.draw(overlay.shapes[index].geometry, overlay.kinds[kind].symbol, on: canvas)
      }
    }
    guard !overlay.shapes.isEmpty else { return }
    legend.insert(
      LegendGroup(
        overlay.title, overlay.kinds.map { LegendEntry($0.label, .symbol($0.symbol)) }), at: 0)
  }

  /// Draws the legend, a scale bar and the attributions; without a font, adds a warning instead.
  public mutating func annotate() {
    guard Font.isInstalled else { return warnings.append(Font.missing) }
    LegendPainter(canvas).draw(legend)
    let scale = ScaleBar(canvas)
    scale.draw(view)
    scale.draw(attributions: attributions)
  }

  /// Draws a layer. The map is locked while the layer is read, but not while the layer is drawn.
  private mutating func draw(_ layer: any Layer, of map: Map) {
    do {
      let loaded = try map.withLock { () throws -> (TypedLayer, [any Layer])? in
        guard Self.isDrawn(layer, shown, scale ?? view.scale) else { return nil }
        try layer.load()
        // The source may restrict the scale range.
        guard Self.isDrawn(layer, shown, scale ?? view.scale) else { return nil }
        return (layer.typed, layer.sublayers)
      }
      guard let (typed, sublayers) = loaded else { return }
      var entries: [LegendEntry]?
      var drawnDate: String?
      try canvas.withOpacity(layer.properties.opacity) { () throws in
        switch typed {
        case .raster(let layer):
          guard let (raster, date) = try map.withLock({ try layer.raster(at: moment) }) else {
            return
          }
          drawnDate = date
          if let date { dateNotes.append("\(name(layer)) is drawn with its date \(date)") }
          // The thread that prepares layers occupies a processor.
          let isAlone = opening?.isFinished ?? true
          let painter = RasterPainter(
            view: view, cache: cache,
            workers: isAlone ? workers : Workers(count: max(1, workers.count - 1)), bands: bands,
            resampling: resampling)
          let drawn = try painter.draw(raster, layer.renderer, on: canvas)
          warnings += drawn.warnings.map { "\(name(layer)): \($0)" }
          entries = drawn.legend
        case .feature(let layer): entries = try draw(layer, of: map)
        case .remote:
          throw PlumbError("it can only be queried at locations, not drawn")
        case .group, .mapImage, .broken:
          // The topmost sublayer is the first.
          for sublayer in sublayers.reversed() { draw(sublayer, of: map) }
        }
      }
      guard let entries else { return }
      if let warning = layer.properties.undrawn.warning {
        warnings.append("\(name(layer)): \(warning)")
      }
      legend.insert(
        LegendGroup(drawnDate.map { "\(layer.name), \($0)" } ?? layer.name, entries), at: 0)
      let attribution = layer.properties.attribution
      if !attribution.isEmpty, !attributions.contains(attribution) {
        attributions.append(attribution)
      }
    } catch {
      failures += 1
      warnings.append("\(name(layer)) is not drawn: \(PlumbError(error).message)")
    }
  }

  private func name(_ layer: any Layer) -> String { layer.name.printable }

  /// - Returns: legend entries for the drawn features; nil if no feature was drawn.
  private mutating func draw(_ layer: FeatureLayer, of map: Map) throws -> [LegendEntry]? {
    let source = layer.table.spatialReference
    let window = ViewWindow(view, in: source, symbolScale: canvas.symbolScale)
    let (features, warning) = try map.withLock { () throws -> (FeatureSet?, String?) in
      let copies = window?.copies(over: layer.table.extent)
      if let copies, copies.isEmpty { return (nil, nil) }
      let features = try copies.map { try layer.features(in: $0) } ?? layer.loadFeatures()
      return (features, layer.warning)
    }
    guard let features else { return nil }
    let painter = try FeaturePainter(view, from: source, symbolScale: canvas.symbolScale)
    var drawn: Set<Symbol?> = []
    let filter = filters[ObjectIdentifier(layer)]
    for (index, feature) in features.features.enumerated() {
      if index % 256 == 0 { try WorkCancellation.checkCurrent() }
      if let filter, !filter(feature.attributes) { continue }
      guard let geometry = feature.geometry, let (low, high) = geometry.vertices.bounds(),
        window?.meets(low, high) != false
      else { continue }
      let number = features.symbolIndices[index]
      // Features to which the renderer assigns no symbol are not drawn.
      if number < 0, layer.renderer != nil { continue }
      let symbol = number < 0 ? nil : features.palette[Int(number)]
      painter.draw(geometry, symbol, on: canvas)
      if canvas.isFull { break }
      drawn.insert(symbol ?? painter.standard(for: geometry))
    }
    if let warning { warnings.append("\(name(layer)): \(warning)") }
    if drawn.isEmpty { return nil }
    let known = (layer.renderer?.legend ?? []).filter { drawn.contains($0.symbol) }
    if !known.isEmpty { return known.map { LegendEntry($0.label, .symbol($0.symbol)) } }
    // Symbols of individual features have no labels.
    return drawn.compactMap { $0 }.prefix(1).map { LegendEntry("", .symbol($0)) }
  }
}
