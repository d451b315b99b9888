import PlumbTestSupport
import Testing

/// Files of known formats that cannot be opened directly: the error names the file and the remedy.
@Suite struct UnsupportedFileTests {
  private let fixture: Fixture

  init() throws {
    fixture = try Fixture()
    try fixture.grid("g.tif")
  }

  private func run(_ arguments: String...) throws -> ProgramRun {
    try plumb(arguments, folder: fixture.folder.path)
  }

  @Test func `a file within an archive is named`() throws {
    try ZIPFile.write(
      fixture.path("a.zip"), name: "data/p.csv", head: "id,x,y\n1,1.5,-0.5\n", blanks: 0, tail: "")
    let hint = "a.zip is an archive: name a file in it, for example /vsizip/a.zip/data/p.csv"
    try run("identify", "g.tif", "--points", "a.zip").expectRefusal(hint)
    try run("identify", "g.tif", "--points", "/vsizip/a.zip").expectRefusal(hint)
    try run("buffer", "a.zip", "--distance", "1", "--crs", "EPSG:32634").expectRefusal(hint)
    try run("identify", "a.zip", "--at", "1,1").expectRefusal(hint)
    let inside = try run("identify", "g.tif", "--points", "/vsizip/a.zip/data/p.csv", "--of", "csv")
    #expect(inside.output == "id,x,y,g\n1,1.5,-0.5,1\n", "\(inside)")
    try fixture.map([fixture.layer("a", "a.zip")])
    let map = try run("identify", "map.json", "--at", "1,1")
    #expect(map.errors.contains("is an archive"), "\(map)")
  }

  @Test func `Arrow files without a schema at their start`() throws {
    let start = "ARROW1\0\0"
    try fixture.write("t.arrow", bytes: Array((start + "0123456789" + start).utf8))
    for arguments in [
      ["identify", "g.tif", "--points", "t.arrow"],
      ["buffer", "t.arrow", "--distance", "1", "--crs", "EPSG:32634"],
    ] {
      let run = try plumb(arguments, folder: fixture.folder.path)
      #expect(run.status == 1)
      let isHint = run.errors.contains("t.arrow: the Arrow file has no schema at its start")
      #expect(isHint && run.errors.contains("write an Arrow stream"), "\(run)")
    }
  }

  @Test func `more columns than a GeoPackage can have are refused before anything is written`()
    throws
  {
    let names = (1...1_995).map { "c\($0)" }
    let row = names.map { _ in "1" }
    try fixture.folder.write(
      "p.csv",
      "x,y," + names.joined(separator: ",") + "\n1.5,-0.5," + row.joined(separator: ",") + "\n")
    let identify = ["identify", "g.tif", "--points", "p.csv", "-o"]
    try plumb(identify + ["o.gpkg", "--status"], folder: fixture.folder.path).expectRefusal(
      "GPKG supports 2000 columns", "the output has 1999 columns besides these", "geojson")
    #expect(try fixture.names == ["g.tif", "p.csv"])
    // With one column fewer the output is accepted.
    let fits = try plumb(identify + ["o.gpkg"], folder: fixture.folder.path)
    #expect(fits.status == 0, "\(fits)")
  }
}
