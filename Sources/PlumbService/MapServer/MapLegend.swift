import Plumb
import PlumbDrawing
import PlumbIO

/// Handles `legend` of a map service.
struct MapLegend {
  let service: MapService
  /// The side of a swatch in pixels.
  private static let side = 20

  func content() throws -> ReplyContent {
    var layers: [JSONObject] = []
    var warnings: [String] = []
    for layer in service.layers {
      try WorkCancellation.checkCurrent()
      let entries: [LegendEntry]
      do {
        entries = try self.entries(of: layer)
      } catch {
        warnings.append(layer.omission(error))
        continue
      }
      guard layer.isFeatures || layer.isRaster else { continue }
      var object = JSONObject()
      object.add("layerId", layer.number)
      object.add("layerName", layer.name)
      object.add("layerType", layer.isRaster ? "Raster Layer" : "Feature Layer")
      object.add("minScale", layer.layer.properties.scaleRange.minScale)
      object.add("maxScale", layer.layer.properties.scaleRange.maxScale)
      object.add("legend", try entries.map { try json($0) })
      layers.append(object)
    }
    var object = JSONObject()
    object.add("layers", layers)
    return .json(object, warnings: warnings)
  }

  /// Returns a layer's entries.
  ///
  /// - Throws: if the layer cannot be read.
  private func entries(of layer: ServiceLayer) throws -> [LegendEntry] {
    switch layer.layer.typed {
    case .feature(let features):
      if let renderer = features.renderer {
        return renderer.legend.map { LegendEntry($0.label, .symbol($0.symbol)) }
      }
      guard let shape = try service.rows(of: layer).shape else { return [] }
      return [LegendEntry("", .symbol(.standard(for: shape)))]
    case .raster(let rasterLayer): return try entries(of: rasterLayer, layer)
    case .group, .mapImage, .remote, .broken:
      if let failure = service.failure(of: layer) { throw failure }
      return []
    }
  }

  /// Returns the entries for the values in a small picture of the whole raster.
  private func entries(of rasterLayer: RasterLayer, _ layer: ServiceLayer) throws -> [LegendEntry] {
    guard let image = service.image(layer.number) else { return [] }
    let raster = try image.raster()
    guard let extent = try image.extent() else { return [] }
    let view = try DrawnView(
      extent: extent, width: 128, height: 128, reference: image.reference())
    let canvas = try Canvas(width: 128, height: 128, format: .png)
    var painter = MapPainter(
      view, on: canvas, cache: service.cache, workers: service.settings.workers)
    let alone = RasterLayer(
      LayerProperties(id: "raster"), raster: raster, renderer: rasterLayer.renderer)
    painter.draw(Map(layers: [alone]))
    return painter.legend.first?.entries ?? []
  }

  private func json(_ entry: LegendEntry) throws -> JSONObject {
    let picture = try entry.swatch.picture(width: Self.side, height: Self.side)
    var object = JSONObject()
    object.add("label", entry.label)
    object.add("url", "")
    object.add("imageData", Base64.text(picture))
    object.add("contentType", "image/png")
    object.add("height", Self.side)
    object.add("width", Self.side)
    return object
  }
}
