import Foundation
import Plumb
import PlumbTestSupport
import Testing

// Sample begins
/// The elements around a tapped pixel, layer by layer: Esri's sample "Identify layer features",
/// without a screen.
struct IdentifyLayerFeaturesModel {
  let view: MapView

  /// A line for each layer with elements: its name, and the number of elements of the layer and its
  /// sublayers.
  func message(tappedAt screenPoint: SIMD2<Double>) throws -> String {
    let results = try view.identifyLayers(
      screenPoint: screenPoint, tolerance: 12, returnPopupsOnly: false,
      maximumResultsPerLayer: 10)
    let lines = results.compactMap { result -> String? in
      let count = count(of: result)
      return count > 0 ? "\(result.layerContent.name): \(count)" : nil
    }
    return lines.isEmpty ? "No element found" : lines.joined(separator: "\n")
  }

  private func count(of result: IdentifyLayerResult) -> Int {
    result.geoElements.count + result.sublayerResults.map { count(of: $0) }.reduce(0, +)
  }
}
// Sample ends

/// Rule: callers count recursively; a map image layer has empty `geoElements` and nested
/// `sublayerResults`.
@Suite struct IdentifyLayerFeaturesSampleTests {
  /// Web mercator; at this scale a pixel is one unit of it.
  private static let scale = 96 / 0.0254

  private func layer(_ id: String, _ name: String, _ points: [SIMD2<Double>]) -> FeatureLayer {
    let graphics = points.map { Graphic(geometry: .point(Point(x: $0.x, y: $0.y))) }
    return FeatureLayer(
      LayerProperties(id: id, name: name),
      table: MemoryFeatureTable(
        graphics: graphics, spatialReference: try? SpatialReference("EPSG:3857")))
  }

  private func model(_ layers: [any Layer]) throws -> IdentifyLayerFeaturesModel {
    let map = Map(layers: layers, spatialReference: try SpatialReference("EPSG:3857"))
    return IdentifyLayerFeaturesModel(
      view: try MapView(
        map, viewpoint: Viewpoint(center: Point(x: 1000, y: 2000), scale: Self.scale),
        width: 400, height: 800))
  }

  /// The centre is the pixel (200, 400); the pixel (203, 404) is 5 px away.
  @Test func `a feature layer and a map image layer with nested sublayers`() throws {
    let (here, near, far) = (SIMD2(1000.0, 2000), SIMD2(1003.0, 1996), SIMD2(1030.0, 2000))
    let cities = MapImageLayer(
      LayerProperties(id: "s", name: "World Cities"),
      sublayers: [
        layer("0", "Cities", [here, near, far]),
        GroupLayer(
          LayerProperties(id: "1", name: "Borders"),
          layers: [layer("2", "States", [here, far]), layer("3", "Countries", [far])]),
      ])
    let damage = layer("damage", "Damage to Residential Buildings", [near, here, far])
    let model = try model([cities, damage])
    #expect(
      try model.message(tappedAt: SIMD2(200, 400))
        == "Damage to Residential Buildings: 2\nWorld Cities: 3")
    #expect(
      try model.message(tappedAt: SIMD2(230, 400))
        == "Damage to Residential Buildings: 1\nWorld Cities: 3")
    #expect(try model.message(tappedAt: SIMD2(0, 0)) == "No element found")
    #expect(try model.message(tappedAt: SIMD2(200, 388.5)).hasSuffix("World Cities: 2"))
    let results = try model.view.identifyLayers(
      screenPoint: SIMD2(200, 400), tolerance: 12, maximumResultsPerLayer: 10)
    let service = try #require(results.last)
    #expect(service.geoElements.isEmpty && service.elementCount == 3)
    #expect(service.sublayerResults.map(\.layerContent.name) == ["Cities", "Borders"])
    let borders = service.sublayerResults[1]
    #expect(borders.geoElements.isEmpty)
    #expect(borders.sublayerResults.map(\.layerContent.name) == ["States"])
  }

  @Test func `ten of a layer and ten of each sublayer at most`() throws {
    let crowd = Array(repeating: SIMD2(1000.0, 2000), count: 25)
    let service = MapImageLayer(
      LayerProperties(id: "s", name: "Service"),
      sublayers: [layer("0", "a", crowd), layer("1", "b", crowd)])
    let model = try model([service, layer("c", "Crowd", crowd)])
    #expect(try model.message(tappedAt: SIMD2(200, 400)) == "Crowd: 10\nService: 20")
  }

  @Test func `one layer that fails leaves the others' lines`() throws {
    let broken = FeatureLayer(
      LayerProperties(id: "b", name: "Broken"), table: VectorFeatureTable(path: "/none.shp"))
    let model = try model([layer("a", "Whole", [SIMD2(1000, 2000)]), broken])
    #expect(try model.message(tappedAt: SIMD2(200, 400)) == "Whole: 1")
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: TestPaths.rasters), "no rasters/"))
  func `the sample map of the Cape`() throws {
    let map = try Map.open(path: TestPaths.rasters + "/cape.json")
    let wards = try #require(OracleVector(path: TestPaths.rasters + "/wards.geojson"))
    let view = try MapView(
      map, viewpoint: Viewpoint(center: Point(x: 18.86, y: -33.93), scale: 50_000),
      width: 800, height: 600)
    let model = IdentifyLayerFeaturesModel(view: view)
    var random = SeededGenerator(seed: 71)
    var named = 0
    for _ in 0..<40 {
      let tap = SIMD2(
        Double.random(in: 0...800, using: &random), Double.random(in: 0...600, using: &random))
      let point = view.location(of: tap)
      let results = try view.identifyLayers(
        screenPoint: tap, tolerance: 12, maximumResultsPerLayer: 10)
      #expect(results.allSatisfy { $0.error == nil })
      let message = try model.message(tappedAt: tap)
      let lines = results.map { "\($0.layerContent.name): \($0.elementCount)" }
      #expect(message == lines.joined(separator: "\n"))
      let found = results.first { $0.layerContent.id == "wards" }?.elementCount ?? 0
      // The wards that contain the point are among the wards around it.
      let holders = wards.holders(x: point.x, y: point.y).count
      #expect(found >= holders)
      named += holders
      #expect(lines.contains("dem: 1") && lines.contains("land_cover: 1"))
    }
    #expect(named > 20)
  }
}
