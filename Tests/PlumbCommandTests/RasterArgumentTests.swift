import PlumbTestSupport
import Testing

/// The meaning of raster arguments.
struct RasterArgumentTests {
  @Test func `an existing path takes precedence over NAME=PATH`() throws {
    let fixture = try Fixture()
    try fixture.grid("a=b.tif")
    let run = try plumb(["identify", "a=b.tif", "--at", "0.5,-0.5"], folder: fixture.folder.path)
    #expect(run.lines.contains("a=b"))
    #expect(run.lines.contains("  Band_0: 0"))
  }

  @Test func `NAME=PATH splits at the first equals sign`() throws {
    let fixture = try Fixture()
    try fixture.grid("a=b.tif")
    let run = try plumb(["identify", "n=a=b.tif", "--at", "1.5,-0.5"], folder: fixture.folder.path)
    #expect(run.lines.contains("n"))
    #expect(run.lines.contains("  Band_0: 1"))
  }

  @Test(
    "a point is two numbers: spaces round them, none within",
    arguments: ["1 8.6,-34.1", "18.6,-3 4.1", "0.5 ,- 0.5", "0x1,1", "1,2,3", "1"])
  func points(text: String) throws {
    let fixture = try Fixture()
    let grid = try fixture.grid()
    let run = try plumb(["identify", grid, "--at", text])
    #expect(run.status == 64 && run.errors.contains("expected two numbers, X,Y"))
    #expect(try plumb(["identify", grid, "--at", " 0.5 , -0.5 "]).status == 0)
  }

  @Test func `two rasters with the same name are refused, unless a name is given`() throws {
    let fixture = try Fixture()
    let grid = try fixture.grid()
    try plumb(["identify", grid, grid, "--at", "0,0"]).expectRefusal("two rasters", "grid")
    let run = try plumb(["identify", grid, "other=" + grid, "--at", "0.5,-0.5"])
    #expect(run.status == 0)
    #expect(run.lines.contains("grid") && run.lines.contains("other"))
  }

  /// Three tiles: b overlaps a and covers the nodata cells of a; c is to the right.
  private func tiles() throws -> Fixture {
    let fixture = try Fixture()
    try fixture.grid("t_a.tif")
    try fixture.raster("t_b.tif", .int16, bands: [(100..<112).map { Int16($0) }])
    try fixture.raster("t_c.tif", .int16, bands: [(200..<212).map { Int16($0) }], left: 4)
    try fixture.folder.write("notes.txt", "no raster")
    return fixture
  }

  @Test(arguments: ["t_*.tif", ".", "m=t_?.tif", "t_[abc].tif"])
  func `a pattern or a folder is one mosaic of first valid values`(argument: String) throws {
    let fixture = try tiles()
    try fixture.folder.write("p.csv", "x,y\n0.5,-0.5\n1.5,-1.5\n4.5,-0.5\n9,9\n")
    let run = try plumb(
      ["identify", argument, "--points", "p.csv", "--provenance", "--status", "-q"],
      folder: fixture.folder.path)
    let rows = run.lines.map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    #expect(rows.map { $0[2] }.dropFirst() == ["0", "105", "200", ""])
    #expect(rows.map { $0[3] }.dropFirst() == ["ok", "ok", "ok", "outside"])
    let files = rows.dropFirst().map { $0[4].split(separator: "/").last ?? "" }
    #expect(files == ["t_a.tif", "t_b.tif", "t_c.tif", ""])
    #expect(rows.dropFirst().map { "\($0[5]) \($0[6])" } == ["0 0", "1 1", "0 0", " "])
  }

  @Test func `a broken tile is an error, not a hole`() throws {
    let fixture = try tiles()
    try fixture.folder.write("t_d.tif", "no TIFF")
    try plumb(["identify", fixture.folder.path, "--at", "0,0"]).expectRefusal("t_d.tif")
  }

  @Test func `hundreds of tiles need few file descriptors`() throws {
    let fixture = try Fixture()
    for index in 0..<600 {
      try fixture.raster(
        "t\(index).tif", .uint16, width: 1, bands: [[UInt16(index)]], left: Double(index),
        reference: "EPSG:32634")
    }
    let rows = (0..<600).map { "\(Double($0) + 0.5),-0.5" }
    try fixture.folder.write("p.csv", "x,y\n" + rows.reversed().joined(separator: "\n"))
    let run = try shell(
      "ulimit -n 64; \"$PLUMB\" identify '*.tif' --points p.csv", folder: fixture.folder.path)
    #expect(run.errors == "")
    let values = run.lines.dropFirst().map { $0.split(separator: ",").last.flatMap { Int($0) } }
    #expect(values == Array((0..<600).reversed()))
  }

