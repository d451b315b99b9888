import Foundation
import PlumbTestSupport
import Testing

/// Geometries that are not points, and points with x and y swapped.
struct PointKindTests {
  private static let features = """
    {"type":"FeatureCollection","features":[
    {"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[0.5,-0.5]}},
    {"type":"Feature","properties":{},"geometry":{"type":"Polygon","coordinates":
      [[[0,0],[1,0],[1,-1],[0,0]]]}},
    {"type":"Feature","properties":{},"geometry":{"type":"MultiPolygon","coordinates":
      [[[[0,0],[1,0],[1,-1],[0,0]]]]}},
    {"type":"Feature","properties":{},"geometry":{"type":"LineString","coordinates":[[0,0],[1,-1]]}},
    {"type":"Feature","properties":{},"geometry":{"type":"MultiPoint","coordinates":[[0,0],[1,-1]]}},
    {"type":"Feature","properties":{},"geometry":{"type":"MultiPoint","coordinates":[[1.5,-0.5]]}},
    {"type":"Feature","properties":{},"geometry":{"type":"GeometryCollection","geometries":
      [{"type":"Point","coordinates":[0,0]}]}},
    {"type":"Feature","properties":{},"geometry":null},
    {"type":"Feature","properties":{},"geometry":{"type":"MultiPoint","coordinates":[]}}]}
    """

  private static let converter = "/usr/bin/ogr2ogr"

