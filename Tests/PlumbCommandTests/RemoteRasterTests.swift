import Foundation
import PlumbTestSupport
import Testing

/// Rasters behind a URL: parts of the file, and no questions for side files that are not there.
struct RemoteRasterTests {
  /// A tiled raster of some megabytes without compression.
  private func fixture() throws -> Fixture {
    let fixture = try Fixture()
    try fixture.raster(
      "big.tif", .int16, width: 1024, bands: [(0..<1024 * 1024).map { Int16($0 % 1024) }],
      options: [("TILED", "YES"), ("BLOCKXSIZE", "256"), ("BLOCKYSIZE", "256")])
    return fixture
  }

  private func run(_ arguments: [String]) throws -> ProgramRun {
    try plumb(arguments)
  }

  @Test(arguments: [true, false])
  func `a URL is read in parts, with few requests`(lists: Bool) throws {
    let fixture = try fixture()
    let server = try RangeServer(folder: fixture.folder.path, lists: lists)
    let run = try run([
      "identify", server.url("big.tif"), "--at", "700.5,-300.5", "--format", "json",
    ])
    #expect(run.status == 0 && run.output.contains("\"Band_0\":700"), "\(run.errors)\(run.output)")
    #expect(run.output.contains("\"name\":\"big\""), "\(run.output)")
    let requests = server.requests
    let bytes = requests.reduce(0) { $0 + $1.byteCount }
    #expect(requests.count <= 6, "\(requests)")
    #expect(bytes < 1_000_000, "\(requests)")
    #expect(!requests.contains { $0.path.contains(".aux") || $0.path.contains(".msk") })
    let info = try self.run(["info", server.url("big.tif")])
    #expect(info.status == 0 && info.output.contains("1024"), "\(info.errors)")
  }

  @Test func `side files are read where the folder lists them`() throws {
    let fixture = try fixture()
    try fixture.folder.write(
      "big.tif.aux.xml",
      "<PAMDataset><PAMRasterBand band=\"1\"><NoDataValue>700</NoDataValue></PAMRasterBand></PAMDataset>"
    )
    for lists in [true, false] {
      let server = try RangeServer(folder: fixture.folder.path, lists: lists)
      try fixture.folder.write("p.csv", "x,y\n700.5,-300.5\n")
      let run = try run([
        "identify", "b=" + server.url("big.tif"), "--points", fixture.path("p.csv"), "--status",
        "-q",
      ])
      #expect(run.lines.last == "700.5,-300.5," + (lists ? ",nodata" : "700,ok"), "\(run.errors)")
      #expect(server.requests.contains { $0.path.hasSuffix(".aux.xml") } == lists)
    }
  }

  @Test func `a query belongs to the URL, and a server without ranges does`() throws {
    let fixture = try fixture()
    let server = try RangeServer(folder: fixture.folder.path)
    let named = try run(["identify", server.url("big.tif?key=a,b"), "--at", "5.5,-0.5"])
    #expect(named.status == 0 && named.output.contains("5"), "\(named.errors)")
    let whole = try RangeServer(folder: fixture.folder.path, hasRanges: false)
    let run = try run(["identify", whole.url("big.tif"), "--at", "700.5,-0.5", "-q"])
    #expect(run.status == 0 && run.output.contains("700"), "\(run.errors)")
    let missing = try self.run(["identify", server.url("none.tif"), "--at", "1,1", "-q"])
    #expect(missing.status == 1 && missing.errors.contains("none.tif"))
  }
}
