import PlumbCore
import PlumbGeometry
import PlumbLayers
import PlumbRaster

/// Draws a map's layers one over the other.
public struct MapPainter {
  private let view: DrawnView
  private let canvas: Canvas
  private let cache: TileCache
  private let workers: Workers
  /// What could not be drawn and why, a line each.
  public private(set) var warnings: [String] = []

  /// - Parameters:
  ///   - view: what the picture shows.
  ///   - canvas: as large as the view.
  ///   - cache: where decoded tiles are kept.
  ///   - workers: the threads that read rasters.
  public init(
    _ view: DrawnView, on canvas: Canvas, cache: TileCache = TileCache(),
    workers: Workers = Workers()
  ) {
    (self.view, self.canvas, self.cache, self.workers) = (view, canvas, cache, workers)
  }

  /// Draws all visible layers that have the view's scale in their range, the bottom one first. A layer
  /// that fails is left out with a warning.
  public mutating func draw(_ map: Map) {
    map.asking { for layer in map.layers { draw(layer) } }
  }

  private mutating func draw(_ layer: any Layer) {
    guard layer.isVisible, layer.properties.scaleRange.contains(view.scale) else { return }
    do {
      try layer.load()
      try canvas.withOpacity(layer.properties.opacity) { () throws in
        switch layer.typed {
        case .raster(let layer):
          guard let raster = layer.raster else { return }
          let painter = RasterPainter(view: view, cache: cache, workers: workers)
          warnings += try painter.draw(raster, on: canvas).map { "\(name(layer)): \($0)" }
        case .feature(let layer): try draw(layer)
        case .group, .mapImage, .broken:
          // The topmost comes first.
          for sublayer in layer.sublayers.reversed() { draw(sublayer) }
        }
      }
    } catch {
      warnings.append("\(name(layer)) is not drawn: \(PlumbError(error).message)")
    }
  }

  private func name(_ layer: any Layer) -> String { layer.name.printable }

  private mutating func draw(_ layer: FeatureLayer) throws {
    let source = layer.table.spatialReference
    let features: FeatureSet
    if let window = view.window(in: source) {
      features = try layer.features(in: [window])
    } else {
      features = try layer.loadFeatures()
    }
    let painter = try FeaturePainter(view, from: source)
    for (index, feature) in features.features.enumerated() {
      guard let geometry = feature.geometry else { continue }
      let symbol = features.symbolIndices[index]
      // A renderer without a symbol for a feature does not draw it.
      if symbol < 0, layer.renderer != nil { continue }
      painter.draw(geometry, symbol < 0 ? nil : features.palette[Int(symbol)], on: canvas)
    }
  }
}
