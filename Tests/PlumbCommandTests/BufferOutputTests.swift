import Foundation
import Plumb
import PlumbGDAL
import PlumbTestSupport
import Testing

/// `plumb buffer`: formats, CRSs and files.
struct BufferOutputTests {
  /// Three features in UTM 34 S: a square of 100 m with a hole, one without geometry, and a point.
  private func fixture() throws -> Fixture {
    let fixture = try Fixture()
    let square = [[0.0, 0], [100, 0], [100, 100], [0, 100], [0, 0]]
    let hole = [[40.0, 40], [40, 60], [60, 60], [60, 40], [40, 40]]
    func text(_ ring: [[Double]]) -> String {
      "[" + ring.map { "[\($0[0] + 500_000),\($0[1] + 6_200_000)]" }.joined(separator: ",") + "]"
    }
    try fixture.folder.write(
      "p.geojson",
      """
      {"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"EPSG:32734"}},
      "features":[
      {"type":"Feature","properties":{"n":1,"r":0.5,"t":"é, \\"x\\"","b":true},
      "geometry":{"type":"Polygon","coordinates":[\(text(square)),\(text(hole))]}},
      {"type":"Feature","properties":{"n":2,"r":1.5,"t":null,"b":false},"geometry":null},
      {"type":"Feature","properties":{"n":3,"r":null,"t":"","b":null},
      "geometry":{"type":"Point","coordinates":[500000,6200000]}}]}
      """)
    return fixture
  }

  private func run(_ fixture: Fixture, _ options: [String]) throws -> ProgramRun {
    try plumb(["buffer", "p.geojson", "--distance", "5"] + options, folder: fixture.folder.path)
  }

  private func features(_ fixture: Fixture, _ name: String) throws -> [Feature] {
    let reader = try VectorFeatureReader(path: fixture.path(name))
    var features: [Feature] = []
    while let batch = try reader.next(limit: 2) { features += batch }
    return features
  }

  private func box(_ feature: Feature) -> [Double] {
    guard let box = feature.geometry?.envelope else { return [] }
    return [box.xMin, box.yMin, box.xMax, box.yMax]
  }

  @Test(arguments: ["gpkg", "shp", "sqlite", "gml"])
  func `OGR's formats keep the CRS, order, types and null geometries`(
    ending: String
  ) throws {
    let fixture = try fixture()
    let run = try run(fixture, ["-o", "o." + ending, "-q"])
    #expect(run.status == 0 && run.errors == "" && run.output == "", "\(run.errors)")
    let reader = try VectorFeatureReader(path: fixture.path("o." + ending))
    #expect(reader.spatialReference?.isEquivalent(to: try SpatialReference("EPSG:32734")) == true)
    let features = try features(fixture, "o." + ending)
    #expect(features.count == 3)
    #expect(box(features[0]) == [499_995, 6_199_995, 500_105, 6_200_105])
    #expect(features[1].geometry == nil)
    #expect(box(features[2]) == [499_995, 6_199_995, 500_005, 6_200_005])
    guard case .polygon(let square)? = features[0].geometry else {
      Issue.record("an area")
      return
    }
    #expect(square.rings.count == 2 && square.parts.count == 1)
    let names = reader.fields.map(\.name)
    let n = try #require(names.firstIndex(of: "n"))
    let r = try #require(names.firstIndex(of: "r"))
    #expect(features.map { $0.attributes[n] } == [.integer(1), .integer(2), .integer(3)])
    #expect(features.map { $0.attributes[r] } == [.real(0.5), .real(1.5), .null])
    #expect(features[0].attributes[try #require(names.firstIndex(of: "t"))] == .text("é, \"x\""))
    if ending == "gpkg" {
      #expect(reader.fields.map(\.kind) == [.integer, .real, .text, .boolean])
      #expect(features[1].attributes[2] == .null && features[2].attributes[2] == .text(""))
    }
    #expect(try !fixture.names.contains { $0.hasPrefix(".plumb") })
  }

