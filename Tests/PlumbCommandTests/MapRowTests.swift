import Foundation
import PlumbTestSupport
import Testing

/// All kinds of queries of a map agree: each row has the same result as its point alone, for any
/// number of rows and threads and any output format.
struct MapRowTests {
  private static let cape = TestPaths.rasters + "/cape.json"

  /// Points over the sample map with four decimal places.
  private static func points(_ count: Int, seed: UInt64) -> [(x: Double, y: Double)] {
    var random = SeededGenerator(seed: seed)
    return (0..<count).map { _ in
      (
        (Double.random(in: 18.2...19.3, using: &random) * 1e4).rounded() / 1e4,
        (Double.random(in: -34.4 ... -33.6, using: &random) * 1e4).rounded() / 1e4
      )
    }
  }

  private static func text(_ points: [(x: Double, y: Double)]) -> String {
    "x,y\n" + points.map { "\($0.x),\($0.y)\n" }.joined()
  }

  @Test(arguments: [
    [], ["--max-results", "all", "--tolerance", "3km"],
    ["--tolerance", "20px", "--scale", "40000"],
    ["--popups-only"], ["--layer", "services", "--scale", "90000", "--tolerance", "50px"],
  ])
  func `a line of jsonl equals the result of --at at its point`(options: [String]) throws {
    let points = Self.points(25, seed: 21)
    let rows = try plumb(
      ["identify", Self.cape, "-q", "--points", "-", "--of", "jsonl"] + options,
      input: Self.text(points))
    let single = try plumb(
      ["identify", Self.cape, "-q", "--format", "json"]
        + points.flatMap { ["--at=\($0.x),\($0.y)"] } + options)
    #expect(rows.status == 0 && single.status == 0, "\(rows.errors)\(single.errors)")
    let (lines, objects) = (try rows.objects, try single.objects)
    #expect(lines.count == 25 && objects.count == 25)
    for (line, object) in zip(lines, objects) {
      var line = line
      line["input"] = nil
      #expect(line as NSDictionary == object as NSDictionary)
    }
    #expect(try single.results.contains { !$0.isEmpty })
  }

  @Test(arguments: [[], ["--tolerance", "2km"], ["--tolerance", "40px", "--scale", "80000"]])
  func `csv has the first element of jsonl, and the count of all`(options: [String]) throws {
    let text = Self.text(Self.points(60, seed: 22))
    let sendRequest = { (more: [String]) in
      try plumb(["identify", Self.cape, "-q", "--points", "-"] + options + more, input: text)
    }
    let csv = try sendRequest([])
    let first = try sendRequest(["--of", "jsonl"]).results
    let all = try sendRequest(["--of", "jsonl", "--max-results", "all"]).results
    let header = csv.lines[0].split(separator: ",").map(String.init)
    var hits = 0
    for (row, line) in csv.lines.dropFirst().enumerated() {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      try #require(fields.count == header.count)
      let values = Dictionary(uniqueKeysWithValues: zip(header, fields))
      for layer in ["wards", "rivers", "places", "dams"] {
        let top = first[row].flatMap(\.all).first { $0.layer["name"] == layer }
        let whole = all[row].flatMap(\.all).first { $0.layer["name"] == layer }
        #expect(values[layer + ".count"] == "\(whole?.elements.count ?? 0)")
        #expect((top?.isTruncated ?? false) == ((whole?.elements.count ?? 0) > 1))
        #expect(top?.values("NAME").first ?? "" == values[layer + ".NAME"])
        #expect(top?.values("NAME").first == whole?.values("NAME").first)
        hits += whole?.elements.count ?? 0
      }
      for layer in ["dem", "land_cover", "cover"] {
        let cell = first[row].flatMap(\.all).first { $0.layer["name"] == layer }
        let value = cell?.values("Band_0").first ?? ""
        #expect((value == "<null>" ? "" : value) == values[layer])
      }
    }
    #expect(hits > 20)
  }

