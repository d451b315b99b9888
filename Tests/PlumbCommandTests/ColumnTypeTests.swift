import Foundation
import PlumbTestSupport
import Testing

/// The types of CSV columns in GeoJSON, GeoPackage and other typed formats.
struct ColumnTypeTests {
  private static let text = """
    lon,lat,n,big,id,price,mixed,word,gone,flag
    0.5,-0.5,1,9007199254740993,007,1.50,1,a,,true
    1.5,-0.5,-20,3,8,2.25,2.5,"b,c",,false
    2.5,-0.5,,4,9,3.00,,,,true

    """

  private func fixture() throws -> Fixture {
    let fixture = try Fixture()
    try fixture.grid("g.tif")
    try fixture.folder.write("p.csv", Self.text)
    return fixture
  }

  private func properties(_ run: ProgramRun) throws -> [String] {
    #expect(run.status == 0, "\(run.errors)")
    return run.lines.map { line in
      String(line[(line.range(of: "\"properties\":")?.upperBound ?? line.startIndex)...])
    }
  }

  @Test func `in a file, numbers that are written back unchanged stay numbers`() throws {
    let fixture = try fixture()
    for verb in [
      ["identify", "g.tif", "--points", "p.csv"],
      ["buffer", "p.csv", "--distance", "1", "--unit", "deg"],
    ] {
      let rows = try properties(
        plumb(verb + ["--of", "geojsonseq"], folder: fixture.folder.path))
      let first =
        "{\"lon\":0.5,\"lat\":-0.5,\"n\":1,\"big\":\"9007199254740993\",\"id\":\"007\","
        + "\"price\":\"1.50\",\"mixed\":1,\"word\":\"a\",\"gone\":\"\",\"flag\":\"true\""
      #expect(rows[0].hasPrefix(first), "\(rows[0])")
      #expect(rows[1].contains("\"n\":-20") && rows[1].contains("\"mixed\":2.5"))
      #expect(rows[2].contains("\"n\":null") && rows[2].contains("\"mixed\":null"))
    }
    let printed = try plumb(
      ["identify", "g.tif", "--points", "p.csv", "--of", "jsonl"], folder: fixture.folder.path)
    #expect(printed.output.contains("\"n\":1,\"big\":\"9007199254740993\""))
  }

  @Test func `a table's columns have the types, and the text is restored`() throws {
    let fixture = try fixture()
    for verb in [
      ["identify", "g.tif", "--points", "p.csv"],
      ["buffer", "p.csv", "--distance", "1", "--unit", "deg"],
    ] {
      let name = verb[0] + ".gpkg"
      let run = try plumb(verb + ["-o", name, "-q"], folder: fixture.folder.path)
      #expect(run.status == 0, "\(run.errors)")
      let back = try plumb(
        ["buffer", name, "--distance", "0", "--unit", "deg", "--of", "geojsonseq", "-q"],
        folder: fixture.folder.path)
      #expect(back.output.contains("\"n\":1,\"big\":\"9007199254740993\",\"id\":\"007\""))
      #expect(back.output.contains("\"lon\":0.5,\"lat\":-0.5"))
      let table = try plumb(
        ["buffer", name, "--distance", "0", "--unit", "deg", "--of", "csv", "-q"],
        folder: fixture.folder.path)
      #expect(table.output.contains("0.5,-0.5,1,9007199254740993,007,1.50,"), "\(table.output)")
    }
  }

  @Test func `types may be given, and text from a pipe is text`() throws {
    let fixture = try fixture()
    func rows(_ options: String) throws -> [String] {
      try properties(
        shell(
          "cat p.csv | \"$PLUMB\" identify g.tif --points - --of geojsonseq \(options)",
          folder: fixture.folder.path))
    }
    #expect(try rows("")[0].hasPrefix("{\"lon\":\"0.5\",\"lat\":\"-0.5\",\"n\":\"1\""))
    let typed = try rows("--types n=int,price=real,id=int,flag=bool")
    #expect(
      typed[0].hasPrefix(
        "{\"lon\":\"0.5\",\"lat\":\"-0.5\",\"n\":1,\"big\":\"9007199254740993\",\"id\":7,"
          + "\"price\":1.5,\"mixed\":\"1\",\"word\":\"a\",\"gone\":\"\",\"flag\":true"),
      "\(typed[0])")
    #expect(typed[2].contains("\"n\":null"))
    let plain = try plumb(
      ["identify", "g.tif", "--points", "p.csv", "--of", "geojsonseq", "--types", "text"],
      folder: fixture.folder.path)
    #expect(try properties(plain)[0].contains("\"n\":\"1\""))
    let one = try plumb(
      ["identify", "g.tif", "--points", "p.csv", "--of", "geojsonseq", "--types", "n=text"],
      folder: fixture.folder.path)
    #expect(try properties(one)[0].hasPrefix("{\"lon\":0.5,\"lat\":-0.5,\"n\":\"1\""))
  }

  @Test func `of a file that was partly read before, the rest is read`() throws {
    let fixture = try fixture()
    try fixture.folder.write("two.csv", "a line\nx,y\n0.5,-0.5\n1.5,-0.5\n")
    let run = try shell(
      "{ head -c 7 > /dev/null; \"$PLUMB\" identify g.tif --points - --of geojsonseq; } < two.csv",
      folder: fixture.folder.path)
    #expect(
      try properties(run) == ["{\"x\":0.5,\"y\":-0.5,\"g\":0}}", "{\"x\":1.5,\"y\":-0.5,\"g\":1}}"])
  }

  @Test func `values that do not fit are errors`() throws {
    let fixture = try fixture()
    func run(_ types: String) throws -> ProgramRun {
      try plumb(
        ["identify", "g.tif", "--points", "p.csv", "--of", "geojsonseq", "--types", types, "-q"],
        folder: fixture.folder.path)
    }
    try run("word=int").expectRefusal("row 1, column word: \"a\" is not an integer")
    try run("price=int").expectRefusal("row 1, column price: \"1.50\" is not an integer")
    try run("none=int").expectRefusal("no column none")
    for wrong in ["n", "n=", "n=date", "=int", "n=int,n=real", ""] {
      #expect(try run(wrong).status == 64, "\(wrong)")
    }
  }
}
