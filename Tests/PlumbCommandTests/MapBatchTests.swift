import Foundation
import PlumbTestSupport
import Testing

/// `identify MAP.json --points`: columns, names, formats.
struct MapBatchTests {
  private static let points = "id,x,y\n1,0.5,0.5\n2,1.5,1.5\n3,9,9\n"

  private func batch(
    _ fixture: Fixture, _ map: String, _ points: String = Self.points, _ options: [String] = []
  ) throws -> ProgramRun {
    try fixture.folder.write("p.csv", points)
    return try plumb(["identify", map, "--points", fixture.path("p.csv")] + options)
  }

  @Test func `a layer's count and fields follow, with the layers from the top`() throws {
    let fixture = try Fixture()
    try fixture.pair()
    try fixture.grid("g.tif")
    let raster = #"{"id":"g","title":"grid","layerType":"RasterLayer","url":"g.tif"}"#
    let map = try fixture.map([
      raster, fixture.layer("sq", "sq.geojson", title: "Squares"),
      fixture.layer("top", "sq.geojson", more: #""layerDefinition":"N = 1""#),
    ])
    let run = try batch(fixture, map, Self.points + "4,2.5,-0.5\n")
    #expect(
      run.output == """
        id,x,y,top.count,top.NAME,top.N,Squares.count,Squares.NAME,Squares.N,grid
        1,0.5,0.5,1,low,1,1,low,1,
        2,1.5,1.5,1,low,1,2,high,2,
        3,9,9,0,,,0,,,
        4,2.5,-0.5,0,,,0,,,2

        """)
    let more = try batch(fixture, map, "x,y\n2.5,-0.5\n", ["--status", "--provenance"])
    #expect(more.lines[0].hasSuffix(",grid,grid_status,grid_file,grid_row,grid_column"))
    #expect(more.lines[1].hasSuffix("/g.tif,0,2"))
  }

