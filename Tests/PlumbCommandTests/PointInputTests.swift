import Foundation
import PlumbTestSupport
import Testing

/// Points in tables: names of columns, well-known text, spaces, no header, gzip.
struct PointInputTests {
  /// The raster's cells are one degree; (0.5, -0.5) is 0, (1.5, -0.5) is 1, (2.5, -1.5) is 6.
  private func identify(
    _ text: String, _ options: [String] = [], name: String = "p.csv"
  ) throws -> ProgramRun {
    let fixture = try Fixture()
    try fixture.grid("g.tif")
    try fixture.folder.write(name, text)
    return try plumb(
      ["identify", "g.tif", "--points", name] + options, folder: fixture.folder.path)
  }

  @Test(arguments: [
    ("POINT_X", "POINT_Y"), ("decimalLongitude", "decimalLatitude"), ("lng", "lat"),
    ("longitude_deg", "latitude_deg"), ("Easting", "Northing"), ("eastings", "northings"),
    ("X_COORD", "Y_COORD"), ("location-long", "location-lat"), ("gps_lon", "gps_lat"),
  ])
  func `usual column names are known`(x: String, y: String) throws {
    let run = try identify("id,\(y),\(x)\na,-0.5,1.5\n", ["--crs", "4326"])
    #expect(run.output == "id,\(y),\(x),g\na,-0.5,1.5,1\n", "\(run.errors)")
    #expect(run.errors == "")
  }

  @Test func `the most common names have precedence over the others`() throws {
    let run = try identify("POINT_X,POINT_Y,lon,lat,wkt\n9,9,1.5,-0.5,POINT (9 9)\n")
    #expect(run.lines.last?.hasSuffix(",1") == true, "\(run.errors)")
  }