  @Test func `each of many rows in several blocks is the same as alone`() throws {
    let fixture = try Fixture()
    var random = SeededGenerator(seed: 23)
    try fixture.squares(
      "sq.geojson",
      (0..<300).map { number in
        Square(
          Double(Int.random(in: 0..<100, using: &random)),
          Double(Int.random(in: 0..<100, using: &random)),
          side: Double(Int.random(in: 1...8, using: &random)),
          number % 7 == 0 ? #""N":null"# : "\"N\":\(number)")
      })
    _ = try fixture.map([fixture.layer("sq", "sq.geojson")])
    let count = 200_000
    // Cells of unit squares, so that there are many rows but few distinct points.
    let cells = (0..<count).map { _ in
      (Int.random(in: -2..<110, using: &random), Int.random(in: -2..<110, using: &random))
    }
    var text = "id,x,y\n"
    for (row, cell) in cells.enumerated() {
      text += row % 1000 == 999 ? "\(row),none,\(row)\n" : "\(row),\(cell.0).5,\(cell.1).5\n"
    }
    try fixture.folder.write("p.csv", text)
    let script = """
      A="identify map.json -q --points p.csv"
      "$PLUMB" $A --threads 1 -o one.csv && "$PLUMB" $A --threads 4 -o four.csv &&
      head -n 70001 p.csv > fewer.csv && A="identify map.json -q --points fewer.csv" &&
      "$PLUMB" $A --threads 1 -o one.jsonl && "$PLUMB" $A --threads 4 -o four.jsonl &&
      cmp one.csv four.csv && cmp one.jsonl four.jsonl
      """
    let run = try shell(script, folder: fixture.folder.path)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    // The squares of each cell, computed from the file itself.
    let root = try jsonObject(try fixture.text("sq.geojson"))
    let features = try #require(root["features"] as? [[String: Any]])
    var boxes: [(low: [Double], high: [Double], value: String)] = []
    for feature in features {
      let shape = feature["geometry"] as? [String: Any]
      let ring = try #require((shape?["coordinates"] as? [[[Double]]])?.first)
      let value = (feature["properties"] as? [String: Any])?["N"] as? Int
      boxes.append((ring[0], ring[2], value.map { "\($0)" } ?? ""))
    }
    var resultRows: [[String]] = []
    for key in 0..<(112 * 112) {
      let (x, y) = (Double(key / 112 - 2) + 0.5, Double(key % 112 - 2) + 0.5)
      let hits = boxes.filter {
        $0.low[0] < x && x < $0.high[0] && $0.low[1] < y && y < $0.high[1]
      }
      resultRows.append(["\(hits.count)", hits.last?.value ?? ""])
    }
    var expected = "id,x,y,sq.count,sq.N\n"
    for (row, cell) in cells.enumerated() {
      if row % 1000 == 999 {
        expected += "\(row),none,\(row),,\n"
      } else {
        let resultRow = resultRows[(cell.0 + 2) * 112 + cell.1 + 2]
        expected += "\(row),\(cell.0).5,\(cell.1).5,\(resultRow[0]),\(resultRow[1])\n"
      }
    }
    let output = try fixture.text("one.csv")
    #expect(output == expected)
    let lines = try fixture.text("one.jsonl").utf8.count { $0 == UInt8(ascii: "\n") }
    #expect(lines == 70_000)
  }

  @Test func `one row alone has the same text as among many`() throws {
    // For a single point, features are read through a window if the source has an index, and their
    // text is created one by one.
    let points = Self.points(40, seed: 24)
    let many = try plumb(
      ["identify", Self.cape, "-q", "--points", "-"], input: Self.text(points))
    for row in stride(from: 0, to: 40, by: 8) {
      let one = try plumb(
        ["identify", Self.cape, "-q", "--points", "-"], input: Self.text([points[row]]))
      #expect(one.lines == [many.lines[0], many.lines[row + 1]])
    }
  }

  @Test func `a source with its own index gives the same row by row`() throws {
    // Single points read a window of the GeoPackage; many points read all of it.
    let fixture = try Fixture()
    var random = SeededGenerator(seed: 25)
    var centres = "id,x,y\n"
    for row in 0..<300 {
      centres += "\(row),\(Int.random(in: 0...40, using: &random)),"
      centres += "\(Int.random(in: -20...20, using: &random))\n"
    }
    try fixture.folder.write("centres.csv", centres)
    let made = try plumb([
      "buffer", fixture.path("centres.csv"), "--crs", "EPSG:4326", "--distance", "1.5",
      "-o", fixture.path("discs.gpkg"),
    ])
    try #require(made.status == 0, "\(made.errors)")
    let map = try fixture.map([fixture.layer("discs", "discs.gpkg")])
    let points = (0..<30).map { _ in
      (Double.random(in: 0...40, using: &random), Double.random(in: -20...20, using: &random))
    }
    let all = ["identify", map, "--max-results", "all"]
    let rows = try plumb(
      all + ["--points", "-", "--of", "jsonl"],
      input: "x,y\n" + points.map { "\($0.0),\($0.1)\n" }.joined())
    let single = try plumb(
      all + ["--format", "json"] + points.flatMap { ["--at=\($0.0),\($0.1)"] })
    var hits = 0
    for (line, object) in zip(try rows.objects, try single.objects) {
      #expect(line["results"] as? NSArray == object["results"] as? NSArray)
    }
    for results in try single.results {
      let ids = results.first?.values("id").compactMap { Int($0) } ?? []
      #expect(ids == ids.sorted(by: >))
      hits += ids.count
    }
    #expect(hits > 20)
  }

  @Test func `no rows give no rows, however large the layers are`() throws {
    let fixture = try Fixture()
    try fixture.squares(
      "sq.geojson", (0..<20_000).map { Square(Double($0 % 180), Double($0 % 80), "\"N\":\($0)") })
    let map = try fixture.map([fixture.layer("sq", "sq.geojson")])
    for options in [[], ["--strict"], ["--layer", "sq"]] {
      let run = try plumb(["identify", map, "--points", "-"] + options, input: "x,y\n")
      #expect(run.status == 0 && run.output == "x,y,sq.count,sq.N\n" && run.errors == "")
    }
    let json = try plumb(["identify", map, "--points", "-", "--of", "jsonl"], input: "x,y\n")
    #expect(json.status == 0 && json.output == "")
  }

  @Test func `rows without a point are kept with empty values`() throws {
    let fixture = try Fixture()
    let map = try fixture.pair()
    let text = "id,x,y\n1,0.5,0.5\n2,abc,1\n3,,\n4,nan,1\n5,1.5\n6,1.5,1.5\n"
    let csv = try plumb(["identify", map, "--points", "-"], input: text)
    #expect(
      csv.output == """
        id,x,y,Squares.count,Squares.NAME,Squares.N
        1,0.5,0.5,1,low,1
        2,abc,1,,,
        3,,,,,
        4,nan,1,,,
        5,1.5,,,,
        6,1.5,1.5,2,high,2

        """)
    #expect(csv.status == 0)
    #expect(csv.errors == "plumb: warning: 4 rows have no usable point: lines 3, 4, 5, 6\n")
    let lines = try plumb(["identify", map, "--points", "-", "--of", "jsonl"], input: text)
    let results = try lines.results
    #expect(results.map { $0.count } == [1, 1, 1, 1, 1, 1])
    for row in 1...4 {
      #expect(results[row][0].error?["code"] == "bad_point" && results[row][0].elements.isEmpty)
    }
    let strict = try plumb(["identify", map, "--points", "-", "--strict"], input: text)
    strict.expectRefusalAfterWarnings("Squares: 4 rows are bad_point; --strict refuses that")
  }

