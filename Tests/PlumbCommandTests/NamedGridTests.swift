import Foundation
import PlumbTestSupport
import Testing

/// A GeoTIFF whose CRS names a file outside the folder of its document.
@Suite struct NamedGridTests {
  /// Plumb could read the cells without the CRS, at the wrong places.
  @Test func rastersOfDocuments() throws {
    let fixture = try Fixture()
    try fixture.raster(
      "grid.tif", .uint8, bands: [[UInt8](repeating: 7, count: 16)], left: 17, top: -32,
      reference: "+proj=longlat +ellps=bessel +nadgrids=@/absent/g.gsb +no_defs")
    try fixture.folder.write(
      "map.json",
      #"{"operationalLayers":[{"id":"g","layerType":"RasterLayer","url":"grid.tif"}],"version":"2.31"}"#
    )
    try fixture.folder.write(
      "items.json",
      #"{"type":"Feature","stac_version":"1.0.0","id":"i","geometry":null,"properties":"#
        + #"{"datetime":"2026-01-01T00:00:00Z"},"links":[],"assets":{"g":{"href":"grid.tif"}}}"#)
    for input in [[fixture.path("map.json")], [fixture.path("items.json#g")]] {
      let run = try ProgramRun(
        TestPaths.program("plumb"), ["identify"] + input + ["--at", "18.5,-33.5"])
      #expect(run.status == 1, "\(run)")
      #expect(run.errors.contains("its CRS names"), "\(run)")
      #expect(!run.output.contains(" 7"), "\(run)")
    }
  }
}
