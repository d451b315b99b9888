import Foundation
import PlumbTestSupport
import Testing

/// Maps with a fault: an error of that layer or one clear line. The other layers still have
/// results.
struct MapFaultTests {
  /// A map of a valid layer `sq` with other layers above it.
  private static func fixture(_ others: [String]) throws -> Fixture {
    let fixture = try Fixture()
    try fixture.pair()
    try fixture.map([fixture.layer("sq", "sq.geojson")] + others)
    return fixture
  }

  @Test func `a file that is not a map document, or in another encoding, is reported`() throws {
    let fixture = try Self.fixture([])
    let text = try fixture.text("map.json")
    var utf16: [UInt8] = [0xFF, 0xFE]
    for unit in text.utf16 { utf16 += [UInt8(unit & 255), UInt8(unit >> 8)] }
    try fixture.write("u.json", bytes: utf16)
    try fixture.write("l.json", bytes: Array(text.utf8).map { $0 == UInt8(ascii: "q") ? 0xE9 : $0 })
    try fixture.write("n.json", bytes: Array(#"{"layers":[]}"#.utf8))
    for (name, line) in [
      ("u", "u.json is not a map document: the text is in UTF-16; save the document as UTF-8"),
      ("l", "l.json: the text is not in UTF-8; save the document as UTF-8"),
      (
        "n",
        "n.json is not a map document: the JSON has no operationalLayers, which a map document has"
      ),
    ] {
      try plumb(["identify", fixture.path(name + ".json"), "--at", "0.5,0.5"])
        .expectRefusal(line + "\n")
    }
  }

  private static func layer(_ url: String, _ more: String = "") -> String {
    #"{"id":"bad","title":"Bad","layerType":"ArcGISFeatureLayer","url":"\#(url)"\#(more)}"#
  }

  /// Checks that one layer of `map.json` fails with a message in every kind of query, and that the
  /// other layer has results.
  private static func check(
    _ fixture: Fixture, _ message: String, code: String = "bad_layer", id: String = "bad",
    name: String = "Bad", location: SourceLocation = #_sourceLocation
  ) throws {
    let map = fixture.path("map.json")
    let full = message.replacing("MAP", with: map)
    let warning = "plumb: warning: \(name): \(full)\n"
    let at = ["identify", map, "--at", "0.5,0.5"]
    let json = try plumb(at + ["--format", "json"])
    #expect(json.status == 0 && json.errors == warning, "\(json.errors)", sourceLocation: location)
    let results = try #require(try json.results.first, sourceLocation: location)
    let broken = results.flatMap(\.all).first { $0.error != nil }
    #expect(
      broken?.error == ["code": code, "message": full], "\(json.output)",
      sourceLocation: location)
    #expect(broken?.layer["name"] == name && broken?.elements.isEmpty == true)
    #expect(
      results.first { $0.layer["id"] == "sq" }?.values("NAME") == ["low"],
      sourceLocation: location)
    let tree = try plumb(at)
    #expect(tree.output.contains("error: \(code): \(full)\n"), sourceLocation: location)
    try plumb(at + ["--layer", id]).expectRefusal("plumb: \(name): \(full)\n", location: location)
    try plumb(at + ["--strict"])
      .expectRefusal("plumb: \(name): \(full); --strict refuses that\n", location: location)
    #expect(try plumb(at + ["--layer", "sq"]).errors == "", sourceLocation: location)

    let points = ["identify", map, "--points", "-"]
    let rows = "x,y\n0.5,0.5\n9,9\n"
    for format in ["csv", "jsonl"] {
      let batch = try plumb(points + ["--of", format], input: rows)
      #expect(
        batch.status == 0 && batch.errors == warning, "\(batch.errors)", sourceLocation: location)
      #expect(batch.lines.count == (format == "csv" ? 3 : 2), sourceLocation: location)
      guard format == "csv" else { continue }
      #expect(batch.lines[0].hasSuffix("sq.count,sq.NAME,sq.N"), sourceLocation: location)
      #expect(batch.lines[1].hasSuffix(",1,low,1"), sourceLocation: location)
      #expect(batch.lines[2].hasSuffix(",0,,"), sourceLocation: location)
    }
    let other = try plumb(points + ["--layer", "sq"], input: rows)
    #expect(other.errors == "" && other.lines.count == 3, sourceLocation: location)
    let out = ["-o", fixture.path("out.csv")]
    let alone = try plumb(points + ["--layer", id] + out, input: rows)
    alone.expectRefusal("plumb: \(name): \(full)\n", location: location)
    let strict = try plumb(points + ["--strict"] + out, input: rows)
    strict.expectRefusal(
      "plumb: \(name): \(full); --strict refuses that\n", location: location)
    let names = try fixture.names
    #expect(!names.contains { $0.hasPrefix("out") || $0.hasPrefix(".plumb") })
  }

  @Test func `a missing source`() throws {
    let fixture = try Self.fixture([Self.layer("gone.geojson")])
    try Self.check(
      fixture, "MAP: operationalLayers[1].url: no such file: gone.geojson")
  }

  @Test func `a source that is not readable`() throws {
    let fixture = try Self.fixture([Self.layer("noise.geojson")])
    try fixture.folder.write("noise.geojson", "{\"type\":\"FeatureCollection\",\"features\":[{]}")
    let run = try plumb(
      ["identify", fixture.path("map.json"), "--at", "0.5,0.5", "--format", "json"])
    #expect(run.status == 0)
    let results = try run.results[0]
    let error = try #require(results[0].error)
    #expect(error["message"]?.contains("GeoJSON") == true)
    try Self.check(
      fixture, error["message"]?.replacing(fixture.path("map.json"), with: "MAP") ?? "",
      code: error["code"] ?? "")
  }

  @Test func `a layer without a CRS`() throws {
    let fixture = try Self.fixture([Self.layer("bare.csv")])
    try fixture.folder.write("bare.csv", "WKT,k\n\"POINT (0.5 0.5)\",1\n")
    try Self.check(
      fixture,
      "it has no CRS, so points of the map cannot be located in it",
      code: "no_reference")
  }

  @Test func `a condition that does not parse, or names no field`() throws {
    let broken = try Self.fixture([Self.layer("sq.geojson", #","layerDefinition":"N ==""#)])
    let run = try plumb([
      "identify", broken.path("map.json"), "--at", "1,1", "--layer", "bad",
    ])
    run.expectRefusal("plumb: Bad: definition expression: ")
    try Self.check(
      broken, String(run.errors.dropFirst("plumb: Bad: ".count).dropLast()), code: "bad_condition")
    let unknown = try Self.fixture([Self.layer("sq.geojson", #","layerDefinition":"M = 1""#)])
    let other = try plumb([
      "identify", unknown.path("map.json"), "--at", "1,1", "--layer", "bad",
    ])
    other.expectRefusal("definition expression", "M")
    let message = other.errors.dropFirst("plumb: Bad: ".count).dropLast()
    try Self.check(unknown, String(message), code: "bad_condition")
  }

  @Test func `a feature whose shape cannot be used is omitted with a warning`() throws {
    let fixture = try Self.fixture([Self.layer("mixed.geojson")])
    try fixture.features(
      "mixed.geojson",
      [
        Square(0, 0, #""N":1"#).json,
        """
        {"type":"Feature","properties":{"N":2},
         "geometry":{"type":"GeometryCollection","geometries":[
         {"type":"Point","coordinates":[1,1]},{"type":"LineString","coordinates":[[0,0],[1,1]]}]}}
        """,
      ])
    try expectWarning(
      fixture,
      "Bad: the shape of a feature cannot be used: feature 2: its collection mixes "
        + "points and lines; split it into one kind per feature"
    ) { $0.values("N") == ["1"] }
  }

  @Test func `a raster that is missing, or has no CRS`() throws {
    let raster = { (url: String) in
      #"{"id":"bad","title":"Bad","layerType":"RasterLayer","url":"\#(url)"}"#
    }
    try Self.check(
      try Self.fixture([raster("gone.tif")]),
      "MAP: operationalLayers[1].url: no such file: gone.tif")
    let fixture = try Self.fixture([raster("bare.tif")])
    try fixture.raster(
      "bare.tif", .uint8, bands: [[UInt8](repeating: 1, count: 12)], reference: nil)
    try Self.check(
      fixture, "it has no CRS, so points of the map cannot be located in it",
      code: "no_reference")
  }

  @Test func `a layer in a group, and a sublayer`() throws {
    let inner = Self.layer("gone.geojson")
    try Self.check(
      try Self.fixture([#"{"id":"g","layerType":"GroupLayer","layers":[\#(inner)]}"#]),
      "MAP: operationalLayers[1].layers[0].url: no such file: gone.geojson")
    let fixture = try Self.fixture([
      #"{"id":"s","layerType":"ArcGISMapServiceLayer","url":"service.json"}"#
    ])
    try fixture.folder.write(
      "service.json",
      """
      {"layers":[{"id":0,"name":"all","type":"Group Layer","subLayerIds":[1,2]},
       {"id":1,"name":"Bad","type":"Feature Layer","source":"gone.geojson"},
       {"id":2,"name":"good","type":"Feature Layer","source":"sq.geojson"}]}
      """)
    try Self.check(
      fixture, "\(fixture.path("service.json")): layers[1].source: no such file: gone.geojson",
      id: "s/1")
    // The layers above it have results.
    for id in ["s", "s/0"] {
      let run = try plumb([
        "identify", fixture.path("map.json"), "--at", "0.5,0.5", "--layer", id, "--format", "json",
      ])
      #expect(run.status == 0 && run.errors.hasPrefix("plumb: warning: Bad: "))
      let nodes = try run.results[0].flatMap(\.all)
      #expect(nodes.first { $0.layer["name"] == "good" }?.values("NAME") == ["low"])
    }
  }

  @Test func `two layers with the same id`() throws {
    let fixture = try Self.fixture([
      Self.layer("sq.geojson"),
      #"{"id":"bad","title":"Twin","layerType":"ArcGISFeatureLayer","url":"sq.geojson"}"#,
    ])
    let run = try plumb(
      ["identify", fixture.path("map.json"), "--at", "0.5,0.5", "--format", "json"])
    let results = try run.results[0]
    #expect(results.map { $0.values("NAME") } == [[], ["low"], ["low"]])
    #expect(
      run.errors == "plumb: warning: Twin: \(fixture.path("map.json")): operationalLayers[2]: "
        + "two layers have the id bad\n")
    #expect(run.status == 0)
  }

  @Test(arguments: [
    (
      #"{"id":1,"name":"a","parentLayerId":2},{"id":2,"name":"b","parentLayerId":1}"#,
      "sublayers contain each other: 1 in 2 in 1"
    ),
    (#"{"id":1,"name":"a","parentLayerId":1}"#, "sublayers contain each other: 1 in 1"),
    (#"{"id":1,"name":"a"},{"id":1,"name":"b"}"#, "two sublayers have the id 1"),
    (#"{"id":1,"name":"a","parentLayerId":7}"#, "sublayer 1 names the parent 7"),
    (#"{"id":1,"name":"a","subLayerIds":[7]}"#, "sublayer 1 lists 7, which does not exist"),
  ])
  func `sublayers that do not fit together`(layers: String, message: String) throws {
    let fixture = try Self.fixture([
      #"{"id":"bad","title":"Bad","layerType":"ArcGISMapServiceLayer","url":"service.json"}"#
    ])
    try fixture.folder.write("service.json", "{\"layers\":[\(layers)]}")
    let run = try plumb([
      "identify", fixture.path("map.json"), "--at", "1,1", "--layer", "bad",
    ])
    run.expectRefusal(message)
    try Self.check(fixture, String(run.errors.dropFirst("plumb: Bad: ".count).dropLast()))
  }

  @Test func `excessive nesting is refused before it is traversed`() throws {
    let deep = try Self.fixture([
      #"{"id":"bad","title":"Bad","layerType":"ArcGISMapServiceLayer","url":"service.json"}"#
    ])
    let chain = (0..<10_000).map { #"{"id":\#($0),"name":"n","parentLayerId":\#($0 - 1)}"# }
    try deep.folder.write("service.json", "{\"layers\":[\(chain.joined(separator: ","))]}")
    let run = try plumb(["identify", deep.path("map.json"), "--at", "1,1", "--layer", "bad"])
    run.expectRefusal("sublayer 256 is nested deeper than 256 levels")
    try Self.check(deep, String(run.errors.dropFirst("plumb: Bad: ".count).dropLast()))

    let fixture = try Fixture()
    for (open, close) in [("[", "]"), ("{\"layers\":[", "]}"), ("{\"a\":", "}")] {
      let text =
        String(repeating: open, count: 10_000) + "1" + String(repeating: close, count: 10_000)
      try fixture.folder.write("map.json", "{\"operationalLayers\":[\(text)]}")
      let run = try plumb(["identify", fixture.path("map.json"), "--at", "1,1"])
      run.expectRefusal("map.json", "deep")
      #expect(run.output == "")
    }
  }

  @Test func `unusable shapes are reported, and the others are found`() throws {
    let fixture = try Fixture()
    // A bow tie, a flat ring, an empty shape, a missing shape and an infinite coordinate, followed
    // by a valid shape.
    let shapes = [
      #"{"type":"Polygon","coordinates":[[[0,0],[2,2],[2,0],[0,2],[0,0]]]}"#,
      #"{"type":"Polygon","coordinates":[[[0,0],[1,1],[0,0]]]}"#,
      #"{"type":"Polygon","coordinates":[]}"#, "null",
      #"{"type":"Point","coordinates":[1e999,0]}"#,
      #"{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,4],[0,0]]]}"#,
    ]
    try fixture.features(
      "sq.geojson",
      shapes.enumerated().map {
        #"{"type":"Feature","properties":{"N":\#($0)},"geometry":\#($1)}"#
      })
    let map = try fixture.map([fixture.layer("sq", "sq.geojson")])
    let sendRequest = ["identify", map, "--max-results", "all"]
    let run = try plumb(
      sendRequest + ["--at", "1.5,1.7", "--at", "1.8,1", "--at", "3,1", "--format", "json"])
    #expect(run.status == 0)
    // The even-odd rule, which GEOS and OGR apply to a bow tie after repair.
    #expect(try run.results.map { $0.first?.values("N") ?? [] } == [["5"], ["5", "0"], ["5"]])
    let batch = try plumb(sendRequest + ["--points", "-"], input: "x,y\n1.8,1\n3,1\n")
    #expect(batch.output == "x,y,sq.count,sq.N\n1.8,1,2,5\n3,1,1,5\n")
    #expect(batch.errors == run.errors)
    #expect(
      run.errors.hasPrefix("plumb: warning: sq: 1 feature has coordinates that are not finite"),
      "\(run.errors)")
    try plumb(sendRequest + ["--at", "3,1", "--strict"]).expectRefusal("--strict refuses that")
  }

  @Test func `files that are not maps are refused with name and position`() throws {
    let fixture = try Fixture()
    for (text, words) in [
      ("{\"operationalLayers\":", "line 1"), ("{\"operationalLayers\":{}}", "expected a list"),
      ("{\"operationalLayers\":[1]}", "operationalLayers[0]"),
      ("{\"operationalLayers\":[],\"spatialReference\":{\"wkid\":999999}}", "spatialReference"),
      ("{\"operationalLayers\":[],\"spatialReference\":4326}", "spatialReference"),
    ] {
      try fixture.folder.write("map.json", text)
      let run = try plumb(["identify", fixture.path("map.json"), "--at", "1,1"])
      run.expectRefusal("map.json", words)
      #expect(run.output == "")
    }
    try plumb(["identify", fixture.path("gone.json"), "--at", "1,1"])
      .expectRefusal("gone.json")
  }

  @Test func `a map without layers has no results`() throws {
    let fixture = try Fixture()
    let map = try fixture.map([], reference: nil)
    let run = try plumb(["identify", map, "--at", "1,1"])
    #expect(run.output == "1.0, 1.0: 0 elements\n" && run.status == 0)
    let batch = try plumb(["identify", map, "--points", "-"], input: "x,y\n1,1\n")
    #expect(batch.output == "x,y\n1,1\n" && batch.status == 0)
  }

  @Test func `files outside the map's folder need a flag`() throws {
    let fixture = try Fixture()
    try FileManager.default.createDirectory(
      atPath: fixture.path("in"), withIntermediateDirectories: true)
    try fixture.squares("sq.geojson", [Square(0, 0, #""NAME":"a""#)])
    try fixture.map([fixture.layer("out", "../sq.geojson")], named: "in/map.json")
    let sendRequest = ["identify", fixture.path("in/map.json"), "--at", "1,1", "--format", "json"]
    let run = try plumb(sendRequest)
    #expect(run.status == 1)
    #expect(try run.results[0].first?.error?["message"]?.contains("--allow-outside") == true)
    let allowed = try plumb(sendRequest + ["--allow-outside"])
    #expect(allowed.errors == "")
    #expect(try allowed.results[0].first?.values("NAME") == ["a"])
  }
}

@Suite struct MissingDocumentTests {
  /// JSON without `operationalLayers` is reported as such, even if map options are given.
  @Test(arguments: [[], ["--tolerance", "5m"]]) func jsonThatIsNoMap(options: [String]) throws {
    let fixture = try Fixture()
    try fixture.write("service.json", bytes: Array(#"{"layers": []}"#.utf8))
    let path = fixture.path("service.json")
    let run = try plumb(["identify", path, "--at", "1,2"] + options)
    #expect(run.status == 1 && run.output.isEmpty)
    #expect(
      run.errors
        == "plumb: \(path) is not a map document: the JSON has no operationalLayers, "
        + "which a map document has\n")
  }
}