  @Test(arguments: ["geometry", "wkt", "geom", "the_geom", "WKT"])
  func `points in well-known text`(name: String) throws {
    let rows = """
      id,\(name)
      1,POINT (0.5 -0.5)
      2,POINT(1.5 -0.5)
      3,"point z (1.5 -0.5 7)"
      4,POINT ZM (1.5 -0.5 7 8)
      5,SRID=4326;POINT(1.5 -0.5)
      6,POINT EMPTY
      7,"LINESTRING (0 0, 1 1)"
      8,"POLYGON ((0 0, 1 1, 1 0, 0 0))"
      9,
      10,POINT (1 2

      """
    let run = try identify(rows, ["--crs", "4326", "--status"])
    let values = run.lines.dropFirst().map { $0.split(separator: ",").suffix(1).joined() }
    #expect(
      values == ["ok", "ok", "ok", "ok", "ok"] + Array(repeating: "bad_point", count: 5),
      "\(run.output)")
    #expect(run.lines[2] == "2,POINT(1.5 -0.5),1,ok")
    #expect(run.errors.contains("1 row of lines, not points: line 8"))
    #expect(run.errors.contains("1 row of polygons, not points: line 9"))
    #expect(run.errors.contains("3 rows have no usable point: lines 7, 10, 11"))
  }

  @Test func `a CRS in well-known text is used`() throws {
    // 1.5, -0.5 degrees in spherical Mercator.
    let row = "wkt\nSRID=3857;POINT(166979.24 -55660.45)\n"
    #expect(try identify(row).lines == ["wkt,g", "SRID=3857;POINT(166979.24 -55660.45),1"])
    let mixed = try identify(row + "SRID=4326;POINT(1.5 -0.5)\n")
    #expect(mixed.status == 1)
    #expect(mixed.errors.contains("line 3: the point has SRID 4326, the first row's SRID 3857"))
    let named = try identify(
      "wkt\nSRID=4326;POINT(1.5 -0.5)\nSRID=9;POINT(1.5 -0.5)\n", ["--crs", "4326"])
    #expect(named.status == 0 && named.lines.count == 3, "\(named.errors)")
  }

  @Test func `columns between runs of spaces`() throws {
    let run = try identify("x y  name\n0.5 -0.5 a\n 1.5\t -0.5  \"b c\"\n\n9 9 d \n", ["--status"])
    #expect(
      run.output
        == "x y  name g g_status\n0.5 -0.5 a 0 ok\n 1.5\t -0.5  \"b c\" 1 ok\n\n9 9 d  \"\" outside\n",
      "\(run.output)\(run.errors)")
    let json = try identify("x y name\n1.5   -0.5 \"b c\"\n", ["--of", "geojsonseq"])
    #expect(json.output.contains("\"name\":\"b c\",\"g\":1"), "\(json.output)")
  }

  @Test func `without a header, columns by number or the first two`() throws {
    let plain = try identify("0.5 -0.5\n1.5 -0.5\n")
    #expect(plain.output == "0.5 -0.5 0\n1.5 -0.5 1\n")
    #expect(plain.errors.contains("no header: columns 1 and 2 are used as x and y"))
    let numbered = try identify("a,-0.5,0.5\nb,-0.5,1.5\n", ["--x", "3", "--y", "2"])
    #expect(numbered.output == "a,-0.5,0.5,0\nb,-0.5,1.5,1\n", "\(numbered.errors)")
    #expect(numbered.errors == "")
    // Numbers in a header are accepted as names; a row of words is a header.
    let named = try identify("2,1\n0.5,-0.5\n", ["--x", "2", "--y", "1"])
    #expect(named.output == "2,1,g\n0.5,-0.5,0\n")
    let header = try identify("a,b\n0.5,-0.5\n", ["--x", "1", "--y", "2"])
    #expect(header.output == "a,b,g\n0.5,-0.5,0\n")
    let fields = try identify("0.5,-0.5,q\n", ["--of", "geojsonseq"])
    #expect(fields.output.contains("{\"field_1\":0.5,\"field_2\":-0.5,\"field_3\":\"q\",\"g\":0}"))
    #expect(try identify("0.5,-0.5\n", ["--of", "tsv"]).output == "0.5\t-0.5\t0\n")
    try identify("0.5,-0.5\n", ["--x", "1", "--y", "5"]).expectRefusal(
      "no column 5", "numbered 1 to 2")
  }

  @Test(arguments: ["p.csv", "p.csv.gz", "p.tsv.gz", "p.geojson.gz"])
  func `compressed inputs, by name and by their first bytes`(name: String) throws {
    let fixture = try Fixture()
    try fixture.grid("g.tif")
    let rows = (0..<20_000).map { "\(Double($0 % 4) + 0.5),-0.5,\($0)\n" }.joined()
    var text = "x,y,n\n" + rows
    if name.contains("tsv") { text = text.replacingOccurrences(of: ",", with: "\t") }
    if name.contains("geojson") {
      let features = (0..<5000).map {
        "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[\($0 % 4).5,-0.5]},"
          + "\"properties\":{\"n\":\($0)}}"
      }
      text =
        "{\"type\":\"FeatureCollection\",\"features\":[" + features.joined(separator: ",") + "]}"
    }
    try fixture.folder.write("plain", text)
    // Two gzip members, as in concatenated compressed files.
    let packed = try shell(
      "{ head -c 1000 plain | gzip; tail -c +1001 plain | gzip; } > \(name)",
      folder: fixture.folder.path)
    #expect(packed.status == 0)
    for format in ["csv", "geojson"] {
      let sendRequest = "\"$PLUMB\" identify g.tif --of \(format) --points"
      let plain = try shell("\(sendRequest) - < plain", folder: fixture.folder.path)
      let file = try shell("\(sendRequest) \(name)", folder: fixture.folder.path)
      let pipe = try shell(
        "cat \(name) | \(sendRequest) - --types text", folder: fixture.folder.path)
      let plainPipe = try shell("cat plain | \(sendRequest) -", folder: fixture.folder.path)
      #expect(plain.status == 0 && plain.output.utf8.count > 30_000, "\(plain.errors)")
      #expect(file.output == plain.output, "\(file.errors)")
      #expect(pipe.output == plainPipe.output, "\(pipe.errors)")
    }
    let truncated = try shell(
      "head -c 5000 \(name) | \"$PLUMB\" identify g.tif --points - > /dev/null",
      folder: fixture.folder.path)
    truncated.expectRefusal("truncated")
  }

  @Test func `damaged gzip is an error`() throws {
    let fixture = try Fixture()
    try fixture.grid("g.tif")
    try fixture.write("p.csv.gz", bytes: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 1, 2, 3])
    try plumb(["identify", "g.tif", "--points", "p.csv.gz"], folder: fixture.folder.path)
      .expectRefusal("gzip data is damaged")
  }

  @Test func `buffer reads all of these, too`() throws {
    let fixture = try Fixture()
    try fixture.folder.write("w.csv", "id,wkt\n1,SRID=4326;POINT(1 2)\n")
    try fixture.folder.write("n.csv", "1 2\n")
    for arguments in [["w.csv"], ["n.csv", "--crs", "4326"]] {
      let run = try plumb(
        ["buffer"] + arguments + ["--distance", "1", "--unit", "deg", "--of", "csv", "-q"],
        folder: fixture.folder.path)
      #expect(run.output.contains("POLYGON"), "\(run.errors)")
    }
    let packed = try shell(
      "gzip w.csv; \"$PLUMB\" buffer w.csv.gz --distance 1 --unit deg -q",
      folder: fixture.folder.path)
    #expect(packed.output.contains("\"id\":1,\"wkt\":\"SRID"), "\(packed.output)\(packed.errors)")
  }
}