  @Test func `geometries that are not points are named, with a remedy`() throws {
    try checkKinds("geojson")
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: converter), "needs ogr2ogr"))
  func `geometries that are not points in a GeoPackage are named, too`() throws {
    try checkKinds("gpkg")
  }

  private func checkKinds(_ ending: String) throws {
    let fixture = try Fixture()
    try fixture.grid("g.tif")
    try fixture.folder.write("p.geojson", Self.features)
    if ending == "gpkg" {
      let made = try shell("\(Self.converter) p.gpkg p.geojson", folder: fixture.folder.path)
      try #require(made.status == 0, "\(made)")
    }
    let run = try plumb(
      ["identify", "g.tif", "--points", "p.\(ending)", "--of", "csv", "--status"],
      folder: fixture.folder.path)
    let statuses = run.lines.dropFirst().compactMap { $0.split(separator: ",").last }
    let bad: [Substring] = ["bad_point", "bad_point", "bad_point", "bad_point"]
    #expect(statuses == ["ok"] + bad + ["ok"] + bad.prefix(3), "\(run.output)")
    let itemName = ending == "gpkg" ? "feature" : "line"
    for words in [
      "2 rows of polygons, not points: \(itemName)s ", "ST_PointOnSurface",
      "1 row of lines, not points: \(itemName) ", "along them",
      "1 row of multipoints with several points, not points", "-explodecollections",
      "1 row of geometry collections, not points", "2 rows have no usable point",
    ] {
      #expect(run.errors.contains(words), "\(words): \(run.errors)")
    }
    let strict = try plumb(
      ["identify", "g.tif", "--points", "p.\(ending)", "--of", "csv", "--strict", "-q"],
      folder: fixture.folder.path)
    strict.expectRefusal("7 rows are bad_point")
  }

  @Test func `a multipoint of one point in well-known text is a point`() throws {
    let fixture = try Fixture()
    try fixture.grid("g.tif")
    let points = [
      ("MULTIPOINT((0.5 -0.5))", "ok"), ("multipoint z ( ( 0.5 -0.5 7 ) ) ", "ok"),
      ("MULTIPOINT (0.5 -0.5)", "ok"), ("MULTIPOINT((0.5 -0.5),(1 -1))", "bad_point"),
      ("MULTIPOINT (0.5 -0.5, 1 -1)", "bad_point"), ("MULTIPOINT EMPTY", "bad_point"),
      ("MULTIPOINT((0.5 -0.5)", "bad_point"), ("POINT((0.5 -0.5))", "bad_point"),
    ]
    try fixture.folder.write(
      "p.csv", "WKT\n" + points.map { "\"\($0.0)\"\n" }.joined())
    let run = try plumb(
      ["identify", "g.tif", "--points", "p.csv", "--status"], folder: fixture.folder.path)
    let statuses = run.lines.dropFirst().compactMap { $0.split(separator: ",").last }
    #expect(statuses == points.map { Substring($0.1) }, "\(run.output)")
    #expect(run.errors.contains("2 rows of multipoints with several points"), "\(run.errors)")
  }

  @Test func `swapped columns get one hint`() throws {
    let fixture = try Fixture()
    // From Sumatra to Borneo. If x and y were swapped, the latitudes would be 100 to 104.
    try fixture.raster(
      "g.tif", .int16, bands: [(0..<12).map { Int16($0) }], left: 100, top: 3)
    func errors(_ text: String, _ options: [String] = []) throws -> [String] {
      try fixture.folder.write("p.csv", text)
      let run = try plumb(
        ["identify", "g.tif", "--points", "p.csv"] + options, folder: fixture.folder.path)
      #expect(run.status == 0)
      return run.errors.split(separator: "\n").map(String.init).filter { $0.contains("swapped") }
    }
    let right = "lon,lat\n100.5,2.5\n101.5,1.5\n"
    #expect(try errors(right) == [])
    let wrong = try errors("lon,lat\n2.5,100.5\n1.5,101.5\n")
    #expect(wrong.count == 1)
    #expect(wrong.first?.contains("latitudes span 100.5…101.5") == true)
    #expect(wrong.first?.contains("try --x lat --y lon") == true)
    #expect(try errors("lon,lat\n2.5,100.5\n1.5,101.5\n", ["--x", "lat", "--y", "lon"]) == [])
    // Points outside the raster in either order, and beyond the pole in either order.
    #expect(try errors("lon,lat\n-30,20\n") == [])
    #expect(try errors("lon,lat\n500,120\n") == [])
  }

  @Test func `swapped points of --at get the same hints`() throws {
    let fixture = try Fixture()
    try fixture.raster("g.tif", .int16, bands: [(0..<12).map { Int16($0) }], left: 40, top: 3)
    func hints(_ points: String...) throws -> [String] {
      let run = try plumb(
        ["identify", "g.tif"] + points.flatMap { ["--at", $0] }, folder: fixture.folder.path)
      return run.errors.split(separator: "\n").map(String.init).filter { $0.contains("swapped") }
    }
    #expect(try hints("41.5,1.5") == [])
    let one = "plumb: warning: x and y look swapped: "
    #expect(
      try hints("1.5,41.5") == [
        one + "1 of 1 point lies outside g, and with x and y swapped 1 of 1 tried is inside"
      ])
    #expect(
      try hints("1.5,41.5", "2.5,42.5").first?.contains("2 of 2 points lie outside g") == true)
    #expect(try hints("1.5,41.5", "41.5,1.5") == [])
    // Outside the raster in either order.
    #expect(try hints("1.5,141.5") == [])
    try fixture.raster("g.tif", .int16, bands: [(0..<12).map { Int16($0) }], left: 140, top: 3)
    #expect(
      try hints("1.5,141.5") == [
        one + "a point at latitude 141.5 is beyond the pole in EPSG:4326; x is the longitude and y "
          + "the latitude"
      ])
  }

  @Test func `swapped columns within the latitudes' range are found by the raster`() throws {
    let fixture = try Fixture()
    try fixture.raster("g.tif", .int16, bands: [(0..<12).map { Int16($0) }], left: 40, top: 3)
    try fixture.raster("h.tif", .int16, bands: [(0..<12).map { Int16($0) }], left: 40, top: 3)
    let rows = (0..<40).map { "\(0.5 + Double($0 % 2)),\(40.5 + Double($0 % 3))\n" }.joined()
    try fixture.folder.write("p.csv", "x,y\n0,0\n" + rows)
    let run = try plumb(
      ["identify", "g.tif", "h.tif", "--points", "p.csv"], folder: fixture.folder.path)
    let hints = run.errors.split(separator: "\n").filter { $0.contains("swapped") }
    #expect(hints.count == 1, "\(run.errors)")
    #expect(hints.first?.contains("41 of 41 points lie outside g") == true, "\(run.errors)")
  }
}
