import PlumbCore
import PlumbGeometry
import PlumbLayers

/// Prepares layers for the painter: opens them, reads their features, and creates the transformations of
/// rasters. Errors are reported when the layers are drawn.
struct LayerPreparation: Sendable {
  private let view: DrawnView
  private let symbolScale: Double
  private let isDrawn: @Sendable (any Layer) -> Bool

  /// - Parameters:
  ///   - view: the view to draw.
  ///   - symbolScale: the number of pixels of the view per pixel of a symbol.
  ///   - isDrawn: whether a layer is drawn; called within `Map.withLock`.
  init(
    _ view: DrawnView, symbolScale: Double, isDrawn: @escaping @Sendable (any Layer) -> Bool
  ) {
    (self.view, self.symbolScale, self.isDrawn) = (view, symbolScale, isDrawn)
  }

  /// Prepares a layer and its sublayers. Remote layers are opened when they are drawn.
  func prepare(_ layer: any Layer, of map: Map) {
    if WorkCancellation.isCurrentCancelled { return }
    let (references, sublayers) = map.withLock { () -> ([SpatialReference], [any Layer]) in
      guard !layer.isRemote, isDrawn(layer), (try? layer.load()) != nil, isDrawn(layer) else {
        return ([], [])
      }
      switch layer.typed {
      case .raster(let layer):
        let texts = layer.raster?.references ?? []
        return (texts.compactMap { text in text.flatMap { try? SpatialReference($0) } }, [])
      case .feature(let layer):
        readFeatures(of: layer)
        return ([], [])
      case .remote: return ([], [])
      case .group, .mapImage, .broken: return ([], layer.sublayers.reversed())
      }
    }
    for reference in references where !reference.isEquivalent(to: view.reference) {
      _ = (reference.planePeriod, try? Transformation(from: view.reference, to: reference))
    }
    for sublayer in sublayers { prepare(sublayer, of: map) }
  }

  /// Reads the features of a layer that is not read by window.
  private func readFeatures(of layer: FeatureLayer) {
    guard !layer.hasFeatures, !layer.table.hasSpatialIndex else { return }
    let window = ViewWindow(view, in: layer.table.spatialReference, symbolScale: symbolScale)
    if let window, window.copies(over: layer.table.extent)?.isEmpty == true { return }
    _ = try? layer.loadFeatures()
  }
}
