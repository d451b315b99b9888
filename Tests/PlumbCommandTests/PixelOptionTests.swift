import Foundation
import PlumbGDAL
import PlumbTestSupport
import Testing

/// semantics.md §1, "A raster without a geotransform": the cells of such a raster are queried only
/// by column and row.
struct PixelOptionTests {
  private let fixture = try! Fixture()

  /// A raster of 4 x 3 numbered cells, without a geotransform.
  private func plain(_ name: String = "p.tif", reference: String? = "EPSG:4326") throws -> String {
    var writer = try RasterWriter(path: fixture.path(name), width: 4, height: 3, pixelType: .int16)
    if let reference { try writer.setReference(reference) }
    try writer.write((0..<12).map { Int16($0) })
    try writer.close()
    return fixture.path(name)
  }

  @Test(arguments: [nil, "EPSG:4326", "EPSG:32634"])
  func `coordinates are refused, cells are not`(reference: String?) throws {
    let path = try plain(reference: reference)
    for point in [["--at", "1.5,1.5"], ["--at", "1.5,1.5", "--crs", "EPSG:4326"]] {
      let run = try plumb(["identify", path] + point)
      run.expectRefusal("p is not georeferenced")
      #expect(run.errors.contains("--pixel"), "\(run.errors)")
    }
    let rows = try plumb(["identify", path, "--points", "-"], input: "lon,lat\n1.5,1.5\n")
    rows.expectRefusal("p is not georeferenced")
    let cell = try plumb(["identify", path, "--pixel", "1,2", "--pixel", "3.9,0.2", "--strict"])
    #expect(cell.status == 0 && cell.errors == "", "\(cell)")
    #expect(cell.lines.filter { $0.hasPrefix("  Band_0") } == ["  Band_0: 9", "  Band_0: 3"])
    let info = try plumb(["info", path])
    #expect(info.output.contains("mapping: not georeferenced"), "\(info.output)")
    #expect(!info.output.contains("geotransform:"))
  }

  @Test func `files of cells have columns for column and row`() throws {
    let path = try plain()
    let rows = "id,column,row\na,0,0\nb,3,2\nc,4,0\nd,0,-1\ne,2.5,1\n"
    let run = try plumb(["identify", path, "--pixels", "-", "--status"], input: rows)
    #expect(
      run.lines == [
        "id,column,row,p,p_status", "a,0,0,0,ok", "b,3,2,11,ok", "c,4,0,,outside",
        "d,0,-1,,outside", "e,2.5,1,6,ok",
      ], "\(run)")
    let named = try plumb(
      ["identify", path, "--pixels", "-", "--x", "i", "--y", "j"], input: "i,j\n1,1\n")
    #expect(named.lines.last == "1,1,5", "\(named)")
    for (arguments, input, words) in [
      ([], "lon,lat\n1,1\n", "no columns of cells"),
      (["--x", "lon", "--y", "lat"], "lon,lat\n1,1\n", "not columns and rows"),
      (["--of", "geojson"], "column,row\n1,1\n", "not a geometry"),
    ] {
      let run = try plumb(["identify", path, "--pixels", "-"] + arguments, input: input)
      run.expectRefusal(words)
    }
    try fixture.write("cells.csv", bytes: Array("column,row\n1,1\n9,9\n".utf8))
    let explained = try plumb(
      ["identify", path, "--pixels", fixture.path("cells.csv"), "--explain"])
    #expect(explained.lines == ["column,row,p", "1,1,5", "9,9,"], "\(explained)")
    #expect(explained.errors.contains("1 ok, 1 outside"), "\(explained)")
    let crs = try plumb(["identify", path, "--pixel", "1,1", "--crs", "EPSG:4326"])
    #expect(
      crs.status == 64 && crs.errors.contains("--crs cannot be combined with --pixel"), "\(crs)")
  }

  @Test func `cells of georeferenced rasters are the same`() throws {
    let path = try fixture.raster("g.tif", .int16, bands: [(0..<12).map { Int16($0) }], left: 18)
    let run = try plumb(["identify", path, "--pixel", "2,1"])
    #expect(run.lines.contains("  Band_0: 6") && run.lines.contains("  Column: 2"), "\(run)")
    let off = try plumb(["identify", path, "--pixel", "18.5,-0.5"])
    #expect(off.lines.contains("  Status: outside") && off.errors.contains("columns 0 to 3"))
    try fixture.raster("h.tif", .int16, bands: [(0..<12).map { Int16($0) }], left: 22)
    try plumb(["identify", fixture.path("[gh].tif"), "--pixel", "2,1"])
      .expectRefusal("has 2 files")
  }

  @Test func `in a map such a raster is an error of its layer`() throws {
    _ = try plain()
    try fixture.write(
      "m.json",
      bytes: Array(
        #"{"operationalLayers":[{"id":"p","layerType":"RasterLayer","url":"p.tif"}]}"#
          .utf8))
    let run = try plumb(
      ["identify", fixture.path("m.json"), "--at", "1.5,1.5", "--of", "json"])
    #expect(run.output.contains("p is not georeferenced"), "\(run)")
    #expect(run.output.contains(#""code":"load_failed""#), "\(run)")
    let cell = try plumb(["identify", fixture.path("m.json"), "--pixel", "1,1"])
    #expect(cell.status == 64 && cell.errors.contains("cells belong to rasters"), "\(cell)")
  }

  @Test func `the hint about x and y needs a raster that contains the points`() throws {
    let path = try fixture.raster("g.tif", .int16, bands: [(0..<12).map { Int16($0) }], left: 60)
    let lost = try plumb(["identify", path, "--points", "-"], input: "lon,lat\n20,120\n")
    #expect(!lost.errors.contains("swapped"), "\(lost.errors)")
    let swapped = try plumb(
      ["identify", path, "--points", "-"], input: "lon,lat\n-1.5,61.5\n")
    #expect(swapped.errors.contains("--x lat --y lon"), "\(swapped.errors)")
  }
}
