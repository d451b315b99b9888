import Foundation
import Plumb
import PlumbTestSupport
import Testing

/// The examples print their results.
private func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {}

@Suite struct ReadmeExampleTests {
  /// The Swift example of a page; a test below compares the two.
  func rasters() throws {
    // page use-from-swift
    let rasters = try [Raster].open(["rasters/evi_cape_town.tif", "rasters/dem"])
    let identifier = try RasterIdentifier(rasters, reference: SpatialReference("EPSG:4326"))
    let answers = identifier.sample(x: [18.6, 18.4], y: [-34.1, -33.9])
    for (raster, answer) in zip(rasters, answers) {
      for row in 0..<2 {
        print(raster.name, answer.columns[0][row] as Any, answer.status(at: row).name)
      }
    }
    // page ends
    #expect(answers[0].columns[0][0] == .signed(1478))
    #expect(answers[1].columns[0][0] == .signed(29))
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "rasters/dem"), "run in the checkout"))
  func rasterExampleRuns() throws { try rasters() }

  func map() throws {
    // page layers
    let map = try Map.open(path: "rasters/cape.json")
    let view = try MapView(
      map, viewpoint: Viewpoint(center: Point(x: 18.86, y: -33.93), scale: 50_000),
      width: 800, height: 600)
    let results = try view.identifyLayers(
      screenPoint: SIMD2(400, 300), tolerance: 12, maximumResultsPerLayer: 10)
    for result in results { print(result.layerContent.name, result.elementCount) }
    // page ends
    #expect(
      results.map(\.layerContent.name) == [
        "places", "wards", "services", "land_cover", "evi", "dem",
      ])
    #expect(results.allSatisfy { $0.elementCount == 1 && $0.error == nil })
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "rasters/dem"), "run in the checkout"))
  func mapExampleRuns() throws { try map() }

  @Test func bufferExampleRuns() throws {
    // page draw-buffers
    let texas = try SpatialReference("32038")
    let wells = [SIMD2(2_000_000.0, 600_000), SIMD2(2_100_000.0, 650_000)].map {
      Geometry.point(Point(x: $0.x, y: $0.y, spatialReference: texas))
    }
    let each = try GeometryEngine.buffer(around: wells, distances: [40, 25], unit: .mile)
    let zone = try GeometryEngine.buffer(
      around: wells, distances: [40_000], union: true, method: .geodesic())
    let locator = try PolygonLocator(each)
    print(locator.polygons(at: SIMD2(2_050_000, 620_000)))
    print(try GeometryEngine.area(of: .polygon(zone[0]), measure: .geodesic()))
    // page ends
    #expect(locator.polygons(at: SIMD2(2_050_000, 620_000)) == [0, 1])
    #expect(each[0].spatialReference == texas && zone.count == 1)
    // Forty miles in US survey feet.
    let reach = Geometry.polygon(each[0]).envelope.xMax - 2_000_000
    #expect((reach - 40 * 1609.344 * 3937 / 1200).magnitude < 1e-6)
  }

  @Test(arguments: ["use-from-swift", "layers", "draw-buffers"])
  func exampleIsWhatThePageShows(name: String) throws {
    let shown = try GuidePages.blocks("swift", of: GuidePages.article(name))
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let body = source.components(separatedBy: "// page \(name)\n")[1]
      .components(separatedBy: "    // page ends")[0]
    let compiled = body.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.hasPrefix("    ") ? String($0.dropFirst(4)) : String($0) }
      .joined(separator: "\n")
    #expect(shown.contains("import Plumb\n\n" + compiled))
  }
}