  @Test func `a VRT, a zip and a path in a subfolder are rasters too`() throws {
    let fixture = try Fixture()
    try fixture.grid()
    try fixture.folder.write(
      "v.vrt",
      """
      <VRTDataset rasterXSize="4" rasterYSize="3"><GeoTransform>0,1,0,0,0,-1</GeoTransform>
      <VRTRasterBand dataType="Int16" band="1"><SimpleSource>
      <SourceFilename relativeToVRT="1">grid.tif</SourceFilename><SourceBand>1</SourceBand>
      </SimpleSource></VRTRasterBand></VRTDataset>
      """)
    let vrt = try plumb(["identify", fixture.path("v.vrt"), "--at", "2.5,-1.5"])
    #expect(vrt.lines.contains("  Band_0: 6"))
    let zipped = try shell(
      """
      python3 -c 'import zipfile; zipfile.ZipFile("g.zip", "w").write("grid.tif")' || exit 77
      "$PLUMB" identify /vsizip/g.zip/grid.tif --at 2.5,-1.5
      """, folder: fixture.folder.path)
    #expect(zipped.status == 77 || zipped.lines.contains("  Band_0: 6"))
  }

  @Test func `-b takes bands up to the next option, and a raster among them is a raster`() throws {
    let fixture = try Fixture()
    try fixture.raster(
      "m.tif", .uint8, bands: [(0..<12).map { UInt8($0) }, (20..<32).map { UInt8($0) }])
    try fixture.folder.write("p.csv", "x,y\n0.5,-0.5\n")
    for arguments in [
      ["m.tif", "-b", "2", "1"], ["-b", "2,1", "m.tif"], ["-b", "2", "1", "m.tif"],
    ] {
      let run = try plumb(
        ["identify"] + arguments + ["--points", "p.csv"], folder: fixture.folder.path)
      #expect(run.output == "x,y,m_2,m_1\n0.5,-0.5,20,0\n", "\(arguments) \(run.errors)")
    }
    let missing = ["identify", "m.tif", "-b", "3", "--points", "p.csv"]
    try plumb(missing, folder: fixture.folder.path).expectRefusal("no band 3")
  }

  @Test(arguments: [
    (["identify", "nope.tif", "--at", "1,2"], "no such file: nope.tif"),
    (["identify", "nope*.tif", "--at", "1,2"], "no file matches"),
    (["identify", "p.csv", "--at", "1,2"], "not a raster"),
    (["identify", "empty", "--at", "1,2"], "folder without raster tiles"),
    (["identify", "x=", "--at", "1,2"], "NAME=PATH"),
    (["info", "nope.tif"], "no such file"),
    (
      ["identify", "note.text", "--at", "1,2"],
      "note.text is not a raster that can be opened: no raster driver of GDAL recognizes it"
    ),
    (
      ["buffer", "note.text", "--distance", "1"],
      "note.text is not a vector source that GDAL can open"
    ),
  ])
  func `files that are not rasters are refused in one line`(arguments: [String], words: String)
    throws
  {
    let fixture = try Fixture()
    try fixture.folder.write("p.csv", "x,y\n")
    try fixture.folder.write("note.text", "hello\n")
    let made = try shell("mkdir empty", folder: fixture.folder.path)
    #expect(made.status == 0)
    try plumb(arguments, folder: fixture.folder.path).expectRefusal(words)
  }

  @Test func `control characters in names reach the terminal escaped`() throws {
    let fixture = try Fixture()
    let grid = try fixture.grid()
    let missing = try plumb(["identify", "a\u{1B}[31m\nb.tif", "--at", "1,2"])
    missing.expectRefusal("a\\u{1b}[31m\\nb.tif")
    let named = try plumb(["identify", "a\u{1B}\u{202E}=" + grid, "--at", "0.5,-0.5"])
    #expect(named.lines.contains("a\\u{1b}\\u{202e}"))
    let json = try plumb(["identify", "a\u{1B}\n=" + grid, "--at", "0.5,-0.5", "--format", "json"])
    let result = try #require(try json.objects[0]["results"] as? [[String: Any]])
    #expect((result[0]["layer"] as? [String: Any])?["name"] as? String == "a\u{1B}\n")
  }
}
