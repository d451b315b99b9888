import PlumbTestSupport
import Testing

/// Unusual files of points, and their results.
@Suite struct UnusualPointsTests {
  private func fixture() throws -> Fixture {
    let fixture = try Fixture()
    try fixture.raster("m.tif", .uint8, bands: [(0..<12).map { UInt8($0) }])
    #expect(try shell("mkdir tiles", folder: fixture.folder.path).status == 0)
    try fixture.raster("tiles/a.tif", .uint8, bands: [(0..<12).map { UInt8($0) }])
    try fixture.raster("tiles/b.tif", .uint8, bands: [(0..<12).map { UInt8($0) }], left: 4)
    return fixture
  }

  @Test func `longitudes beyond all periods are outside`() throws {
    let fixture = try fixture()
    let far = ["1e15", "2e18", "5e18", "1e20", "-3.4028235e38", "-1.7976931348623157e308"]
    try fixture.folder.write(
      "p.csv", "lon,lat\n" + far.map { "\($0),-0.5\n" }.joined() + "365.5,-0.5\n-354.5,-0.5\n")
    for raster in ["m=m.tif", "m=tiles"] {
      let run = try boundedShell(
        "\"$PLUMB\" identify \(raster) --points p.csv --status -q", folder: fixture.folder.path)
      let values = run.lines.dropFirst().map { String($0.split(separator: ",", maxSplits: 2)[2]) }
      #expect(run.status == 0, "\(run)")
      #expect(values.prefix(far.count).allSatisfy { $0 == ",outside" }, "\(run)")
      let near = raster == "m=m.tif" ? ",outside" : "1,ok"
      #expect(values.suffix(2) == [near, near], "\(run)")
    }
  }

  @Test(arguments: ["jsonl", "geojson", "geojsonseq", "json"])
  func `columns with the same name are refused where they would be the same member`(format: String)
    throws
  {
    let fixture = try fixture()
    try fixture.folder.write("p.csv", "x,y,n,n\n0.5,-0.5,1,2\n")
    let run = try plumb(
      ["identify", "m.tif", "--points", "p.csv", "--of", format], folder: fixture.folder.path)
    run.expectRefusal("the input has two columns n, which would be the same JSON member")
    let csv = try plumb(["identify", "m.tif", "--points", "p.csv"], folder: fixture.folder.path)
    #expect(csv.output == "x,y,n,n,m\n0.5,-0.5,1,2,0\n")
  }

  @Test func `json is GeoJSON for files of points`() throws {
    let fixture = try fixture()
    try fixture.folder.write("p.csv", "x,y\n0.5,-0.5\n")
    let run = try plumb(
      ["identify", "m.tif", "--points", "p.csv", "--of", "json"], folder: fixture.folder.path)
    #expect(run.status == 0 && run.output.hasPrefix("{\"type\":\"FeatureCollection\""), "\(run)")
  }

  @Test func `a quote that is never closed is named`() throws {
    let fixture = try fixture()
    try fixture.folder.write("p.csv", "x,y,n\n0.5,-0.5,a\n1.5,-0.5,\"b\n2.5,-0.5,c\n")
    let run = try plumb(["identify", "m.tif", "--points", "p.csv"], folder: fixture.folder.path)
    #expect(run.errors.contains("line 3; a quote is not closed there"), "\(run)")
  }

  @Test(arguments: ["", "\r", "\r\n", "\n", "\n\r"])
  func `every row ends with a line end`(end: String) throws {
    let fixture = try fixture()
    try fixture.folder.write("p.csv", "x,y\n0.5,-0.5\n1.5,-0.5" + end)
    let run = try plumb(["identify", "m.tif", "--points", "p.csv"], folder: fixture.folder.path)
    let last = end == "\r\n" || end == "\n\r" ? end : "\n"
    #expect(run.output == "x,y,m\n0.5,-0.5,0\n1.5,-0.5,1" + last, "\(run)")
  }

  @Test func `--forget 0 is refused`() throws {
    let run = try plumb([
      "monitor", "--feed", "f.csv", "--fences", "f.geojson", "--forget", "0",
    ])
    #expect(run.status == 64 && run.errors.contains("--forget 0: a number of seconds above 0"))
  }
}