  @Test func `delimited text contains WKT in the input's CRS`() throws {
    let fixture = try fixture()
    for (format, delimiter) in [("csv", ","), ("tsv", "\t")] {
      let run = try run(fixture, ["-o", "o." + format, "-q"])
      #expect(run.errors == "")
      let lines = try fixture.text("o." + format).split(separator: "\n")
      #expect(lines[0] == ["n", "r", "t", "b", "WKT"].joined(separator: delimiter)[...])
      #expect(lines[1].hasPrefix(["1", "0.5", ""].joined(separator: delimiter)))
      #expect(lines[1].contains("POLYGON ((") && lines[1].contains("500105"))
      #expect(lines[2] == ["2", "1.5", "", "false", ""].joined(separator: delimiter)[...])
      #expect(
        try plumb(
          ["buffer", "p.geojson", "--distance", "5", "--of", format, "-q"],
          folder: fixture.folder.path
        ).output == fixture.text("o." + format))
    }
    // OGR reads the same areas.
    let areas = try features(fixture, "o.csv")
    #expect(box(areas[0]) == [499_995, 6_199_995, 500_105, 6_200_105])
    #expect(areas[1].geometry == nil)
    let clash = try plumb(
      ["buffer", "-", "--distance", "1", "--unit", "deg", "--of", "csv"],
      input: "lon,lat,wkt\n1,2,x\n")
    #expect(clash.lines[0] == "lon,lat,wkt,WKT_")
    #expect(clash.errors.contains("WKT_"))
  }

  @Test func `GeoJSON is projected to WGS84, as a collection and as a sequence`() throws {
    let fixture = try fixture()
    let output = try run(fixture, ["-q"]).output
    for name in ["o.geojson", "o.json"] {
      #expect(try run(fixture, ["-o", name, "-q"]).status == 0)
      #expect(try fixture.text(name) == output)
    }
    #expect(try run(fixture, ["-o", "plain", "-q"]).status == 0)
    #expect(try fixture.text("plain") == output)
    #expect(try run(fixture, ["-o", "o.geojsonl", "-q"]).status == 0)
    let lines = try fixture.text("o.geojsonl").split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.allSatisfy { $0.hasPrefix("{\"type\":\"Feature\",") && $0.hasSuffix("}") })
    // The central meridian of zone 34 is 21°, with scale 0.9996.
    let point = try features(fixture, "o.geojson")[2]
    let found = box(point)
    let metre = 1 / (6_378_137 * 0.9996 * cos(34.337 * .pi / 180)) * 180 / .pi
    #expect(abs((found[0] + found[2]) / 2 - 21) < 1e-9)
    #expect(abs((found[2] - found[0]) / (10 * metre) - 1) < 0.01)
  }

  @Test func `--out-crs projects formats other than GeoJSON`() throws {
    let fixture = try fixture()
    #expect(try run(fixture, ["-o", "o.gpkg", "--out-crs", "EPSG:4326", "-q"]).status == 0)
    let reader = try VectorFeatureReader(path: fixture.path("o.gpkg"))
    #expect(reader.spatialReference?.label == "EPSG:4326")
    #expect(try run(fixture, ["-o", "o.geojson", "-q"]).status == 0)
    let (table, text) = (try features(fixture, "o.gpkg"), try features(fixture, "o.geojson"))
    for (a, b) in zip(table, text) { #expect(box(a) == box(b)) }
    // The areas are converted back to the original CRS.
    let back = try plumb(
      [
        "buffer", "o.gpkg", "--distance", "0", "--unit", "deg", "--out-crs", "EPSG:32734", "-o",
        "b.csv", "-q",
      ],
      folder: fixture.folder.path)
    #expect(back.status == 0, "\(back.errors)")
    let again = try features(fixture, "b.csv")
    for (found, wanted) in zip(box(again[0]), [499_995, 6_199_995, 500_105, 6_200_105.0]) {
      #expect(abs(found - wanted) < 1e-3)
    }
    let unknown = try fixture.folder.write("u.csv", "x,y\n1,2\n")
    let run = { try plumb(["buffer", unknown, "--distance", "1", "-o", fixture.path($0)] + $1) }
    try run("u.gpkg", ["--out-crs", "EPSG:4326"]).expectRefusal("EPSG:4326", "--crs")
    // Without any CRS the coordinates are planar.
    #expect(try run("u.gpkg", []).status == 0)
    #expect(box(try features(fixture, "u.gpkg")[0]) == [0, 1, 2, 3])
  }

  @Test func `buffers across an edge of a CRS are refused by name`() throws {
    let run = { (point: String, options: [String]) in
      try plumb(["buffer", "--at", "0,0", "--at", point, "--distance", "100000", "-q"] + options)
    }
    let pole = try run("1000000,0", ["--crs", "EPSG:3413"])
    pole.expectRefusal("point 1", "pole", "EPSG:4326")
    // An edge of the valid area of a projection that does not use degrees.
    let sea = try plumb([
      "buffer", "--at", "179.5,0", "--distance", "1", "--out-crs", "EPSG:3857", "--of", "csv", "-q",
    ])
    sea.expectRefusal("point 1", "EPSG:3857")
    // Near these edges nothing is rejected, not even with long straight edges.
    #expect(try run("3100000,0", ["--crs", "EPSG:3832"]).status == 0)
    let world =
      #"{"type":"Polygon","coordinates":[[[-19e6,-19e6],[19e6,-19e6],[19e6,19e6],[-19e6,19e6],[-19e6,-19e6]]]}"#
    let square = try plumb(["buffer", "-", "--distance", "0", "--crs", "3857", "-q"], input: world)
    #expect(square.status == 0, "\(square.errors)")
    // A point outside the domain of the projection cannot be transformed.
    let far = try plumb([
      "buffer", "--at", "0,0", "--distance", "95", "--out-crs", "EPSG:3857", "--of", "csv", "-q",
    ])
    far.expectRefusal("point 1", "EPSG:3857")
    try plumb(["buffer", "--at", "1e308,0", "--distance", "1e308", "-q"])
      .expectRefusal("point 1")
  }

  /// Rule: a result across ±180° is cut into parts.
  @Test func `areas across the antimeridian are cut when they are transformed to degrees`() throws {
    // A Mercator projection about 150° E: x is the arc of the longitude on the equator.
    func x(_ longitude: Double) -> Double { (longitude - 150) * .pi / 180 * 6_378_137 }
    func ring(_ corners: [(Double, Double)]) -> String {
      "[" + corners.map { "[\(x($0.0)),\($0.1)]" }.joined(separator: ",") + "]"
    }
    func square(_ west: Double, _ east: Double, _ y: Double) -> String {
      ring([(west, -y), (east, -y), (east, y), (west, y), (west, -y)])
    }
    let areas = [
      "[\(square(170, 200, 2e6)),\(square(178, 185, 1e6))]",
      "[\(square(175, 178, 2e6))]", "[\(square(170, 200, 2e6)),\(square(190, 195, 1e6))]",
    ]
    let features = areas.map {
      #"{"type":"Feature","properties":{},"geometry":{"type":"Polygon","coordinates":\#($0)}}"#
    }
    let text = #"{"type":"FeatureCollection","features":["# + features.joined(separator: ",") + "]}"
    let run = try plumb(
      ["buffer", "-", "--distance", "0", "--crs", "EPSG:3832", "-q"], input: text)
    #expect(run.status == 0, "\(run.errors)")
    let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    let geometries = (object?["features"] as? [[String: Any]])?.compactMap { $0["geometry"] }
    let found = (geometries as? [[String: Any]])?.map { geometry -> [[Double]] in
      let parts = geometry["coordinates"] as? [[[[Double]]]]
      let all = parts ?? [geometry["coordinates"] as? [[[Double]]] ?? []]
      // The western and eastern limits, and the number of rings of each part.
      return all.map { rings in
        let x = rings[0].map { $0[0] }
        return [x.min()!.rounded(to: 6), x.max()!.rounded(to: 6), Double(rings.count)]
      }.sorted { $0[0] < $1[0] }
    }
    // The cut crosses the hole of the first area, so both halves of the hole are open.
    #expect(
      found == [
        [[-180, -160, 1], [170, 180, 1]], [[175, 178, 1]], [[-180, -160, 2], [170, 180, 1]],
      ])
  }

  @Test func `degrees beyond the poles or the antimeridian cause a warning`() throws {
    let run = { (point: String) in
      try plumb(["buffer", "--at", "0,0", "--at", point, "--distance", "1", "--unit", "deg"])
    }
    for point in ["0,89.5", "0,-89.5", "179.5,0", "-179.5,0"] {
      #expect(
        try run(point).errors.hasPrefix("plumb: warning: 1 buffer reaches beyond"), "\(point)")
    }
    #expect(try run("179,89").errors == "")
  }

  @Test func `an existing file needs --overwrite and no partial file remains`() throws {
    let fixture = try fixture()
    try fixture.folder.write("o.geojson", "old")
    try run(fixture, ["-o", "o.geojson"]).expectRefusal("o.geojson exists", "--overwrite")
    #expect(try fixture.text("o.geojson") == "old")
    #expect(try run(fixture, ["-o", "o.geojson", "--overwrite", "-q"]).status == 0)
    #expect(try fixture.text("o.geojson").hasSuffix("]}\n"))
    for name in ["p.geojson", "./p.geojson"] {
      try run(fixture, ["-o", name, "--overwrite"]).expectRefusal("is an input")
    }
    // All files of a Shapefile are inputs.
    #expect(try run(fixture, ["-o", "s.shp", "-q"]).status == 0)
    let part = try plumb(
      ["buffer", "s.shp", "--distance", "1", "-o", "s.dbf", "--of", "csv", "--overwrite", "-q"],
      folder: fixture.folder.path)
    part.expectRefusal("s.dbf is an input")
    let redirected = try shell(
      "\"$PLUMB\" buffer p.geojson --distance 1 -q >> p.geojson", folder: fixture.folder.path)
    redirected.expectRefusal("standard output is p.geojson")
    // A fault in a late batch.
    let rows = (0..<6000).map { "\($0 % 90),\($0 % 90),\($0 == 5500 ? "x" : "1")\n" }
    try fixture.folder.write("late.csv", "lon,lat,d\n" + rows.joined())
    let before = try fixture.names
    for name in ["late.geojson", "late.gpkg", "late.shp", "late.tsv"] {
      let run = try plumb(
        ["buffer", "late.csv", "--distance-field", "d", "-o", name, "-q"],
        folder: fixture.folder.path)
      run.expectRefusal("row 5501: d is \"x\"")
      #expect(try fixture.names == before)
    }
  }

  @Test func `what a format changes or drops is reported`() throws {
    let fixture = try Fixture()
    let path = try fixture.folder.write("p.csv", "lon,lat,population_2001\n1,2,5\n")
    let buffer = { (name: String) in
      try plumb([
        "buffer", path, "--distance", "1", "--unit", "deg", "-o", fixture.path(name),
      ])
    }
    let shape = try buffer("o.shp")
    #expect(shape.status == 0 && shape.errors.contains("population"), "\(shape.errors)")
    let table = try buffer("o.ods")
    #expect(table.status == 0 && table.errors.contains("stores no areas"), "\(table.errors)")
    try fixture.folder.write("p.csv", "lon,lat\n1,2\n,\n")
    try buffer("o.fgb").expectRefusal("FlatGeobuf")
    #expect(try !fixture.names.contains("o.fgb"))
    let quiet = try plumb(["buffer", path, "--distance", "1", "-o", fixture.path("q.gpkg"), "-q"])
    #expect(quiet.errors == "")
  }

  @Test func `a closed pipe ends without a message`() throws {
    let run = try shell(
      "\"$PLUMB\" buffer --at 1,2 --distance 1 -q | true; echo done")
    #expect(run.output == "done\n" && run.errors == "")
  }

  @Test func `an inaccurate transformation causes a warning`() throws {
    let run = try plumb([
      "buffer", "--at", "2000000,600000", "--crs", "EPSG:32038", "--distance", "40", "--unit", "mi",
    ])
    #expect(run.status == 0)
    let quality = try Transformation.quality(
      from: SpatialReference("EPSG:32038"), to: .wgs84, area: (-98, 33, -97, 34))
    #expect(
      run.errors.contains("best operation") == (quality?.isUncertain ?? false), "\(run.errors)")
  }
}

extension Double {
  fileprivate func rounded(to digits: Int) -> Double {
    let scale = pow(10.0, Double(digits))
    return (self * scale).rounded() / scale
  }
}
