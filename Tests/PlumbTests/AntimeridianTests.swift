import Foundation
import Plumb
import PlumbDrawing
import PlumbTestSupport
import Testing

/// Rule: an extent whose west exceeds its east crosses the antimeridian; shapes on both sides of it
/// are drawn the short way around.
@Suite struct AntimeridianTests {
  static let fiji =
    #"{"type":"FeatureCollection","features":["#
    + #"{"type":"Feature","properties":{"n":1},"geometry":{"type":"Point","coordinates":[-179.9,-17]}},"#
    + #"{"type":"Feature","properties":{"n":2},"geometry":{"type":"Point","coordinates":[179.9,-17]}}]}"#

  private func map(_ features: String) throws -> (map: Map, folder: TemporaryFolder) {
    let folder = try TemporaryFolder()
    try folder.write("f.geojson", features)
    return (try Map.any(path: folder.path("f.geojson")), folder)
  }

  /// The number of paths in a picture; each marker has the same number of paths.
  private func paths(_ map: Map, _ extent: Envelope, _ reference: SpatialReference) throws -> Int {
    let view = try DrawnView(extent: extent, width: 200, height: 100, reference: reference)
    let canvas = try Canvas(width: 200, height: 100, format: .svg)
    var painter = MapPainter(view, on: canvas)
    painter.draw(map)
    #expect(painter.warnings == [])
    return String(decoding: try canvas.finish(), as: UTF8.self).components(separatedBy: "<path")
      .count - 1
  }

  @Test(arguments: ["EPSG:4326", "EPSG:3857", "EPSG:3832", "EPSG:3395", "EPSG:32701"])
  func `both sides are in the extent and in the picture`(code: String) throws {
    let (map, folder) = try map(Self.fiji)
    defer { withExtendedLifetime(folder) {} }
    let reference = try SpatialReference(code)
    var extent = try #require(DrawnView.extent(of: map, in: reference))
    let width = extent.xMax - extent.xMin
    // 0.2 degrees, not 359.8.
    #expect(width < (reference.isGeographic ? 0.21 : 25_000), "\(extent)")
    extent.xMin -= width
    extent.xMax += width
    extent.yMin -= width / 2
    extent.yMax += width / 2
    var half = extent
    half.xMax = (extent.xMin + extent.xMax) / 2
    half.yMax = (extent.yMin + extent.yMax) / 2
    half.yMin = half.yMax - (half.xMax - half.xMin) / 2
    let one = try paths(map, half, reference)
    #expect(one > 0)
    #expect(try paths(map, extent, reference) == 2 * one)
  }

  /// An area that is cut at 180 degrees, one that continues beyond it, and one on only one side.
  @Test func `parts of areas are treated separately`() throws {
    func area(_ rings: String) -> String {
      #"{"type":"Feature","properties":{},"geometry":{"type":"MultiPolygon","coordinates":["#
        + rings + "]}}"
    }
    let cut =
      "[[[177,-18],[180,-18],[180,-16],[177,-16],[177,-18]]],"
      + "[[[-180,-18],[-178,-18],[-178,-16],[-180,-16],[-180,-18]]]"
    let beyond = "[[[179,-18],[183,-18],[183,-16],[179,-18]]]"
    for (features, west, east) in [
      ([cut], 177.0, 182.0), ([beyond], 179, 183), ([cut, beyond], 177, 183),
    ] {
      let (map, folder) = try map(
        #"{"type":"FeatureCollection","features":["#
          + features.map(area).joined(separator: ",") + "]}")
      defer { withExtendedLifetime(folder) {} }
      let extent = try #require(DrawnView.extent(of: map, in: .wgs84))
      #expect(extent.xMin == west && extent.xMax == east, "\(extent)")
      let plane = try SpatialReference("EPSG:3857")
      let metres = try #require(DrawnView.extent(of: map, in: plane))
      let degree = 6_378_137 * Double.pi / 180
      #expect((metres.xMax - metres.xMin - (east - west) * degree).magnitude < 1e-3, "\(metres)")
    }
  }

  /// Shapes that span more than half of the longitudes are drawn unchanged.
  @Test func `the world stays whole`() throws {
    let points = stride(from: -175.0, to: 180, by: 10).map { x in
      #"{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[\#(x),1]}}"#
    }
    for places in [points, Array(points.prefix(12) + points.suffix(12))] {
      let (map, folder) = try map(
        #"{"type":"FeatureCollection","features":["# + places.joined(separator: ",") + "]}")
      defer { withExtendedLifetime(folder) {} }
      let extent = try #require(DrawnView.extent(of: map, in: .wgs84))
      #expect(extent.xMin == -175 && extent.xMax == 175, "\(extent)")
    }
  }

  /// An area that continues beyond 180 degrees in its CRS is drawn in one piece.
  @Test func `shapes stay in one piece in a projection`() throws {
    let (map, folder) = try map(
      #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"geometry":{"#
        + #""type":"Polygon","coordinates":[[[179,-1],[181,-1],[181,1],[179,1],[179,-1]]]}}]}"#)
    defer { withExtendedLifetime(folder) {} }
    let plane = try SpatialReference("EPSG:3857")
    let degree = 6_378_137 * Double.pi / 180
    func isDrawn(_ west: Double, _ east: Double) throws -> Bool {
      try paths(
        map, Envelope(xMin: west * degree, yMin: -1e5, xMax: east * degree, yMax: 1e5), plane) > 0
    }
    #expect(try isDrawn(178, 182))
    #expect(try isDrawn(-182, -178))
    #expect(try !isDrawn(-10, 10), "it is not drawn the long way round")
  }

  @Test func `the command draws across 180 degrees`() throws {
    let folder = try TemporaryFolder()
    try folder.write("f.geojson", Self.fiji)
    func draw(_ options: [String]) throws -> ProgramRun {
      try ProgramRun(
        TestPaths.program("plumb"),
        [
          "draw", folder.path("f.geojson"), "--plain", "--size", "200x100", "-o",
          folder.path("f.svg"), "--overwrite",
        ] + options)
    }
    func count() throws -> Int {
      try String(contentsOfFile: folder.path("f.svg"), encoding: .utf8)
        .components(separatedBy: "<path").count - 1
    }
    for options in [
      ["--extent", "179,-18,-179,-16"], ["--extent", "179,-18,-179,-16", "--crs", "EPSG:4326"], [],
      ["--extent", "19926000,-1930000,-19926000,-1890000", "--crs", "EPSG:3857"],
    ] {
      let run = try draw(options)
      #expect(run.status == 0 && run.errors == "", "\(options): \(run.errors)")
      let both = try count()
      _ = try draw(["--extent", "179.55,-17.1,179.95,-16.9"])
      #expect(try both == 2 * count() && both > 0, "\(options)")
    }
    let refused = try draw(["--extent", "5,0,1,2", "--crs", "EPSG:32633"])
    #expect(refused.status != 0 && refused.errors.contains("west"), "\(refused.errors)")
  }
}
