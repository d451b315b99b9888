import Foundation
import PlumbTestSupport
import Testing

/// The options of `identify MAP.json`: layers, tolerance and limits.
struct MapOptionTests {
  private static let cape = TestPaths.rasters + "/cape.json"

  private func sendRequest(_ map: String, _ options: [String], at point: String) throws
    -> ProgramRun
  {
    try plumb(["identify", map, "--at=" + point, "--format", "json"] + options)
  }

  /// The number of elements of each layer that has elements, by layer.
  private func counts(_ run: ProgramRun) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for node in try #require(try run.results.first).flatMap(\.all) where !node.elements.isEmpty {
      counts[node.layer["name"] ?? "?"] = node.elements.count
    }
    return counts
  }

  // MARK: Layers

  @Test func `--layer queries a layer, a layer in a group or a sublayer`() throws {
    let fixture = try Fixture()
    try fixture.squares("sq.geojson", [Square(0, 0, #""NAME":"a""#)])
    try fixture.folder.write(
      "service.json",
      """
      {"layers":[{"id":3,"name":"deep","type":"Feature Layer","source":"sq.geojson"},
       {"id":4,"name":"dark","type":"Feature Layer","defaultVisibility":false,"source":"sq.geojson"}]}
      """)
    let group = """
      {"id":"g","title":"Group","layerType":"GroupLayer","layers":[\
      \(fixture.layer("inner", "sq.geojson")),\
      \(fixture.layer("hidden", "sq.geojson", more: #""visibility":false"#))]}
      """
    let service =
      #"{"id":"services","layerType":"ArcGISMapServiceLayer","url":"service.json"}"#
    let map = try fixture.map([fixture.layer("plain", "sq.geojson"), group, service])
    for (id, name, type) in [
      ("plain", "plain", "feature"), ("inner", "inner", "feature"),
      ("services/3", "deep", "sublayer"),
    ] {
      let run = try sendRequest(map, ["--layer", id], at: "1,1")
      let results = try #require(try run.results.first)
      #expect(results.count == 1 && results[0].values("NAME") == ["a"])
      #expect(results[0].layer["name"] == name && results[0].layer["type"] == type)
      #expect(run.errors == "")
    }
    let whole = try sendRequest(map, ["--layer", "g"], at: "1,1")
    #expect(try counts(whole) == ["inner": 1])
    for id in ["hidden", "services/4"] {
      let run = try sendRequest(map, ["--layer", id], at: "1,1")
      #expect(run.status == 0)
      #expect(try run.results[0].isEmpty)
      #expect(
        run.errors
          == "plumb: warning: the layer \(id) is hidden, or not drawn at this scale\n")
    }
    for id in ["nope", "3", "services/9", "services/", "g/inner", ""] {
      try sendRequest(map, ["--layer", id], at: "1,1")
        .expectRefusal("plumb: the map has no layer \(id)\n")
    }
  }

  @Test func `a hidden layer is not an error in a batch either`() throws {
    let fixture = try Fixture()
    let map = try fixture.pair(more: #""visibility":false"#)
    try fixture.folder.write("p.csv", "x,y\n0.5,0.5\n")
    let run = try plumb(
      ["identify", map, "--layer", "sq", "--points", fixture.path("p.csv")])
    #expect(run.status == 0 && run.output == "x,y\n0.5,0.5\n")
    #expect(
      run.errors == "plumb: warning: the layer sq is hidden, or not drawn at this scale\n")
  }

  @Test func `layers are queried within their scale range, limits included`() throws {
    let fixture = try Fixture()
    let map = try fixture.pair(more: #""minScale":100000,"maxScale":1000"#)
    for (scale, count) in [
      ("100000", 1), ("1000", 1), ("50000", 1), ("100000.5", 0), ("999", 0),
    ] {
      let run = try sendRequest(map, ["--scale", scale], at: "0.5,0.5")
      #expect(try run.results[0].count == count, "\(scale)")
    }
    #expect(try sendRequest(map, [], at: "0.5,0.5").results[0].count == 1)
    let alone = try sendRequest(map, ["--scale", "999", "--layer", "sq"], at: "0.5,0.5")
    #expect(alone.errors.contains("not drawn at this scale"))
  }

  // MARK: Limits

  @Test func `--max-results keeps the topmost and reports the cut`() throws {
    let fixture = try Fixture()
    try fixture.squares("sq.geojson", (1...5).map { Square(0, 0, "\"N\":\($0)") })
    let map = try fixture.map([fixture.layer("sq", "sq.geojson")])
    for (limit, values, isTruncated) in [
      ([], ["5"], true), (["--max-results", "3"], ["5", "4", "3"], true),
      (["--max-results", "5"], ["5", "4", "3", "2", "1"], false),
      (["--max-results", "all"], ["5", "4", "3", "2", "1"], false),
      (["--max-results", "1000000000000"], ["5", "4", "3", "2", "1"], false),
    ] {
      let node = try #require(try sendRequest(map, limit, at: "1,1").results[0].first)
      #expect(node.values("N") == values)
      #expect(node.isTruncated == isTruncated)
    }
    let tree = try plumb(["identify", map, "--at", "1,1", "--max-results", "2"])
    #expect(
      tree.lines.prefix(2).map { $0 } == [
        "1.0, 1.0 (EPSG:4326): 2 elements", "  sq (feature): 2 of 5",
      ])
  }

  @Test func `--popups-only omits layers without popups, or refuses a single one`() throws {
    let fixture = try Fixture()
    try fixture.squares("sq.geojson", [Square(0, 0, #""NAME":"a""#)])
    let popup = #""popupInfo":{"title":"Here: {NAME}","fieldInfos":[]}"#
    let map = try fixture.map([
      fixture.layer("bare", "sq.geojson"), fixture.layer("reported", "sq.geojson", more: popup),
    ])
    let results = try #require(try sendRequest(map, ["--popups-only"], at: "1,1").results.first)
    #expect(results.map { $0.layer["id"] } == ["reported"])
    #expect(results[0].elements.isEmpty)
    #expect(
      results[0].popups.map { $0 as NSDictionary }
        == [try jsonObject(#"{"title":"Here: a","text":"","fields":[]}"#)])
    let tree = try plumb(["identify", map, "--at", "1,1", "--popups-only"])
    #expect(
      tree.output == """
        1.0, 1.0 (EPSG:4326): 1 element
          reported (feature): 1
            Here: a

        """)
    let alone = try sendRequest(map, ["--popups-only", "--layer", "reported"], at: "1,1")
    #expect(try alone.results[0].first?.popups.count == 1)
    try sendRequest(map, ["--popups-only", "--layer", "bare"], at: "1,1")
      .expectRefusal("plumb: the layer bare has no popups\n")
  }

  // MARK: Tolerance

  @Test func `a tolerance is in metres along the ground, or in pixels of 1/96 inch`() throws {
    let fixture = try Fixture()
    // A point 1000 m north of the equator's origin, by the length of a degree of the meridian
    // there.
    let degrees = 1000 / 110_574.2758
    try fixture.features(
      "p.geojson",
      [
        """
        {"type":"Feature","properties":{"N":1},
         "geometry":{"type":"Point","coordinates":[0,\(degrees)]}}
        """
      ])
    let map = try fixture.map([fixture.layer("p", "p.geojson")])
    for (tolerance, isHit) in [
      ("0", false), ("999m", false), ("1001m", true), ("1.001km", true), ("0.999km", false),
      ("1001M", true),
    ] {
      let node = try sendRequest(map, ["--tolerance", tolerance], at: "0,0").results[0].first
      #expect((node != nil) == isHit, "\(tolerance)")
      if let distance = node?.elements.first?["distance"] as? Double {
        #expect(abs(distance - 1000) < 0.01)
      }
    }
    // A map in web mercator, whose units are metres at the equator: 100 px of 0.0254/96 m.
    let y = 6_378_137 * asinh(tan(degrees * .pi / 180))
    let scale = y / (100 * 0.0254 / 96)
    let flat = try fixture.map(
      [fixture.layer("p", "p.geojson")], named: "flat.json", reference: #"{"wkid":3857}"#)
    for (tolerance, factor, isHit) in [
      ("100px", 1.001, true), ("100px", 0.999, false), ("50px", 2.002, true),
      ("50px", 1.998, false),
    ] {
      let run = try sendRequest(
        flat, ["--tolerance", tolerance, "--scale", "\(scale * factor)"], at: "0,0")
      #expect(try !run.results[0].isEmpty == isHit, "\(tolerance) \(factor)")
    }
  }

  @Test(arguments: [
    ["--tolerance", "100.5px", "--scale", "1000"], ["--tolerance", "5px"],
    ["--tolerance=-1m"], ["--tolerance=-1px", "--scale", "1000"], ["--tolerance", "5"],
    ["--tolerance", "5mi"], ["--tolerance", "nanm"], ["--tolerance", "m"], ["--tolerance", ""],
    ["--tolerance", "1e999m"], ["--tolerance", "infkm"], ["--tolerance", "1.2.3m"],
    ["--scale", "0"], ["--scale=-1"], ["--scale", "nan"], ["--scale", "inf"], ["--scale", "x"],
    ["--max-results", "0"], ["--max-results=-1"], ["--max-results", "some"],
    ["--where", "N = 1"], ["--format", "text"], ["--scaled"], ["--status"],
  ])
  func `wrong usage exits with 64`(options: [String]) throws {
    let fixture = try Fixture()
    let run = try plumb(["identify", try fixture.pair(), "--at", "1,1"] + options)
    #expect(run.status == 64 && run.output == "", "\(run.errors)")
    #expect(run.errors.hasPrefix("Error: "))
  }

  @Test func `options of maps are refused with rasters, and so are two maps`() throws {
    let fixture = try Fixture()
    let (grid, map) = (try fixture.grid(), try fixture.pair())
    for options in [
      [grid, "--tolerance", "5m"], [grid, "--scale", "5"], [grid, "--max-results", "2"],
      [grid, "--popups-only"], [grid, "--where", "N=1"],
      [grid, "--format", "tree"], [map, grid], [map, map],
    ] {
      let run = try plumb(["identify", "--at", "1,1"] + options)
      #expect(run.status == 64 && run.output == "", "\(options): \(run.errors)")
    }
    // The map must not be read as a raster, although it is not the first argument.
    let behind = try plumb(["identify", grid, map, "--at", "1,1"])
    #expect(behind.status != 0 && behind.output == "")
  }

  @Test func `--explain reports the cost of rasters, and nothing for features`() throws {
    let fixture = try Fixture()
    try fixture.grid("g.tif")
    try fixture.squares("sq.geojson", [Square(0, -2, #""NAME":"a""#)])
    let map = try fixture.map([
      #"{"id":"g","title":"grid","layerType":"RasterLayer","url":"g.tif"}"#,
      fixture.layer("sq", "sq.geojson"),
    ])
    let run = try plumb(["identify", map, "--at", "1,-1", "--explain"])
    #expect(run.errorsWithoutSandbox.hasPrefix("plumb: grid: 1 tiles touched, "))
    #expect(run.errorsWithoutSandbox.filter { $0 == "\n" }.count == 1)
    let same = try plumb(["identify", map, "--at", "1,-1"])
    #expect(same.output == run.output && same.errors == "")
  }

  // MARK: Conditions

  @Test func `--where narrows a layer in addition to its own condition`() throws {
    let fixture = try Fixture()
    try fixture.squares("sq.geojson", (1...6).map { Square(0, 0, "\"N\":\($0)") })
    let definition = #""layerDefinition":{"definitionExpression":"N > 1 OR N = 1 AND N < 0"}"#
    let map = try fixture.map([fixture.layer("sq", "sq.geojson", more: definition)])
    let all = ["--layer", "sq", "--max-results", "all"]
    let run = try sendRequest(map, all + ["--where", "N < 3 OR N = 5"], at: "1,1")
    #expect(try run.results[0].first?.values("N") == ["5", "2"])
    try sendRequest(map, all + ["--where", "N <"], at: "1,1").expectRefusal("plumb: --where: ")
    try sendRequest(map, all + ["--where", "M = 1"], at: "1,1").expectRefusal(
      "plumb: --where: ", "M")
    try sendRequest(map, ["--layer", "no", "--where", "N = 1"], at: "1,1")
      .expectRefusal("plumb: the map has no layer no\n")
  }

  @Test func `--where does not make a broken condition valid`() throws {
    let fixture = try Fixture()
    try fixture.squares("sq.geojson", (1...3).map { Square(0, 0, "\"N\":\($0)") })
    // In parentheses with another condition, it would be valid but have a different meaning.
    let definition = #""layerDefinition":{"definitionExpression":"N = 1) OR (N = 2"}"#
    let map = try fixture.map([fixture.layer("sq", "sq.geojson", more: definition)])
    try sendRequest(map, ["--layer", "sq", "--where", "N = 2"], at: "1,1")
      .expectRefusal("definition expression")
  }
}