  @Test func `all hits are counted, regardless of the maximum number of results`() throws {
    let fixture = try Fixture()
    let map = try fixture.pair()
    let plain = try batch(fixture, map)
    for limit in ["1", "2", "all"] {
      #expect(
        try batch(fixture, map, Self.points, ["--max-results", limit]).output == plain.output)
    }
  }

  @Test func `two layers with the same title are named by their ids`() throws {
    let fixture = try Fixture()
    try fixture.pair()
    try fixture.folder.write(
      "service.json",
      #"{"layers":[{"id":3,"name":"Same","type":"Feature Layer","source":"sq.geojson"}]}"#)
    let map = try fixture.map([
      fixture.layer("a", "sq.geojson", title: "Same"), fixture.layer("b", "sq.geojson"),
      #"{"id":"s","layerType":"ArcGISMapServiceLayer","url":"service.json"}"#,
    ])
    let run = try batch(fixture, map)
    #expect(
      run.lines[0] == "id,x,y,s/3.count,s/3.NAME,s/3.N,b.count,b.NAME,b.N,a.count,a.NAME,a.N")
  }

  @Test func `names that clash with those of the input are refused`() throws {
    let fixture = try Fixture()
    let map = try fixture.pair()
    for name in ["Squares.count", "Squares.NAME"] {
      let run = try batch(fixture, map, "x,y,\(name)\n1,1,a\n")
      run.expectRefusal(
        "plumb: the input has a column \(name) already; give the layer another title in the map\n")
      #expect(run.output == "")
    }
    // The results are in a separate member, not among the input's columns.
    let lines = try batch(fixture, map, "x,y,Squares.count\n1,1,a\n", ["--of", "jsonl"])
    #expect(lines.status == 0 && lines.errors == "")
  }

  @Test func `a field named count has its own column`() throws {
    let fixture = try Fixture()
    try fixture.squares("sq.geojson", [Square(0, 0, #""count":7,"count_2":8,"COUNT":9"#)])
    let map = try fixture.map([fixture.layer("sq", "sq.geojson")])
    let run = try batch(fixture, map, "x,y\n1,1\n")
    #expect(run.output == "x,y,sq.count,sq.count_3,sq.count_2,sq.COUNT\n1,1,1,7,8,9\n")
    #expect(
      run.errors == "plumb: warning: sq: the column of its field count is called sq.count_3\n")
    let table = try batch(fixture, map, "x,y\n1,1\n", ["-o", fixture.path("o.gpkg")])
    // The columns in formats that ignore the case of column names.
    #expect(
      table.errors == """
        plumb: warning: sq: the column of its field count is called sq.count_3
        plumb: warning: sq: the column of its field COUNT is called sq.COUNT_4

        """)
    #expect(table.status == 0)
  }

  @Test func `text is quoted if the delimiter requires it, null is empty`() throws {
    let fixture = try Fixture()
    let values = [
      #""T":"a, b""#, #""T":"say \"b\"""#, #""T":"two\nlines""#, #""T":"tab\tbed""#, #""T":null"#,
      #""T":"""#, #""T":"a;b""#, #""T":" é🌍 ""#,
    ]
    try fixture.squares(
      "sq.geojson", values.enumerated().map { Square(Double($0) * 10, 0, $1) })
    let map = try fixture.map([fixture.layer("sq", "sq.geojson")])
    let rows = values.indices.map { "\($0 * 10 + 1),1\n" }.joined()
    let comma = try batch(fixture, map, "x,y\n" + rows)
    let counted = (0..<8).map { "\($0 * 10 + 1),1,1," }
    let quoted = [
      "\"a, b\"", "\"say \"\"b\"\"\"", "\"two\nlines\"", "tab\tbed", "", "", "a;b", " é🌍 ",
    ]
    #expect(
      comma.output
        == "x,y,sq.count,sq.T\n" + zip(counted, quoted).map { $0 + $1 + "\n" }.joined())
    let tabs = try batch(fixture, map, "x,y\n" + rows, ["--of", "tsv"])
    let tabbed = [
      "a, b", "\"say \"\"b\"\"\"", "\"two\nlines\"", "\"tab\tbed\"", "", "", "a;b", " é🌍 ",
    ]
    #expect(
      tabs.output
        == "x\ty\tsq.count\tsq.T\n"
        + zip(counted, tabbed).map { $0.replacing(",", with: "\t") + $1 + "\n" }.joined())
    let semicolons = try batch(fixture, map, "x;y\n61;1\n")
    #expect(semicolons.output == "x;y;sq.count;sq.T\n61;1;1;\"a;b\"\n")
  }

  @Test func `fields keep their types`() throws {
    let fixture = try Fixture()
    try fixture.squares(
      "sq.geojson",
      [Square(0, 0, #""I":9007199254740993,"R":0.1,"B":true,"J":[1,2],"N":null,"D":"2024-02-29""#)])
    let map = try fixture.map([fixture.layer("sq", "sq.geojson")])
    let csv = try batch(fixture, map, "x,y\n1,1\n9,9\n")
    #expect(csv.lines[0] == "x,y,sq.count,sq.I,sq.R,sq.B,sq.J,sq.N,sq.D")
    #expect(csv.lines[1] == "1,1,1,9007199254740993,0.1,true,\"[1,2]\",,2024-02-29")
    #expect(csv.lines[2] == "9,9,0,,,,,,")
    for format in ["geojsonseq", "geojson"] {
      let run = try batch(fixture, map, "x,y\n1,1\n9,9\n", ["--of", format])
      let features: [[String: Any]]
      if format == "geojson" {
        let whole = try jsonObject(run.output)
        features = try #require(whole["features"] as? [[String: Any]])
      } else {
        features = try run.objects
      }
      #expect(
        features.map { $0["properties"] as? NSDictionary } == [
          try jsonObject(
            """
            {"x":1,"y":1,"sq.count":1,"sq.I":9007199254740993,"sq.R":0.1,"sq.B":true,
             "sq.J":[1,2],"sq.N":null,"sq.D":"2024-02-29"}
            """),
          try jsonObject(
            """
            {"x":9,"y":9,"sq.count":0,"sq.I":null,"sq.R":null,"sq.B":null,"sq.J":null,
             "sq.N":null,"sq.D":null}
            """),
        ])
    }
  }

  @Test func `a GeoPackage has the columns with their types`() throws {
    let fixture = try Fixture()
    let map = try fixture.pair()
    let run = try batch(fixture, map, Self.points, ["-o", fixture.path("out.gpkg")])
    #expect(run.status == 0 && run.errors == "")
    // The output is used as the points of another run: the columns keep their types.
    let again = try plumb([
      "identify", map, "--layer", "sq", "--points", fixture.path("out.gpkg"), "--of", "jsonl",
    ])
    #expect(
      try again.objects.map { $0["input"] as? NSDictionary } == [
        try jsonObject(
          #"{"id":1,"x":0.5,"y":0.5,"Squares.count":1,"Squares.NAME":"low","Squares.N":1}"#),
        try jsonObject(
          #"{"id":2,"x":1.5,"y":1.5,"Squares.count":2,"Squares.NAME":"high","Squares.N":2}"#),
        try jsonObject(
          #"{"id":3,"x":9,"y":9,"Squares.count":0,"Squares.NAME":null,"Squares.N":null}"#),
      ])
  }

  @Test func `points are GeoJSON, a GeoJSON sequence, a database or a stream`() throws {
    let fixture = try Fixture()
    let map = try fixture.pair()
    let point = { (x: Double) in
      #"{"type":"Feature","properties":{"k":1},"geometry":{"type":"Point","coordinates":[\#(x),1.5]}}"#
    }
    try fixture.features("p.geojson", [point(0.5), point(1.5)])
    try fixture.folder.write("p.geojsonl", point(0.5) + "\n" + point(1.5) + "\n")
    for name in ["p.geojson", "p.geojsonl"] {
      let run = try plumb(["identify", map, "--points", fixture.path(name), "--of", "csv"])
      #expect(run.output == "k,Squares.count,Squares.NAME,Squares.N\n1,1,low,1\n1,2,high,2\n")
      let same = try plumb(["identify", map, "--points", fixture.path(name)])
      #expect(
        same.output.contains(
          #""properties":{"k":1,"Squares.count":2,"Squares.NAME":"high","Squares.N":2}"#),
        "\(same.output)")
    }
    let piped = try plumb(["identify", map, "--points", "-"], input: Self.points)
    #expect(piped.output == (try batch(fixture, map)).output)
  }

  @Test func `--points-layer names the layer of the locations, --layer that of the map`() throws {
    let fixture = try Fixture()
    let map = try fixture.pair()
    try fixture.folder.write("one.csv", "WKT,k\n\"POINT (0.5 0.5)\",1\n")
    try fixture.folder.write(
      "two.vrt",
      """
      <OGRVRTDataSource>
      <OGRVRTLayer name="one"><SrcDataSource relativeToVRT="1">one.csv</SrcDataSource></OGRVRTLayer>
      <OGRVRTLayer name="two"><SrcDataSource relativeToVRT="1">one.csv</SrcDataSource>
      <SrcLayer>one</SrcLayer></OGRVRTLayer></OGRVRTDataSource>
      """)
    let points = ["identify", map, "--layer", "sq", "--points", fixture.path("two.vrt")]
    let run = try plumb(points + ["--points-layer", "two", "--of", "csv"])
    #expect(run.lines.last?.hasSuffix("1,1,low,1") == true, "\(run.output)\(run.errors)")
    try plumb(points + ["--of", "csv"]).expectRefusal("layers")
    try plumb(points + ["--points-layer", "sq"]).expectRefusal("sq")
  }
}
