import Foundation
import PlumbTestSupport
import Testing

/// `plumb buffer`: features as input, areas and attributes as output.
struct BufferInputTests {
  /// The features of a run's collection.
  private func features(
    _ run: ProgramRun, location: SourceLocation = #_sourceLocation
  ) throws -> [[String: Any]] {
    #expect(run.status == 0, "\(run.errors)", sourceLocation: location)
    let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
    let collection = try #require(object as? [String: Any])
    #expect(collection["crs"] == nil)
    return try #require(collection["features"] as? [[String: Any]])
  }

  private func buffer(
    _ input: String, _ options: [String], location: SourceLocation = #_sourceLocation
  ) throws -> [[String: Any]] {
    try features(plumb(["buffer", "-", "-q"] + options, input: input), location: location)
  }

  /// The bounds of a feature's polygons; nil if there is no geometry.
  private func box(_ feature: [String: Any]) -> [Double]? {
    let geometry = feature["geometry"] as? [String: Any]
    var rings = geometry?["coordinates"] as? [[[Double]]]
    if let parts = geometry?["coordinates"] as? [[[[Double]]]] { rings = parts.flatMap { $0 } }
    guard let points = rings?.flatMap({ $0 }), !points.isEmpty else { return nil }
    let (x, y) = (points.map { $0[0] }, points.map { $0[1] })
    return [x.min()!, y.min()!, x.max()!, y.max()!]
  }