  @Test func `rows that cannot be transformed to a layer's CRS are empty, reported, and not zero`()
    throws
  {
    let fixture = try Fixture()
    try fixture.squares("sq.geojson", [Square(0, 0, #""NAME":"a""#)])
    // The same square in web mercator, which does not contain latitude 91°.
    let made = try plumb([
      "buffer", fixture.path("sq.geojson"), "--distance", "0", "-o", fixture.path("own.gpkg"),
    ])
    try #require(made.status == 0, "\(made.errors)")
    let side = 222_638.98158654716
    try fixture.features(
      "flat.geojson", [Square(0, 0, side: side, #""NAME":"flat""#).json], crs: 3857)
    let map = try fixture.map([
      fixture.layer("flat", "flat.geojson"), fixture.layer("own", "own.gpkg"),
    ])
    let text = "x,y\n1,1\n1,91\n50,50\n1,-91\nx,1\n"
    let run = try plumb(["identify", map, "--points", "-"], input: text)
    #expect(
      run.output == """
        x,y,own.count,own.NAME,flat.count,flat.NAME
        1,1,1,a,1,flat
        1,91,0,,,
        50,50,0,,0,
        1,-91,0,,,
        x,1,,,,

        """)
    #expect(
      run.errors == """
        plumb: warning: 1 row has no usable point: line 6
        plumb: warning: flat: 2 rows have no coordinates in the layer's CRS

        """)
    let lines = try plumb(["identify", map, "--points", "-", "--of", "jsonl"], input: text)
    #expect(
      try lines.results.map { $0.compactMap { $0.error?["code"] } } == [
        [], ["transform_failed"], [], ["transform_failed"], ["bad_point", "bad_point"],
      ])
    let strict = try plumb(
      ["identify", map, "--points", "-", "--strict"], input: "x,y\n1,1\n1,91\n")
    strict.expectRefusalAfterWarnings("flat: 1 row is transform_failed; --strict refuses that")
    let single = ["identify", map, "--at", "1,1", "--at", "1,91"]
    #expect(try plumb(single + ["--layer", "flat"]).status == 0)
    try plumb(single + ["--strict"])
      .expectRefusal("flat: a point is transform_failed; --strict refuses that")
  }
}
