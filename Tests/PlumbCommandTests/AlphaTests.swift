import Foundation
import PlumbCore
import PlumbTestSupport
import Testing

/// The status of rows in which an alpha band makes the other bands transparent.
struct AlphaTests {
  private let rows = "x,y\n0.5,-0.5\n1.5,-0.5\n"

  /// Two cells, the second transparent; the last of the bands is alpha.
  private func write(
    _ fixture: Fixture, _ name: String, bands: Int, left: Double = 0, first: UInt8 = 10,
    alpha: [UInt8] = [255, 0]
  ) throws -> String {
    let colors = (0..<bands - 1).map { band in
      [first + UInt8(band), first + 100 + UInt8(band)]
    }
    return try fixture.raster(
      name, .uint8, width: 2, bands: colors + [alpha], left: left,
      options: [("ALPHA", "YES")] + (bands == 4 ? [("PHOTOMETRIC", "RGB")] : []))
  }

  @Test(arguments: [2, 4])
  func `a transparent cell is masked, regardless of the value of alpha`(bands: Int) throws {
    let fixture = try Fixture()
    let path = try write(fixture, "a.tif", bands: bands)
    let run = try plumb(["identify", path, "--points", "-", "--status"], input: rows)
    let colors = (0..<bands - 1).map { "\(10 + $0)" }.joined(separator: ",")
    let commas = String(repeating: ",", count: bands - 2)
    #expect(run.lines.dropFirst() == ["0.5,-0.5,\(colors),255,ok", "1.5,-0.5,\(commas),0,masked"])
    // If only alpha is queried, it is treated as any other band.
    let alpha = try plumb(
      ["identify", path, "--points", "-", "--status", "-b", "\(bands)"], input: rows)
    #expect(alpha.lines.dropFirst() == ["0.5,-0.5,255,ok", "1.5,-0.5,0,ok"])
  }

  @Test func `the next tile of a mosaic is read where one is transparent`() throws {
    let fixture = try Fixture()
    _ = try write(fixture, "a1.tif", bands: 4)
    _ = try write(fixture, "a2.tif", bands: 4, first: 20, alpha: [255, 255])
    let run = try plumb(
      ["identify", fixture.path("a*.tif"), "--points", "-", "--status"], input: rows)
    #expect(
      run.lines.dropFirst() == ["0.5,-0.5,10,11,12,255,ok", "1.5,-0.5,120,121,122,255,ok"])
  }

  @Test func `a summary counts transparent rows as masked`() throws {
    let fixture = try Fixture()
    let path = try write(fixture, "a.tif", bands: 4)
    let run = try plumb(["identify", path, "--points", "-", "--explain"], input: rows)
    #expect(run.errors.contains("1 masked"), "\(run)")
  }
}
