import Foundation
import PlumbGDAL
import PlumbTestSupport
import Testing

/// Rasters that are placed by control points, alone and in mosaics.
struct ControlPointTests {
  private let fixture = try! Fixture()

  /// Writes a raster of 4 x 4 cells with a control point in each of some grid positions.
  private func write(
    _ name: String, _ points: [(column: Double, row: Double, x: Double, y: Double)]
  ) throws {
    var writer = try RasterWriter(
      path: fixture.path(name), width: 4, height: 4, pixelType: .int16)
    try writer.setControlPoints(
      points.enumerated().map { number, point in
        .init(column: point.column, row: point.row, x: point.x, y: point.y)
      }, reference: "EPSG:4326")
    try writer.write((0..<16).map { Int16($0) })
    try writer.close()
  }

  /// Control points on one line, for which a polynomial cannot be computed.
  private func writeCollinear(_ name: String) throws {
    try write(name, (0..<4).map { (Double($0), Double($0), Double($0), -Double($0)) })
  }

  @Test func `a mosaic does not skip a file whose mapping fails`() throws {
    try writeCollinear("b.tif")
    try fixture.raster("a.tif", .int16, width: 2, bands: [[1, 2, 3, 4] as [Int16]])
    try fixture.raster("c.tif", .int16, width: 4, bands: [(100..<112).map { Int16($0) }])
    let rows = "x,y\n0.5,-0.5\n3.5,-0.5\n50,50\n"
    let arguments = ["identify", "m=" + fixture.path("[abc].tif"), "--points", "-", "--status"]
    let run = try plumb(arguments, input: rows)
    // The file before the faulty file is read. The files after it are not read, because the faulty
    // file may contain any point.
    #expect(
      run.lines.dropFirst()
        == ["0.5,-0.5,1,ok", "3.5,-0.5,,transform_failed", "50,50,,transform_failed"])
    #expect(run.errors.contains("b.tif: its control points or polynomials cannot be used"))
    let strict = try plumb(arguments + ["--strict"], input: rows)
    #expect(strict.status == 1 && strict.errors.contains("transform_failed"), "\(strict)")
    let at = try plumb(["identify", fixture.path("[abc].tif"), "--at", "3.5,-0.5", "--strict"])
    #expect(at.status == 1 && at.errors.contains("transform_failed"), "\(at)")
  }

  @Test func `many points do not repeat the mapping`() throws {
    try writeCollinear("b.tif")
    try fixture.raster("c.tif", .int16, width: 4, bands: [(100..<112).map { Int16($0) }])
    let rows = "x,y\n" + String(repeating: "3.5,-0.5\n", count: 50_000)
    let run = try plumb(
      ["identify", "m=" + fixture.path("[bc].tif"), "--points", "-", "--status"], input: rows)
    #expect(run.lines.count == 50_001 && run.lines.last == "3.5,-0.5,,transform_failed")
  }

  @Test func `longitudes of control points have a period too`() throws {
    try write("g.tif", [(0, 0, 284, 4), (4, 0, 288, 4), (0, 4, 284, 0), (4, 4, 288, 0)])
    for text in ["285.5,3.5", "-74.5,3.5"] {
      let run = try plumb(["identify", fixture.path("g.tif"), "--at", text])
      #expect(run.lines.contains("  Band_0: 1"), "\(run)")
    }
    let off = try plumb(["identify", fixture.path("g.tif"), "--at", "-80,3.5"])
    #expect(off.lines.contains("  Status: outside"), "\(off)")
  }
}
