import Foundation
import PlumbTestSupport
import Testing

/// Text in files that do not declare their encoding.
@Suite struct TextEncodingTests {
  /// A Shapefile of one point at (1, 1) whose column NAME contains the bytes; its `.dbf` has no
  /// code page.
  private static func shapefile(_ fixture: Fixture, _ name: [UInt8]) throws {
    func big(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - 8 * $0) & 255) } }
    func little(_ number: Int, _ count: Int = 4) -> [UInt8] {
      (0..<count).map { UInt8(number >> (8 * $0) & 255) }
    }
    func real(_ number: Double) -> [UInt8] { little(Int(bitPattern: UInt(number.bitPattern)), 8) }
    let box = [real(1), real(1), real(1), real(1), real(0), real(0), real(0), real(0)].flatMap {
      $0
    }
    func header(_ words: Int) -> [UInt8] {
      big(9994) + [UInt8](repeating: 0, count: 20) + big(words) + little(1000) + little(1) + box
    }
    try fixture.write(
      "p.shp", bytes: header(64) + big(1) + big(10) + little(1) + real(1) + real(1))
    try fixture.write("p.shx", bytes: header(54) + big(50) + big(10))
    let field =
      Array("NAME".utf8) + [UInt8](repeating: 0, count: 7) + Array("C".utf8)
      + [UInt8](repeating: 0, count: 4) + [8, 0] + [UInt8](repeating: 0, count: 14)
    let start: [UInt8] =
      [3, 126, 1, 1] + little(1) + little(65, 2) + little(9, 2)
      + [UInt8](repeating: 0, count: 20)
    let text = name + [UInt8](repeating: 0x20, count: 8 - name.count)
    try fixture.write("p.dbf", bytes: start + field + [0x0D, 0x20] + text + [0x1A])
    try fixture.map([fixture.layer("p", "p.shp")])
  }

  private static func name(_ fixture: Fixture, _ more: [String] = []) throws -> (String?, String) {
    let run = try plumb(
      [
        "identify", fixture.path("map.json"), "--crs", "EPSG:4326", "--at", "1,1", "--format",
        "json",
      ]
        + more)
    return (try run.results.first?.first?.values("NAME").first, run.errors)
  }

  @Test("text that is not UTF-8 is read as Windows-1252, with a warning; --encoding names another")
  func shapefile() throws {
    let fixture = try Fixture()
    try Self.shapefile(fixture, [0x4B, 0xF6, 0x6C, 0x6E])
    try fixture.folder.write(
      "p.prj",
      #"GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],"#
        + #"PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]"#)
    var (name, errors) = try Self.name(fixture)
    #expect(name == "Köln" && errors.contains("Windows-1252"), "\(name ?? "") \(errors)")
    (name, errors) = try Self.name(fixture, ["--encoding", "CP1250"])
    #expect(name == "Köln" && errors.isEmpty, "\(errors)")
    (name, errors) = try Self.name(fixture, ["--encoding", "CP437"])
    #expect(name == "K÷ln" && errors.isEmpty, "\(name ?? "") \(errors)")
    try plumb([
      "identify", fixture.path("map.json"), "--at", "1,1", "--encoding", "no-such-encoding",
    ]).expectRefusal("no-such-encoding is not an encoding")
  }

  /// A table of points with a Latin-1 second name.
  private static func table(_ fixture: Fixture) throws {
    try fixture.grid()
    try fixture.write(
      "p.csv", bytes: Array("name,x,y\nA,0.5,-0.5\nZ".utf8) + [0xFC] + Array("rich,1.5,-0.5\n".utf8)
    )
  }

  @Test(
    "Bytes that are not UTF-8 are an error of typed outputs, which names row and option",
    arguments: ["gpkg", "geojson", "geojsonl", "jsonl", "fgb"])
  func typedOutputs(_ ending: String) throws {
    let fixture = try Fixture()
    try Self.table(fixture)
    let identify = ["identify", "grid.tif", "--points", "p.csv", "-o", "o." + ending]
    try plumb(identify, folder: fixture.folder.path).expectRefusal("row 2", "UTF-8", "--encoding")
    #expect(try fixture.names == ["grid.tif", "p.csv"])
    #expect(
      try plumb(identify + ["--encoding", "ISO-8859-1"], folder: fixture.folder.path).status == 0)
    let text = String(decoding: try fixture.bytes("o." + ending), as: UTF8.self)
    #expect(text.contains("Z\u{FC}rich"))
  }

  @Test(
    "Areas of Latin-1 rows are an error too, and text output keeps its bytes without an encoding")
  func buffersAndText() throws {
    let fixture = try Fixture()
    try Self.table(fixture)
    let buffer = [
      "buffer", "p.csv", "--crs", "EPSG:32634", "--distance", "5", "-o", "a.geojson",
    ]
    try plumb(buffer, folder: fixture.folder.path).expectRefusal("row 2", "UTF-8", "--encoding")
    let identify = ["identify", "grid.tif", "--points", "p.csv"]
    #expect(try plumb(identify + ["-o", "o.csv"], folder: fixture.folder.path).status == 0)
    #expect(try fixture.bytes("o.csv").contains(0xFC))
    let recoded = try plumb(identify + ["--encoding", "CP1252"], folder: fixture.folder.path)
    #expect(recoded.lines.contains("Z\u{FC}rich,1.5,-0.5,1"), "\(recoded.lines)")
  }

  private static func latin(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
  }

  @Test func `feeds are read in the encoding`() throws {
    let scene = try MonitorScene()
    let feed = Self.latin(
      "entity,timestamp,lon,lat\nZ\u{FC}rich,2026-05-01T10:00:00Z,-0.5,0.5\n"
        + "Z\u{FC}rich,2026-05-01T10:00:10Z,0.5,0.5\n")
    try Data(feed).write(to: URL(fileURLWithPath: scene.folder.path("latin.csv")))
    let options = ["--fences", "fences.geojson", "--encoding", "ISO-8859-1"]
    let run = try scene.run(options, feed: "latin.csv")
    #expect(run.output.contains("Z\u{FC}rich"), "\(run)")
    let piped = try boundedShell(
      "cat latin.csv | \"$PLUMB\" monitor --feed - \(options.joined(separator: " "))",
      folder: scene.folder.path)
    #expect(piped.output.contains("Z\u{FC}rich"), "\(piped)")
  }

  @Test func `tables of valves and their networks are read in the encoding`() throws {
    let fixture = try TraceScene.folder()
    let (inp, valves) = (
      TraceScene.inp.replacing("P3", with: "P\u{FC}"),
      TraceScene.valves.replacing("P3", with: "P\u{FC}")
    )
    let trace = [
      "trace", "net.inp", "--valve-layer", "valves.csv", "--start", "P\u{FC}", "--type",
      "isolation",
    ]
    try fixture.folder.write("net.inp", inp)
    try fixture.folder.write("valves.csv", valves)
    let expected = try plumb(trace, folder: fixture.folder.path)
    #expect(expected.status == 0 && expected.output.contains("P\u{FC}"), "\(expected)")
    try fixture.write("valves.csv", bytes: Self.latin(valves))
    let table = try plumb(trace + ["--encoding", "ISO-8859-1"], folder: fixture.folder.path)
    #expect(table.output == expected.output, "\(table)")
    try fixture.write("net.inp", bytes: Self.latin(inp))
    let both = try plumb(trace + ["--encoding", "ISO-8859-1"], folder: fixture.folder.path)
    #expect(both.output == expected.output, "\(both)")
  }
}