  private func expect(
    _ feature: [String: Any], box expected: [Double], within tolerance: Double = 1e-12,
    location: SourceLocation = #_sourceLocation
  ) {
    let found = box(feature) ?? []
    #expect(
      found.count == 4 && zip(found, expected).allSatisfy { abs($0 - $1) <= tolerance },
      "\(found)", sourceLocation: location)
  }

  private static func collection(_ geometries: [String]) -> String {
    let features = geometries.enumerated().map {
      #"{"type":"Feature","properties":{"n":\#($0)},"geometry":\#($1)}"#
    }
    return #"{"type":"FeatureCollection","features":["# + features.joined(separator: ",") + "]}"
  }

  @Test func `points, negative ones too, with an id and their coordinates`() throws {
    let run = try plumb([
      "buffer", "--at", "-103.5,32.1", "--at=10,-20", "--distance", "0.5,2", "-q",
    ])
    let features = try features(run)
    #expect(features.count == 2)
    expect(features[0], box: [-104, 31.6, -103, 32.6])
    expect(features[1], box: [8, -22, 12, -18])
    let wanted = [["id": 1, "x": -103.5, "y": 32.1], ["id": 2, "x": 10, "y": -20]]
    for (feature, properties) in zip(features, wanted) {
      #expect(feature["properties"] as? NSDictionary == properties as NSDictionary)
    }
    // A regular polygon of 128 sides: 64 sin(2π/128) r².
    let ring = try #require(
      ((features[1]["geometry"] as? [String: Any])?["coordinates"] as? [[[Double]]])?.first)
    #expect(ring.count == 129 && ring.first == ring.last)
    var area = 0.0
    for (a, b) in zip(ring, ring.dropFirst()) { area += (a[0] * b[1] - a[1] * b[0]) / 2 }
    // The area is positive if the ring is counter-clockwise, as RFC 7946 requires.
    #expect(abs(area - 64 * sin(2 * .pi / 128) * 4) < 1e-9)
  }

  @Test func `doubles are written in full`() throws {
    let run = try plumb(["buffer", "--at", "0.1,0.7", "--distance", "0.3", "-q"])
    let digits = run.output.matches(of: /-?\d+\.(\d+)/).map { $0.1.count }
    #expect(digits.filter { $0 >= 9 }.count > 200)
    // A vertex as computed by GEOS and by the formula.
    let corner = 0.1 + 0.3 * cos(Double.pi / 4)
    #expect(run.output.matches(of: /-?\d+\.\d+/).contains { abs(Double($0.0)! - corner) < 1e-15 })
  }

  @Test func `each feature has one row, in order, regardless of its geometry`() throws {
    let text = Self.collection([
      #"{"type":"Point","coordinates":[1,2]}"#, "null",
      #"{"type":"LineString","coordinates":[[0,0],[4,0]]}"#,
      #"{"type":"Polygon","coordinates":[]}"#,
      #"{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,4],[0,0]]]}"#,
      #"{"type":"MultiPoint","coordinates":[[0,0],[10,0]]}"#,
      #"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,1]},"#
        + #"{"type":"Point","coordinates":[5,5]}]}"#,
    ])
    let run = try plumb(["buffer", "-", "--distance", "1", "--unit", "deg"], input: text)
    let features = try features(run)
    #expect(features.map { ($0["properties"] as? [String: Int])?["n"] } == [0, 1, 2, 3, 4, 5, 6])
    #expect(
      features.map { $0["geometry"] is NSNull }
        == [1, 3].reduce(
          into: [Bool](
            repeating: false, count: 7)
        ) { $0[$1] = true })
    expect(features[0], box: [0, 1, 2, 3])
    expect(features[2], box: [-1, -1, 5, 1])
    expect(features[4], box: [-1, -1, 5, 5])
    expect(features[5], box: [-1, -1, 11, 1])
    expect(features[6], box: [0, 0, 6, 6])
    #expect(
      run.errors == "plumb: warning: 2 features have no geometry: features 2, 4\n", "\(run.errors)")
  }

  @Test func `a broken geometry is a warning that names the feature, and an error with --strict`()
    throws
  {
    let point = #"{"type":"Point","coordinates":[1,1]}"#
    for bad in [
      #"{"type":"LineString","coordinates":[[0,0],[1]]}"#, #"{"type":"Point"}"#,
      #"{"type":"Point","coordinates":[1e999,0]}"#, #"{"type":"Circle","coordinates":[1,0]}"#,
    ] {
      let run = try plumb(
        ["buffer", "-", "--distance", "1"], input: Self.collection([point, bad]))
      #expect(run.status == 0 && run.errors.contains("feature 2: "), "\(run.errors)")
      #expect(run.output.contains(#""geometry":null"#))
      let strict = try plumb(
        ["buffer", "-", "--distance", "1", "-q", "--strict"],
        input: Self.collection([point, bad]))
      strict.expectRefusal("feature 2: ")
      #expect(strict.output == "")
    }
  }

  @Test func `negative distances shrink, 0 keeps, and an empty result is a null with a warning`()
    throws
  {
    let square = #"{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,4],[0,0]]]}"#
    let text = Self.collection([square, square, square, #"{"type":"Point","coordinates":[1,2]}"#])
    let run = try plumb(
      ["buffer", "-", "--unit", "deg", "--distance", "-1,0,-2.5,-50"], input: text)
    let features = try features(run)
    expect(features[0], box: [1, 1, 3, 3])
    expect(features[1], box: [0, 0, 4, 4])
    #expect(features[2]["geometry"] is NSNull && features[3]["geometry"] is NSNull)
    #expect(run.errors.contains("2 buffers are empty") && run.lines.count == 6)
  }

  @Test func `the last distance is used for all further features`() throws {
    let point = #"{"type":"Point","coordinates":[0,0]}"#
    let features = try buffer(
      Self.collection([point, "null", point, point, point]), ["--distance", "1, 2,3"])
    expect(features[0], box: [-1, -1, 1, 1])
    #expect(box(features[1]) == nil)
    for feature in features[2...] { expect(feature, box: [-3, -3, 3, 3]) }
  }

  @Test func `a field gives the distances, and the error for other values names the feature`()
    throws
  {
    func text(_ values: [String]) -> String {
      let features = values.map {
        #"{"type":"Feature","properties":{"a":0,"D":\#($0)},"geometry":{"type":"Point","#
          + #""coordinates":[0,0]}}"#
      }
      return #"{"type":"FeatureCollection","features":["# + features.joined(separator: ",") + "]}"
    }
    let features = try buffer(text(["1", "2.5", "\" 3 \""]), ["--distance-field", "D"])
    for (feature, distance) in zip(features, [1, 2.5, 3]) {
      expect(feature, box: [-distance, -distance, distance, distance])
    }
    #expect((features[1]["properties"] as? NSDictionary) == ["a": 0, "D": 2.5] as NSDictionary)
    for bad in ["null", "\"x\"", "\"\"", "true", "[1]"] {
      let run = try plumb(
        ["buffer", "-", "--distance-field", "D", "-q"], input: text(["1", bad]))
      run.expectRefusal("feature 2: D is ", "number")
      #expect(run.output == "")
    }
    try plumb(["buffer", "-", "--distance-field", "E", "-q"], input: text(["1"]))
      .expectRefusal("there is no field E", "a, D")
  }

  @Test func `attributes of GeoJSON keep their bytes, ids too`() throws {
    let text = """
      {"type":"FeatureCollection","features":[
      {"type":"Feature","id":"q\\u0041","geometry":{"coordinates":[1,2],"type":"Point"},\
      "properties":{"b":1.50, "a":18446744073709551615,"a":{"k":[1,null]},"d":"2024/02/29"}},
      {"type":"Feature","id":7,"properties":null,"geometry":null},
      {"geometry":null,"type":"Feature","properties":{"c":true}}]}
      """
    let run = try plumb(["buffer", "-", "--distance", "1", "-q"], input: text)
    #expect(
      run.lines[1].hasPrefix(#"{"type":"Feature","id":"q\u0041","geometry":{"type":"Polygon""#))
    #expect(
      run.lines[1].hasSuffix(
        #""properties":{"b":1.50, "a":18446744073709551615,"a":{"k":[1,null]},"d":"2024/02/29"}},"#
      ))
    #expect(run.lines[2] == #"{"type":"Feature","id":7,"geometry":null,"properties":{}},"#)
    #expect(run.lines[3] == #"{"type":"Feature","geometry":null,"properties":{"c":true}}"#)
    // In a sequence each feature is on one line.
    let piped = try plumb(
      ["buffer", "-", "--distance", "1", "-q", "--of", "geojsonseq"],
      input: #"{"type":"Feature","properties":{"a":\#n1},"geometry":null}"#)
    #expect(piped.lines == [#"{"type":"Feature","geometry":null,"properties":{"a": 1}}"#])
  }

  @Test func `a crs member is used, --crs overrides it, and null is none`() throws {
    let point = #"{"type":"Point","coordinates":[2059000,-4000000]}"#
    let crs = #""crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::3857"}},"#
    let text = Self.collection([point])
    let with = text.replacing("\"features\"", with: crs + "\"features\"")
    let behind = text.dropLast() + "," + crs.dropLast() + "}"
    // Web mercator: x / a, the Gudermannian of y / a.
    let (x, y) = (2_059_000.0 / 6_378_137, -4_000_000.0 / 6_378_137)
    let centre = [x * 180 / .pi, atan(sinh(y)) * 180 / .pi]
    let fixture = try Fixture()
    let path = try fixture.folder.write("behind.geojson", String(behind))
    let runs = [
      try plumb(["buffer", "-", "--distance", "1000", "-q"], input: with),
      try plumb(
        ["buffer", "-", "--distance", "1", "-q", "--unit", "km", "--crs", "3857"],
        input: text),
      try plumb(["buffer", path, "--distance", "1000", "-q"]),
    ]
    for run in runs {
      let found = box(try features(run)[0]) ?? []
      let degrees = 1000 / 6_378_137 * 180 / Double.pi
      #expect(abs(found[0] - (centre[0] - degrees)) < 1e-9, "\(run.errors)")
      #expect(abs(found[2] - (centre[0] + degrees)) < 1e-9)
      #expect(found[1] < centre[1] && centre[1] < found[3])
    }
    try shell(
      "cat behind.geojson | \"$PLUMB\" buffer - --distance 1 -q", folder: fixture.folder.path
    )
    .expectRefusal("EPSG:3857", "--crs")
    let null = text.replacing("\"features\"", with: "\"crs\":null,\"features\"")
    try plumb(["buffer", "-", "--distance", "1", "-q"], input: null).expectRefusal("--crs")
  }

  @Test func `delimited text by the rules for columns`() throws {
    for (text, name) in [
      ("n,lon,lat\n\"a,b\",1,2\nc,,\nd,3,4,5\ne,5,6\n", "p.csv"),
      ("n\tLon\tLAT\na,b\t1\t2\nc\t\t\nd\t3\t4\t5\ne\t5\t6\n", "p.tsv"),
    ] {
      let fixture = try Fixture()
      let path = try fixture.folder.write(name, text)
      let run = try plumb(["buffer", path, "--distance", "1", "--unit", "deg"])
      let features = try features(run)
      let names = features.map { ($0["properties"] as? [String: Any])?["n"] as? String }
      #expect(names == ["a,b", "c", "d", "e"])
      expect(features[0], box: [0, 1, 2, 3])
      expect(features[3], box: [4, 5, 6, 7])
      #expect(run.errors.contains("row 3 (line 4): it has 4 fields, but the header has 3"))
      #expect(run.errors.hasSuffix("plumb: warning: 2 rows have no geometry: rows 2, 3\n"))
      #expect(
        try plumb(["buffer", "-", "--distance", "1", "-q"], input: text).output == run.output)
    }
    let named = try plumb(
      ["buffer", "-", "--distance", "1", "-q", "--x", "a", "--y", "b", "--crs", "4326"],
      input: "b,a\n2,1\n")
    expect(try features(named)[0], box: [0, 1, 2, 3])
    let run = { (text: String, options: [String]) in
      try plumb(["buffer", "-", "--distance", "1", "-q"] + options, input: text)
    }
    try run("a,b\n1,2\n", []).expectRefusal("no coordinate columns", "--x")
    try run("lon;lat\n1,5;2\n", []).expectRefusal("line 2", "decimal comma")
    try run("lon,lat\n1,2\n", ["--layer", "a"]).expectRefusal("--layer")
    try run("", []).expectRefusal("empty")
    let column = try plumb(
      ["buffer", "-", "--distance-field", "D", "-q"], input: "lon,lat,d\n1,2,0.5\n3,4,\n")
    column.expectRefusal("row 2: D is empty")
  }

  @Test func `text that is not UTF-8 is an error, and JSON that is not GeoJSON is read by OGR`()
    throws
  {
    let fixture = try Fixture()
    try fixture.write("p.csv", bytes: Array("lon,lat,n\n1,2,a\n1,2,".utf8) + [0xE9, 0x0A])
    try plumb(["buffer", fixture.path("p.csv"), "--distance", "1", "--unit", "deg"])
      .expectRefusal("row 2", "UTF-8", "--encoding")
    let esri = try fixture.folder.write(
      "e.json",
      #"{"geometryType":"esriGeometryPoint","spatialReference":{"wkid":4326},"fields":"#
        + #"[{"name":"n","type":"esriFieldTypeInteger"}],"features":[{"attributes":{"n":5},"#
        + #""geometry":{"x":1,"y":2}}]}"#)
    let features = try features(plumb(["buffer", esri, "--distance", "1", "-q"]))
    #expect((features[0]["properties"] as? [String: Int]) == ["n": 5])
    expect(features[0], box: [0, 1, 2, 3])
    let broken = try fixture.folder.write(
      "b.json", #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null,"#)
    for options in [[], ["--of", "csv"]] {
      try plumb(["buffer", broken, "--distance", "1", "-q"] + options).expectRefusal("invalid JSON")
    }
  }

  @Test func `a pipe is read twice if columns are needed`() throws {
    let text = Self.collection([#"{"type":"Point","coordinates":[1,2]}"#, "null"])
    let fixture = try Fixture()
    try fixture.folder.write("p.geojson", text)
    let run = try shell(
      "cat p.geojson | \"$PLUMB\" buffer - --distance 1 --of csv -q", folder: fixture.folder.path)
    #expect(run.lines.count == 3 && run.lines[0] == "n,WKT", "\(run.errors)")
    let field = try shell(
      "cat p.geojson | \"$PLUMB\" buffer /dev/stdin --distance-field n -q",
      folder: fixture.folder.path)
    #expect(field.status == 0 && field.lines.count == 4, "\(field.errors)")
  }

  @Test func `a layer must be named if there are several`() throws {
    let fixture = try Fixture()
    let folder = fixture.path("tables")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for name in ["one", "two"] {
      try fixture.folder.write("tables/\(name).csv", "id,WKT\n\(name),POINT (1 2)\n")
    }
    try plumb(["buffer", folder, "--distance", "1", "-q", "--crs", "4326"])
      .expectRefusal("several layers", "\"one\"", "\"two\"")
    try plumb(["buffer", folder, "--distance", "1", "-q", "--crs", "4326", "--layer", "six"])
      .expectRefusal("six")
    let run = try plumb([
      "buffer", folder, "--distance", "1", "-q", "--crs", "4326", "--layer", "two",
    ])
    let features = try features(run)
    #expect((features[0]["properties"] as? [String: String])?["id"] == "two")
    expect(features[0], box: [0, 1, 2, 3])
  }

  @Test func `union is one feature without attributes`() throws {
    func point(_ x: Int) -> String { #"{"type":"Point","coordinates":[\#(x),0]}"# }
    let text = Self.collection([point(0), point(1), "null", point(10)])
    let features = try buffer(text, ["--union", "--distance", "1,2,3"])
    #expect(features.count == 1)
    expect(features[0], box: [-1, -3, 13, 3])
    let geometry = features[0]["geometry"] as? [String: Any]
    #expect(geometry?["type"] as? String == "MultiPolygon")
    #expect((geometry?["coordinates"] as? [Any])?.count == 2)
    #expect(features[0]["properties"] as? NSDictionary == [:])
    #expect(try buffer(Self.collection(["null"]), ["--union", "--distance", "1"]).isEmpty)
  }

  @Test func `an input without features gives an empty collection`() throws {
    for options in [["--distance", "1"], ["--distance", "1", "--union"]] {
      #expect(try buffer(Self.collection([]), options).isEmpty)
    }
    #expect(try buffer("lon,lat\n", ["--distance", "1"]).isEmpty)
  }

  @Test func `an input that cannot be opened is one line`() throws {
    let fixture = try Fixture()
    let text = try fixture.folder.write("a.xyz", "hello")
    for path in [fixture.path("none.gpkg"), text, fixture.folder.path] {
      try plumb(["buffer", path, "--distance", "1", "-q"]).expectRefusal(path)
    }
    try plumb(["buffer", "-", "--distance", "1", "-q"], input: "{\"a\":1}").expectRefusal("GeoJSON")
    let truncated = Self.collection([#"{"type":"Point","coordinates":[0,0]}"#]).dropLast(20)
    try plumb(["buffer", "-", "--distance", "1", "-q"], input: String(truncated)).expectRefusal(
      "invalid JSON")
  }

  /// Rule: the order is preserved across batches, and memory is bounded by the batch size.
  @Test func `many features stay in order, on any number of threads`() throws {
    let count = 9001
    let rows = (0..<count).map { "\($0),\($0 % 360 - 180),\($0 % 90)\n" }
    let text = "n,lon,lat\n" + rows.joined()
    let one = try plumb(
      ["buffer", "-", "--distance", "0.5", "-q", "--threads", "1", "--of", "csv"], input: text)
    let many = try plumb(
      ["buffer", "-", "--distance", "0.5", "-q", "--threads", "5", "--of", "csv"], input: text)
    #expect(one.output == many.output)
    #expect(one.lines.count == count + 1)
    for (row, line) in zip(rows, one.lines.dropFirst()) {
      #expect(line.hasPrefix(row.dropLast() + ",\"POLYGON (("))
    }
  }
}
