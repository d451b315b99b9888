import Foundation
import PlumbGDAL
import PlumbTestSupport
import Testing

/// `--points` from GeoJSON and from files that OGR opens.
struct FeaturePointsTests {
  private static let collection = """
    {"type":"FeatureCollection","name":"n","features":[
    {"type":"Feature","id":7,"properties":{"a":1.50,"b":"é\\u0041"},"geometry":\
    {"type":"Point","coordinates":[0.5,-0.5]},"foreign":[1, 2]},
    {"type":"Feature","properties":null,"geometry":null},
    {"type":"Feature","properties":{"b":null},"geometry":{"type":"Point","coordinates":[9,9]}}
    ],"bbox":[0,0,1,1]}
    """

  @Test func `a collection keeps its bytes, its foreign members and its order`() throws {
    let fixture = try Fixture()
    let grid = try fixture.grid()
    try fixture.folder.write("p.geojson", Self.collection)
    let run = try plumb([
      "identify", "g=" + grid, "--points", fixture.path("p.geojson"), "--status",
    ])
    // Blanks around the features are dropped.
    let expected = Self.collection
      .replacing("[\n", with: "[").replacing("\n]", with: "]")
      .replacing("\"b\":\"é\\u0041\"}", with: "\"b\":\"é\\u0041\",\"g\":0,\"g_status\":\"ok\"}")
      .replacing(
        "\"properties\":null", with: "\"properties\":{\"g\":null,\"g_status\":\"bad_point\"}"
      )
      .replacing("{\"b\":null}", with: "{\"b\":null,\"g\":null,\"g_status\":\"outside\"}")
    #expect(run.output.trimmingCharacters(in: .newlines) == expected)
    #expect(run.errors == "plumb: warning: 1 row has no usable point: line 3\n")
    let piped = try plumb(
      ["identify", "g=" + grid, "--points", "-", "--status"], input: Self.collection)
    #expect(piped.output == run.output)
  }

  @Test func `points of an Esri feature set are read, regardless of the file extension`() throws {
    let fixture = try Fixture()
    let grid = try fixture.grid()
    let text = """
      {"displayFieldName":"","geometryType":"esriGeometryPoint","spatialReference":{"wkid":4326},
      "fields":[{"name":"A","type":"esriFieldTypeInteger","alias":"A"}],
      "features":[{"attributes":{"A":3},"geometry":{"x":0.5,"y":-0.5}}]}
      """
    for name in ["p.json", "p.esrijson"] {
      try fixture.folder.write(name, text)
      let run = try plumb([
        "identify", "g=" + grid, "--points", fixture.path(name), "--status", "--of", "csv",
      ])
      #expect(run.status == 0 && run.output.hasSuffix("3,0,ok\n"), "\(run)")
    }
  }

