import Foundation
import PlumbTestSupport
import Testing

/// Invalid or malformed fences are reported by name.
@Suite struct MonitorFlawTests {
  let scene: MonitorScene

  init() throws { scene = try MonitorScene() }

  @Test("a bow tie is used, with a warning that names it") func bowTie() throws {
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

  @Test("a run without a valid fence fails") func noFence() throws {
    try scene.folder.write(
      "none.geojson",
      """
      {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"NAME":"Gone","id":7},
      "geometry":null}]}
      """)
    let run = try scene.run(["--fences", "none.geojson"])
    #expect(run.status == 1)
    #expect(run.errors.contains("plumb: warning: no fence is valid"), "\(run.errors)")
    let both = try scene.run(["--fences", "none.geojson", "--fences", "fences.geojson"])
    #expect(both.status == 0, "\(both.errors)")
  }

  @Test("an area across 180 degrees includes fences on both sides") func acrossAntimeridian() throws
  {
    func square(_ name: String, _ west: Double) -> String {
      """
      {"type":"Feature","properties":{"NAME":"\(name)"},"geometry":{"type":"Polygon","coordinates":\
      [[[\(west),0],[\(west + 1),0],[\(west + 1),1],[\(west),1],[\(west),0]]]}}
      """
    }
    let squares = [("w", -179.0), ("e", 178), ("far", 10), ("beyond", 181)]
    try scene.folder.write(
      "f.geojson",
      #"{"type":"FeatureCollection","features":["#
        + squares.map { square($0.0, $0.1) }.joined(separator: ",") + "]}")
    let walk = squares.enumerated().map { "\($0),a,\($1.1 + 0.5),0.5\n" }.joined()
    try scene.folder.write("walk.csv", "time,id,lon,lat\n" + walk)
    let run = try scene.run(
      ["--fences", "f.geojson", "--area", "177,-1,-177,2", "--rule", "enter"], feed: "walk.csv")
    #expect(run.status == 0, "\(run.errors)")
    let names = ["w", "e", "far", "beyond"].filter { run.output.contains("\"\($0)\"") }
    #expect(names == ["w", "e", "beyond"], "\(run.output)")
  }

  @Test("a truncated raster is named if a location is in the missing part") func truncated()
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
