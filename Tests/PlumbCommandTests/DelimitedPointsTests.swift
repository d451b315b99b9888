import Foundation
import PlumbTestSupport
import Testing

/// `--points` from comma-, semicolon- and tab-separated text: every row is written, bytes
/// unchanged.
struct DelimitedPointsTests {
  /// Queries the grid at the points of the text and returns the output as bytes.
  private func identify(
    _ text: [UInt8], _ options: [String] = [], name: String = "p.csv"
  ) throws -> (output: [UInt8], run: ProgramRun) {
    let fixture = try Fixture()
    let grid = try fixture.grid()
    try fixture.write(name, bytes: text)
    let run = try plumb(
      ["identify", "g=" + grid, "--points", fixture.path(name), "-o", fixture.path("out." + name)]
        + options)
    let output = try? fixture.bytes("out." + name)
    return (output.map { Array($0) } ?? [], run)
  }

  private func check(
    _ text: String, gives output: String, name: String = "p.csv", _ options: [String] = [],
    location: SourceLocation = #_sourceLocation
  ) throws {
    let result = try identify(Array(text.utf8), options, name: name)
    #expect(
      String(decoding: result.output, as: UTF8.self) == output, "\(result.run.errors)",
      sourceLocation: location)
  }

  @Test func `delimiters are detected from the header`() throws {
    try check("x,y\n0.5,-0.5\n", gives: "x,y,g\n0.5,-0.5,0\n")
    try check("x;y;n\n1.5;-0.5;a,b\n", gives: "x;y;n;g\n1.5;-0.5;a,b;1\n")
    try check("x\ty\n2.5\t-0.5\n", gives: "x\ty\tg\n2.5\t-0.5\t2\n", name: "p.tsv")
  }

  @Test(arguments: [
    "x,y", "X,Y", "lon,lat", "Lon,LAT", "lng,lat", "long,lat", "longitude,latitude",
    "LONGITUDE,Latitude", "easting,northing", "Easting,NORTHING", "\"x\",\" y \"",
  ])
  func `usual names are recognized regardless of case`(header: String) throws {
    try check(header + "\n0.5,-0.5\n", gives: header + ",g\n0.5,-0.5,0\n")
  }

  @Test func `other columns must be named`() throws {
    try check(
      "b,a,x,y\n-0.5,0.5,9,9\n", gives: "b,a,x,y,g\n-0.5,0.5,9,9,0\n", ["--x", "a", "--y", "b"])
    let wrong = try identify(Array("a,b\n1,2\n".utf8), ["--x", "a", "--y", "c"])
    wrong.run.expectRefusal("no column is called c", "a, b")
    let half = try identify(Array("a,b\n1,2\n".utf8), ["--x", "a"])
    half.run.expectRefusal("--x and --y belong together")
    try identify(Array("a,b\n1,2\n".utf8)).run.expectRefusal("no coordinate columns", "a, b")
    let both = try identify(Array("x,y,lon,lat\n1,2,3,4\n".utf8))
    both.run.expectRefusal("several columns", "--x")
  }

  @Test func `quotes, quoted newlines, a byte order mark and CRLF are kept`() throws {
    try check(
      "\u{FEFF}x,y,n\r\n0.5,-0.5,\"a\r\n\"\"b\"\", c\"\r\n\r\n\"1.5\",-0.5,\"\"\r\n2.5,-0.5,z",
      gives: "\u{FEFF}x,y,n,g\r\n0.5,-0.5,\"a\r\n\"\"b\"\", c\",0\r\n\r\n\"1.5\",-0.5,\"\",1\r\n"
        + "2.5,-0.5,z,2\r\n")
  }

  @Test func `ragged and undecodable rows are kept, with warnings that name their lines`() throws {
    let rows =
      "x,y,n\n0.5,-0.5\n0.5,-0.5,a,b\n\nabc,-0.5,c\n,,\nnan,-0.5,e\n1.5,-0.5,\"f\ng\"\n1e999,0,h\n"
    let result = try identify(Array(rows.utf8), ["--status"])
    #expect(
      String(decoding: result.output, as: UTF8.self) == """
        x,y,n,g,g_status
        0.5,-0.5,,,bad_point
        0.5,-0.5,a,,bad_point

        abc,-0.5,c,,bad_point
        ,,,,bad_point
        nan,-0.5,e,,bad_point
        1.5,-0.5,"f
        g",1,ok
        1e999,0,h,,bad_point

        """)
    #expect(result.run.status == 0)
    #expect(
      result.run.errors
        == "plumb: warning: 5 rows have no usable point: lines 2, 5, 6, 7, 10\n"
        + "plumb: warning: 1 row has more fields than the header, and no point is read from it: "
        + "line 3; put quotes around fields that contain the delimiter\n")
    try identify(Array(rows.utf8), ["--strict"]).run.expectRefusalAfterWarnings("bad_point")
  }

  @Test func `bytes that are not UTF-8 are copied to text, and refused by typed formats`()
    throws
  {
    let text = Array("x,y,n\n0.5,-0.5,".utf8) + [0xFF, 0xC3, 0x28, 0x00] + Array("\n".utf8)
    let result = try identify(text)
    let expected =
      Array("x,y,n,g\n0.5,-0.5,".utf8) + [0xFF, 0xC3, 0x28, 0x00] + Array(",0\n".utf8)
    #expect(result.output == expected)
    let converted = try identify(text, ["--of", "tsv"])
    #expect(
      converted.output
        == Array("x\ty\tn\tg\n0.5\t-0.5\t".utf8) + [0xFF, 0xC3, 0x28, 0x00] + Array("\t0\n".utf8))
    try identify(text, ["--of", "jsonl"]).run.expectRefusal("row 1", "--encoding")
  }

  @Test func `an unclosed quote makes the rest one bad row`() throws {
    try check(
      "x,y,n\n0.5,-0.5,a\n1.5,-0.5,\"b\n2.5,-0.5,c\n",
      gives: "x,y,n,g,g_status\n0.5,-0.5,a,0,ok\n1.5,-0.5,\"b\n2.5,-0.5,c\n,,bad_point\n",
      ["--status"])
  }

  @Test func `files without rows`() throws {
    try check("x,y\n", gives: "x,y,g\n")
    try check("x,y", gives: "x,y,g\n")
    try identify([]).run.expectRefusal("empty")
  }

  @Test func `unreadable files are refused by name`() throws {
    let comma = try identify(Array("x;y\n0.5;-0.5\n1,5;-0,5\n".utf8))
    comma.run.expectRefusal("line 3", "1,5", "decimal comma")
    #expect(comma.output.isEmpty)
    // Without this error, a header without rows would look like an empty result.
    let fixture = try Fixture()
    let grid = try fixture.grid()
    for format in ["csv", "tsv", "jsonl", "geojson", "geojsonseq"] {
      let run = try plumb(
        ["identify", grid, "--points", "-", "--of", format], input: "x;y\n1,5;-0,5\n")
      run.expectRefusal("line 2", "decimal comma")
      #expect(run.output.isEmpty, "\(format): \(run.output)")
    }
    let wide = "x,y\n1,2\n".utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    try identify([0xFF, 0xFE] + wide).run.expectRefusal("UTF-16")
    try identify(wide).run.expectRefusal("UTF-16")
    try identify(Array("x,y\r1,2\r".utf8)).run.expectRefusal("carriage return")
    let clash = try identify(Array("x,y,g\n1,2,3\n".utf8))
    clash.run.expectRefusal("has a column g already", "NAME=PATH")
  }

  @Test func `standard input, streams and thread counts give the same`() throws {
    let fixture = try Fixture()
    let grid = try fixture.grid()
    var random = SeededGenerator(seed: 4)
    // Several blocks of a megabyte, with quoted newlines on their borders.
    var text = "id,x,y,note\n"
    for row in 0..<100_000 {
      let x = Double.random(in: -1...5, using: &random)
      let note = row % 3 == 0 ? "\"line\nwith \"\"quotes\"\", \(row)\"" : "plain"
      text += "\(row),\(x),\(Double.random(in: -4...1, using: &random)),\(note)\n"
    }
    try fixture.folder.write("p.csv", text)
    let script = """
      A="identify g=\(grid) -q --status"
      "$PLUMB" $A --points p.csv --threads 1 -o one.csv &&
      "$PLUMB" $A --points p.csv --threads 7 --cache 0 -o seven.csv &&
      "$PLUMB" $A --points - < p.csv > redirected.csv &&
      cat p.csv | "$PLUMB" $A --points - > piped.csv &&
      mkfifo pipe.csv && { cat p.csv > pipe.csv & "$PLUMB" $A --points pipe.csv > fifo.csv; } &&
      for f in seven redirected piped fifo; do cmp one.csv $f.csv || exit 1; done
      """
    let run = try shell(script, folder: fixture.folder.path)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    let output = try fixture.text("one.csv")
    #expect(output.utf8.count { $0 == UInt8(ascii: "\n") } == text.utf8.count { $0 == 10 })
    let stripped = output.replacing(/,-?\d*,(ok|nodata|outside)\n/, with: "\n")
    #expect(stripped == text.replacing("id,x,y,note\n", with: "id,x,y,note,g,g_status\n"))
  }
}

extension ProgramRun {
  /// Checks that a run failed and that its last line contains `words`.
  func expectRefusalAfterWarnings(
    _ words: String, location: SourceLocation = #_sourceLocation
  ) {
    #expect(status == 1, sourceLocation: location)
    let last = errors.split(separator: "\n").last ?? ""
    #expect(last.contains(words) && !last.contains("warning"), sourceLocation: location)
  }
}