  @Test func `an Esri feature set may begin with its features`() throws {
    let fixture = try Fixture()
    let grid = try fixture.grid()
    let features = """
      "features":[{"geometry":{"x":3.5,"y":-0.5},"attributes":{"A":3,"B":"x, y","X":0.5,"Y":-0.5}},
      {"attributes":{"A":4,"X":1.5,"Y":-0.5},"geometry":{"points":[[0.5,-2.5]]}},
      {"attributes":{"A":5,"X":2.5,"Y":-0.5},"geometry":{"points":[[0,0],[1,1]]}},
      {"attributes":{"A":6,"X":"3.5","Y":"-0.5"}}]
      """
    let head = """
      "geometryType":"esriGeometryPoint","spatialReference":{"wkid":4326},"fields":[\
      {"name":"A","type":"esriFieldTypeInteger"},{"name":"B","type":"esriFieldTypeString"},\
      {"name":"X","type":"esriFieldTypeDouble"},{"name":"Y","type":"esriFieldTypeDouble"}]
      """
    try fixture.folder.write("first.json", "{\(features),\(head)}")
    try fixture.folder.write("last.json", "{\(head),\(features)}")
    try fixture.folder.write("first.esrijson", "{\(features),\(head)}")
    func sendRequest(_ name: String, _ options: [String]) throws -> ProgramRun {
      try plumb(
        ["identify", "g=" + grid, "--points", fixture.path(name), "--status", "--of", "csv"]
          + options)
    }
    for name in ["first.json", "last.json", "first.esrijson"] {
      let run = try sendRequest(name, [])
      #expect(
        run.lines == [
          "A,B,X,Y,g,g_status", "3,\"x, y\",0.5,-0.5,3,ok", "4,,1.5,-0.5,8,ok",
          "5,,2.5,-0.5,,bad_point", "6,,3.5,-0.5,,bad_point",
        ], "\(name): \(run)")
      #expect(run.errors.contains("feature 3") && run.errors.contains("feature 4"), "\(run.errors)")
      let columns = try sendRequest(name, ["--x", "X", "--y", "Y"])
      #expect(columns.lines.map { $0.suffix(4) } == ["atus", "0,ok", "1,ok", "2,ok", "3,ok"])
      let other = try sendRequest(name, ["--layer", "other"])
      other.expectRefusal("no layer \"other\"")
      #expect(
        try sendRequest(name, ["--layer", String(name.prefix { $0 != "." })]).output == run.output)
    }
    // The feature set is read by GDAL directly, if GDAL supports it.
    let known = try VectorPointReader(path: fixture.path("last.json"))
    let rows = try #require(try known.next(limit: 9))
    #expect(rows.count == 4 && rows.x[0] == 3.5 && rows.y[0] == -0.5)
    #expect(Array(rows.values(at: 0)) == [.integer(3), .text("x, y"), .real(0.5), .real(-0.5)])
  }

  @Test func `sequences and single features keep their form`() throws {
    let fixture = try Fixture()
    let grid = try fixture.grid()
    let feature =
      #"{"type":"Feature","properties":{"a":1},"geometry":{"type":"Point","coordinates":[1.5,-0.5]}}"#
    let answered = feature.replacing("\"a\":1", with: "\"a\":1,\"g\":1")
    let sequence = try plumb(
      ["identify", "g=" + grid, "--points", "-", "-q"], input: feature + "\nbroken\n" + feature)
    #expect(sequence.lines.count == 3)
    #expect(sequence.lines[0] == answered && sequence.lines[2] == answered)
    #expect(try sequence.objects[1]["geometry"] is NSNull)
    let single = try plumb(["identify", "g=" + grid, "--points", "-"], input: feature)
    #expect(single.output == answered + "\n")
  }

  @Test func `a crs member is used, before and after the features`() throws {
    let features = """
      "features":[{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":\
      [2059000,-4000000]}}]
      """
    let crs = #""crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::3857"}}"#
    let fixture = try Fixture()
    let ndvi = "ndvi=" + TestPaths.rasters + "/ndvi_cape_town_3857.tif"
    try fixture.folder.write(
      "a.geojson", "{\"type\":\"FeatureCollection\",\(crs),\(features)}")
    try fixture.folder.write(
      "b.geojson", "{\"type\":\"FeatureCollection\",\(features),\(crs)}")
    for name in ["a.geojson", "b.geojson"] {
      for format in ["csv", "geojson"] {
        let run = try plumb([
          "identify", ndvi, "--points", fixture.path(name), "--of", format,
        ])
        #expect(run.output.contains("0.7359"), "\(name) \(run.errors)")
      }
    }
    let piped = try shell(
      "cat b.geojson | \"$PLUMB\" identify '\(ndvi)' --points - -q",
      folder: fixture.folder.path)
    piped.expectRefusal("EPSG", "--crs")
    let explicit = try shell(
      "cat b.geojson | \"$PLUMB\" identify '\(ndvi)' --points - --crs EPSG:3857",
      folder: fixture.folder.path)
    #expect(explicit.output.contains("0.7359"), "\(explicit.errors)")
  }

  @Test func `files that are not GeoJSON are refused`() throws {
    let fixture = try Fixture()
    let grid = try fixture.grid()
    for (text, words) in [
      ("", "empty"), ("[1,2]", "GeoJSON"), ("{\"type\":\"FeatureCollection\"}", "features"),
      ("{\"type\":\"FeatureCollection\",\"features\":[", "ends too early"),
      ("{\"a\":1}", "GeoJSON"),
    ] {
      try fixture.folder.write("p.geojson", text)
      let run = try plumb(["identify", grid, "--points", fixture.path("p.geojson"), "-q"])
      #expect(run.status == 1 && run.errors.contains(words), "\(text): \(run.errors)")
    }
    let columns = ["identify", grid, "--points", "-", "--x", "a", "--y", "b"]
    try plumb(columns, input: #"{"type":"Feature"}"#).expectRefusal("--x and --y")
    let clash = #"{"type":"Feature","properties":{"grid":1},"geometry":null}"#
    try plumb(["identify", grid, "--points", "-", "-q"], input: clash).expectRefusal("grid already")
  }

  /// Each output format is read back: rows, order, attributes and results.
  @Test(arguments: ["csv", "tsv", "jsonl", "geojson", "geojsonseq", "gpkg", "shp", "fgb"])
  func `every format is written from every kind of input, and vector ones read back`(
    ending: String
  ) throws {
    let fixture = try Fixture()
    let grid = try fixture.grid()
    try fixture.folder.write("p.csv", "id,x,y,t\n1,0.5,-0.5,a\n2,1.5,-1.5,\"b,c\"\n3,2.5,-0.5,ü\n")
    func run(_ input: String, _ output: String, _ more: [String] = []) throws {
      let run = try plumb(
        ["identify", "g=" + grid, "--points", fixture.path(input), "-o", fixture.path(output)]
          + ["--status", "-q"] + more)
      #expect(run.status == 0 && run.errors == "", "\(input) -> \(output): \(run.errors)")
    }
    try run("p.csv", "a.\(ending)")
    let sources = ["a.geojson", "a.gpkg", "a.geojsonl"]
    for source in sources where source != "a.\(ending)" { try run("p.csv", source) }
    for source in sources {
      let name = "from_\(source).\(ending)"
      // The first run's results are now columns of the input.
      let again = try plumb([
        "identify", "h=" + grid, "--points", fixture.path(source), "-o", fixture.path(name), "-q",
      ])
      #expect(again.status == 0 && again.errors == "", "\(name): \(again.errors)")
      try check(fixture, name, ending, column: "h")
    }
    try check(fixture, "a.\(ending)", ending, column: "g")
    #expect(try !fixture.names.contains { $0.hasPrefix(".plumb") })
  }

  private func check(_ fixture: Fixture, _ name: String, _ ending: String, column: String) throws {
    if ending == "jsonl" {
      let lines = try fixture.text(name).split(separator: "\n")
      let ids = try lines.map { line in
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return (object?["input"] as? [String: Any])?["id"] as? Int
      }
      #expect(ids == [1, 2, 3])
      return
    }
    // The output is read as points again: the columns of the copy are those that were written.
    var points = name
    if ending == "csv" || ending == "tsv" {
      #expect(try fixture.text(name).split(separator: "\n").count == 4)
    } else {
      points = name + ".csv"
      let copy = try plumb([
        "identify", "z=" + fixture.path("grid.tif"), "--points", fixture.path(name), "-o",
        fixture.path(points), "-q",
      ])
      #expect(copy.status == 0, "\(name): \(copy.errors)")
    }
    let delimiter: Character = points.hasSuffix(".tsv") ? "\t" : ","
    let rows = try fixture.text(points).split(separator: "\n").map {
      $0.split(separator: delimiter, omittingEmptySubsequences: false).map(String.init)
    }
    let index = try #require(rows[0].firstIndex(of: column), "\(name): \(rows[0])")
    let id = try #require(rows[0].firstIndex(of: "id"))
    #expect(rows.dropFirst().map { $0[id] } == ["1", "2", "3"], "\(name)")
    // The second row's text contains a comma, so its columns are counted from the end.
    let fromEnd = rows[0].count - index
    let values = rows.dropFirst().map { $0[$0.count - fromEnd] }
    #expect(values == ["0", "", "2"], "\(name): \(values)")
  }

  @Test func `layers are selected by name`() throws {
    let fixture = try Fixture()
    let grid = try fixture.grid()
    try fixture.folder.write(
      "p.gpx",
      """
      <?xml version="1.0"?><gpx version="1.1" creator="t" \
      xmlns="http://www.topografix.com/GPX/1/1"><wpt lat="-0.5" lon="3.5"><name>w</name></wpt></gpx>
      """)
    let all = try plumb(["identify", grid, "--points", fixture.path("p.gpx")])
    all.expectRefusal("several layers", "waypoints")
    let one = try plumb([
      "identify", "g=" + grid, "--points", fixture.path("p.gpx"), "--layer", "waypoints", "--of",
      "csv",
    ])
    #expect(one.lines.last?.hasSuffix(",3") == true, "\(one.errors)")
    try plumb(["identify", grid, "--points", fixture.path("p.gpx"), "--layer", "w"]).expectRefusal(
      "no layer")
    try fixture.folder.write("p.csv", "x,y\n")
    try plumb(["identify", grid, "--points", fixture.path("p.csv"), "--layer", "w"]).expectRefusal(
      "--layer")
  }
}
