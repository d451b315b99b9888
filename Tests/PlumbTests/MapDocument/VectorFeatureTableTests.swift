import Foundation
import PlumbCore
import PlumbGDAL
import PlumbTestSupport
import Testing

@testable import Plumb
@testable import PlumbLayers

/// Windows of a table compared with the whole table.
@Suite struct VectorFeatureTableTests {
  private static let package = TestPaths.data.map { $0 + "/vector/nc_gpkg/nc.gpkg" }

  @Test(.enabled(if: package != nil, "no shared data"))
  func windowsAgainstAllFeatures() throws {
    let table = VectorFeatureTable(path: try #require(Self.package))
    try table.open()
    #expect(table.hasSpatialIndex)
    let all = try table.features(in: nil).map(\.feature)
    #expect(all.count == 100)
    #expect(all.map(\.id) == all.map(\.id).sorted { ($0 ?? 0) < ($1 ?? 0) })
    var random = SeededGenerator(seed: 3)
    var (found, missing) = (0, 0)
    for round in 0..<200 {
      let windows = (0..<1 + round % 4).map { _ in
        let x = Double.random(in: -85 ..< -75, using: &random)
        let y = Double.random(in: 33..<37, using: &random)
        let side = round % 5 == 0 ? 0 : Double.random(in: 0..<1, using: &random)
        return Envelope(
          xMin: x, yMin: y, xMax: x + side, yMax: y + side,
          spatialReference: table.spatialReference)
      }
      let some = try table.features(in: windows).map(\.feature)
      let ids = Set(some.map(\.id))
      #expect(ids.count == some.count)
      // The same features in the same order.
      #expect(some == all.filter { ids.contains($0.id) })
      // According to GEOS, no feature that intersects a window is missing.
      for feature in all where !ids.contains(feature.id) {
        let shape = try #require(feature.geometry)
        for window in windows where window.xMin < window.xMax {
          #expect(try !GeometryEngine.intersects(shape, .polygon(window.polygon)))
        }
        missing += 1
      }
      found += some.count
    }
    #expect(found > 300)
    #expect(missing > 300)
    #expect(try table.features(in: []).isEmpty)
    #expect(try table.features(in: [.empty()]).isEmpty)
    let endless = Envelope(xMin: -.infinity, yMin: 0, xMax: .infinity, yMax: 1)
    #expect(try table.features(in: [endless]).count == all.count)
    // All features are read again, without a window.
    #expect(try table.features(in: nil).map(\.feature) == all)
  }

  @Test func withoutAnIndexAllFeaturesComeInTheirOrder() throws {
    let folder = try TemporaryFolder()
    let table = VectorFeatureTable(
      path: try folder.write("towns.geojson", MapDocumentTests.towns))
    try table.open()
    #expect(!table.hasSpatialIndex)
    let window = Envelope(xMin: 0, yMin: 0, xMax: 1, yMax: 1)
    for windows in [nil, [window]] {
      let features = try table.features(in: windows).map(\.feature)
      #expect(
        features.map(\.attributes) == [[.text("A"), .integer(1500)], [.text("B"), .integer(20)]])
    }
  }

  @Test func aBadFeatureIsNamed() throws {
    let folder = try TemporaryFolder()
    let table = VectorFeatureTable(
      path: try folder.write(
        "mixed.geojson",
        """
        {"type":"FeatureCollection","features":[
        {"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[1,2]}},
        {"type":"Feature","properties":{},"geometry":{"type":"GeometryCollection","geometries":[
        {"type":"Point","coordinates":[1,2]},
        {"type":"LineString","coordinates":[[1,2],[3,4]]}]}}]}
        """))
    try table.open()
    #expect(try table.features(in: nil).map { $0.feature.geometry == nil } == [false, true])
    #expect(
      table.warning == "the shape of a feature cannot be used: feature 2: its collection mixes "
        + "points and lines; split it into one kind per feature")
  }

  private static let converter = "/usr/bin/ogr2ogr"

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: converter), "needs ogr2ogr"))
  func badFeaturesOfWindowsCountOnce() throws {
    let folder = try TemporaryFolder()
    let mixed = { (x: Int) in
      """
      {"type":"Feature","properties":{},"geometry":{"type":"GeometryCollection","geometries":[
      {"type":"Point","coordinates":[\(x),2]},
      {"type":"LineString","coordinates":[[\(x),2],[\(x + 1),4]]}]}}
      """
    }
    let text = [0, 10, 20].map(mixed).joined(separator: ",")
    let path = try folder.write(
      "m.geojson", "{\"type\":\"FeatureCollection\",\"features\":[\(text)]}")
    _ = try ProgramRun(Self.converter, [folder.path("m.gpkg"), path])
    let table = VectorFeatureTable(path: folder.path("m.gpkg"))
    try table.open()
    #expect(table.hasSpatialIndex && table.warning == nil)
    func read(_ x: Double...) throws -> String {
      let windows = x.map {
        Envelope(xMin: $0, yMin: 2, xMax: $0 + 1, yMax: 3, spatialReference: .wgs84)
      }
      _ = try table.features(in: windows)
      return String((table.warning ?? "").prefix { $0 != ":" && $0 != ";" })
    }
    let one = "the shape of a feature cannot be used"
    #expect(try read(0) == one)
    #expect(try read(0.5) == one)
    #expect(try read(5) == one)
    #expect(try read(0, 10) == "the shapes of 2 features cannot be used")
    #expect(try table.features(in: nil).count == 3)
    #expect(table.warning?.hasPrefix("the shapes of 3 features cannot be used") == true)
  }
}
