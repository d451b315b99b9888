import PlumbTestSupport
import Testing

/// Unsigned 64-bit cells above the signed range: every output contains the exact value.
@Suite struct UnsignedValueTests {
  private static let value = "18446744073709551615"
  private let fixture: Fixture

  init() throws {
    fixture = try Fixture()
    try fixture.raster("v.tif", .uint64, width: 1, bands: [[UInt64.max]])
    try fixture.folder.write("p.csv", "x,y\n0.5,-0.5\n")
    try fixture.map([
      #"{"id":"v","title":"v","layerType":"RasterLayer","url":"v.tif"}"#
    ])
  }

  @Test(arguments: ["v.tif", "map.json"], ["csv", "tsv", "jsonl", "geojson", "geojsonseq"])
  func `in text`(target: String, format: String) throws {
    let run = try plumb(
      ["identify", target, "--points", "p.csv", "--of", format], folder: fixture.folder.path)
    let isWhole = run.output.split { !$0.isNumber }.contains { $0 == Self.value }
    #expect(run.status == 0 && isWhole && !run.output.contains("\"\(Self.value)\""), "\(run)")
  }

  @Test(arguments: ["gpkg", "fgb", "shp", "sqlite", "kml", "gml"])
  func `in formats of GDAL`(ending: String) throws {
    let write = ["identify", "v.tif", "--points", "p.csv", "-o", "o." + ending]
    let run = try plumb(write, folder: fixture.folder.path)
    #expect(run.status == 0, "\(run)")
    let back = try plumb(
      ["identify", "w=v.tif", "--points", "o." + ending, "--of", "csv"], folder: fixture.folder.path
    )
    #expect(back.lines.last?.split(separator: ",").count { $0 == Self.value } == 2, "\(back)")
  }

  @Test(arguments: [
    ("v.tif", "json"), ("v.tif", "text"), ("map.json", "json"), ("map.json", "tree"),
  ])
  func `at one point`(target: String, format: String) throws {
    let run = try plumb(
      ["identify", target, "--crs", "EPSG:4326", "--at", "0.5,-0.5", "--format", format],
      folder: fixture.folder.path)
    #expect(run.output.contains(Self.value), "\(run)")
  }
}
