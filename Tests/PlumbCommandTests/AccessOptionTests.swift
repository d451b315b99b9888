import Foundation
import PlumbTestSupport
import Testing

/// The sandbox for a file that the user names: its error names the option that lifts it, and every
/// verb that opens such files has that option.
struct AccessOptionTests {
  /// Two points of a view that counts with a recursive query. The sandbox rejects the query.
  private func fixture() throws -> Fixture {
    let fixture = try Fixture()
    try SQLiteFile.package(
      at: fixture.path("p.gpkg"),
      "CREATE VIEW v AS WITH RECURSIVE c(i) AS (SELECT 1 UNION SELECT i + 1 FROM c WHERE i < 2) "
        + "SELECT i AS fid, geom, n FROM pts JOIN c ON c.i = pts.fid", layers: ["v"])
    try fixture.grid("grid.tif")
    try fixture.folder.write("track.csv", "time,x,y\n1,0,0\n2,1,2\n")
    return fixture
  }

  private static let runs = [
    "buffer p.gpkg --layer v --distance 1 --unit deg --of csv",
    "monitor --feed track.csv --fences p.gpkg:v --buffer 10",
    "eval $feature.n --feature p.gpkg:v", "eval $fencefeature.n --fence p.gpkg:v",
    "identify grid.tif --points p.gpkg --points-layer v --of csv",
  ]

  @Test(arguments: runs)
  func `the user can allow what the sandbox refuses`(run: String) throws {
    let fixture = try fixture()
    let words = run.split(separator: " ").map(String.init)
    let refused = try plumb(words, folder: fixture.folder.path, isSpawned: true)
    refused.expectRefusal("p.gpkg is refused: its view c has a recursive query", "--allow-outside")
    let allowed = try plumb(
      words + ["--allow-outside"], folder: fixture.folder.path, isSpawned: true)
    #expect(allowed.status == 0, "\(allowed.errors)")
    #expect(allowed.output.split(separator: "\n").count >= 1)
    #expect(allowed.output.contains("a") && !allowed.output.isEmpty)
  }

  /// A file may use PROJ's own database as its source. Its SQL is restricted there too.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/share/proj/proj.db")))
  func `SQL on PROJ's database is restricted`() throws {
    let fixture = try fixture()
    try fixture.folder.write(
      "p.vrt",
      """
      <OGRVRTDataSource><OGRVRTLayer name="a"><SrcDataSource>/usr/share/proj/proj.db</SrcDataSource>
      <SrcSQL>WITH RECURSIVE c(i) AS (SELECT 1 UNION SELECT i + 1 FROM c WHERE i &lt; 3) SELECT i FROM c</SrcSQL>
      <GeometryType>wkbNone</GeometryType></OGRVRTLayer></OGRVRTDataSource>
      """)
    let words = ["eval", "$feature.i", "--feature", "p.vrt"]
    try plumb(words, folder: fixture.folder.path, isSpawned: true)
      .expectRefusal("p.vrt is refused: its view c has a recursive query", "--allow-outside")
    let allowed = try plumb(
      words + ["--allow-outside"], folder: fixture.folder.path, isSpawned: true)
    #expect(allowed.status == 0 && allowed.output == "1\n2\n3\n", "\(allowed)")
  }

  /// A raster with a network address, as the fence of a monitor.
  @Test func `a raster fence may use the network if that is allowed`() throws {
    let listener = try LoopbackListener()
    let fixture = try fixture()
    try fixture.folder.write(
      "away.vrt",
      """
      <VRTDataset rasterXSize="4" rasterYSize="3"><SRS>EPSG:4326</SRS>
      <GeoTransform>0,1,0,3,0,-1</GeoTransform><VRTRasterBand dataType="Byte" band="1">
      <SimpleSource><SourceFilename relativeToVRT="0">/vsicurl/\(listener.url)</SourceFilename>
      <SourceBand>1</SourceBand></SimpleSource></VRTRasterBand></VRTDataset>
      """)
    let words = [
      "monitor", "--feed", "track.csv", "--raster-fence", "away.vrt: $value > 0",
    ]
    _ = try plumb(words, folder: fixture.folder.path, isSpawned: true)
    #expect(listener.count == 0)
    _ = try plumb(words + ["--allow-outside"], folder: fixture.folder.path, isSpawned: true)
    #expect(listener.count > 0)
  }

  /// A few lines that expand to a gigabyte, as with GDAL's NAS driver.
  @Test(arguments: ["info", "buffer --distance 1", "identify --at 0,0", "eval 1 --feature"])
  func `XML with nested entities is refused at once`(verb: String) throws {
    let fixture = try Fixture()
    var entities = "<!ENTITY e0 'lollollol'>"
    for level in 1..<10 {
      let parts = String(repeating: "&e\(level - 1);", count: 10)
      entities += "\n <!ENTITY e\(level) \"\(parts)\">"
    }
    let text = """
      <?xml version="1.0" encoding="utf-8"?>
      <!DOCTYPE lolz [\(entities)]>
      <AX_Bestandsdatenauszug xmlns="http://www.adv-online.de/namespaces/adv/gid/6.0">&e9;\
      </AX_Bestandsdatenauszug>
      """
    try fixture.folder.write("bomb.xml", text)
    let wide = Data([0xFF, 0xFE]) + text.data(using: .utf16LittleEndian)!
    try wide.write(to: URL(fileURLWithPath: fixture.path("wide.xml")))
    for name in ["bomb.xml", "wide.xml"] {
      let run = try boundedShell("$PLUMB \(verb) \(name)", folder: fixture.folder.path)
      run.expectRefusal("\(name) is refused: it is XML with nested entities")
    }
    // A file with plain entities is accepted.
    try fixture.folder.write(
      "t.gpx",
      """
      <?xml version='1.0'?><!DOCTYPE gpx [<!ENTITY n 'a &amp; b &#33;'>]>
      <gpx version='1.1' xmlns='http://www.topografix.com/GPX/1/1'><wpt lat='1' lon='1'><name>&n;</name>
      </wpt></gpx>
      """)
    let plain = try plumb(
      ["eval", "$feature.name", "--feature", "t.gpx:waypoints"], folder: fixture.folder.path)
    #expect(plain.output == "a & b !\n", "\(plain)")
  }

  @Test(arguments: ["identify", "buffer", "trace", "monitor", "eval", "info"])
  func `the help of every verb describes it`(verb: String) throws {
    let help = try plumb([verb, "--help"]).output.split { $0.isWhitespace }.joined(separator: " ")
    #expect(help.contains("--allow-outside") && help.contains("SQL in files"))
  }
}
