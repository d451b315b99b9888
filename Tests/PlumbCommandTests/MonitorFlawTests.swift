import Foundation
import PlumbTestSupport
import Testing

/// Fences that cannot be read, or are not well formed, are named.
@Suite struct MonitorFlawTests {
  let scene: MonitorScene

  init() throws { scene = try MonitorScene() }

  @Test("a bow-tie is used, with a warning that names it") func bowTie() throws {
    try scene.folder.write(
      "bow.geojson",
      """
      {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"NAME":"Tie","id":7},
      "geometry":{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]}}]}
      """)
    let run = try scene.run(["--fences", "bow.geojson"])
    #expect(run.status == 0)
    #expect(run.errors.contains("plumb: warning: fence 7 (Tie): its area is not well formed"))
  }

  @Test("a truncated raster is named where a location falls on what is missing") func truncated()
    throws
  {
    let fixture = try Fixture()
    let cells = (0..<128 * 128).map { Int16(truncatingIfNeeded: $0 % 7) }
    try fixture.raster(
      "whole.tif", .int16, width: 128, bands: [cells],
      options: [("TILED", "YES"), ("BLOCKXSIZE", "16"), ("BLOCKYSIZE", "16")])
    let bytes = try fixture.bytes("whole.tif")
    try fixture.write("cut.tif", bytes: [UInt8](bytes.prefix(bytes.count / 2)))
    try fixture.folder.write("walk.csv", "time,x,y\n1,1,-1\n2,80,-85\n3,2,-2\n")
    let run = try plumb(
      ["monitor", "--feed", "walk.csv", "--raster-fence", "cut.tif: $value >= 0"],
      folder: fixture.folder.path)
    #expect(run.errors.contains("cut.tif cannot be read at"), "\(run.errors)")
  }
}
