import PlumbTestSupport
import Testing

/// Delimited text as other programs write it: `sep=;` before the header, comments, vertical bars,
/// and rows that are longer than the header.
@Suite struct DelimitedDialectTests {
  private let fixture: Fixture

  init() throws {
    fixture = try Fixture()
    try fixture.grid("g.tif")
  }

  private func identify(
    _ text: String, _ options: [String] = [], name: String = "p.csv"
  ) throws -> ProgramRun {
    try fixture.folder.write(name, text)
    return try plumb(
      ["identify", "g.tif", "--points", name] + options, folder: fixture.folder.path)
  }

  // MARK: Before the header

  @Test(arguments: [
    ("sep=;\nn;x;y\na,b;0.5;-0.5\n", "n;x;y;g\na,b;0.5;-0.5;0\n"),
    ("SEP=|\r\nx|y\r\n1.5|-0.5\r\n", "x|y|g\r\n1.5|-0.5|1\r\n"),
    ("\u{FEFF}\"sep=\t\"\nx\ty\n1.5\t-0.5\n", "\u{FEFF}x\ty\tg\n1.5\t-0.5\t1\n"),
    ("x|y|n\n1.5|-0.5|a,b;c\n", "x|y|n|g\n1.5|-0.5|a,b;c|1\n"),
    ("sep=,\n0.5,-0.5\n", "0.5,-0.5,0\n"),
    ("\n \nx,y\n1.5,-0.5\n", "x,y,g\n1.5,-0.5,1\n"),
  ])
  func `a sep line names the delimiter, and vertical bars are delimiters`(
    text: String, output: String
  ) throws {
    let run = try identify(text)
    #expect(run.output == output, "\(run)")
  }

  @Test func `a delimiter from a sep line is preferred to the usual ones`() throws {
    let run = try identify("sep=:\nx:y:n\n1.5:-0.5:a,b,c,d\n")
    #expect(run.output == "x:y:n:g\n1.5:-0.5:a,b,c,d:1\n", "\(run)")
    // A column may be named `#`.
    let column = try identify("x,y,sep=;\n1.5,-0.5,a\n")
    #expect(column.output == "x,y,sep=;,g\n1.5,-0.5,a,1\n", "\(column)")
    let word = try identify("sep=ab\nx,y\n1.5,-0.5\n")
    word.expectRefusal("no coordinate columns", "sep=ab")
  }

  @Test(arguments: [
    // Comments before a header that contain a quote, a blank line and column names.
    ("# from \"a\n\n#lon,lat in degrees\nx,y\n1.5,-0.5\n", 2, "x,y,g\n1.5,-0.5,1\n"),
    // The first line is the header if only that line contains the column names.
    ("#id,x,y\n#7,1.5,-0.5\n", 0, "#id,x,y,g\n#7,1.5,-0.5,1\n"),
    ("# made by hand\n# x, y\n1.5,-0.5\n", 1, "# x, y,g\n1.5,-0.5,1\n"),
    ("# x y\n1.5 -0.5\n", 0, "# x y g\n1.5 -0.5 1\n"),
    ("#x,y\nx,y\n1.5,-0.5\n", 1, "x,y,g\n1.5,-0.5,1\n"),
    // No header: lines that begin with # are not read.
    ("# 2024, 7\n1.5,-0.5\n", 1, "1.5,-0.5,1\n"),
    ("#0.5,-0.5\n1.5,-0.5\n", 1, "1.5,-0.5,1\n"),
    // After the header, # is an ordinary character.
    ("id,x,y\n#1,1.5,-0.5\n#,2.5,-0.5\n", 0, "id,x,y,g\n#1,1.5,-0.5,1\n#,2.5,-0.5,2\n"),
  ])
  func `lines that begin with # are comments, or the header`(
    text: String, count: Int, output: String
  ) throws {
    let run = try identify(text)
    #expect(run.output == output, "\(run)")
    let note =
      count == 1
      ? "a line before the header begins with # and is ignored"
      : "\(count) lines before the header begin with # and are ignored"
    #expect(run.errors.contains(note) == (count > 0), "\(run.errors)")
  }

  @Test func `columns by number allow rows and headers that begin with #`() throws {
    let options = ["--x", "2", "--y", "3"]
    let rows = try identify("#1,1.5,-0.5\n#2,2.5,-0.5\n", options)
    #expect(rows.output == "#1,1.5,-0.5,1\n#2,2.5,-0.5,2\n", "\(rows)")
    let header = try identify("# by hand\n#a,b,c\n1,1.5,-0.5\n", options)
    #expect(header.output == "#a,b,c,g\n1,1.5,-0.5,1\n", "\(header)")
  }

  @Test func `column names omit the # of a header, and line numbers include comments`() throws {
    let run = try identify("# one\n#id,x,y\n1,1.5,-0.5\n2,oops,-0.5\n", ["--of", "jsonl"])
    #expect(run.output.contains("\"input\":{\"id\":"), "\(run)")
    #expect(run.errors.contains("1 row has no usable point: line 4"), "\(run.errors)")
    try identify("# one\n# two\n").expectRefusal("contains only comments")
  }

  @Test func `a pipe is read like a file`() throws {
    let text = "sep=;\n# a\nx;y\n1.5;-0.5\n"
    let run = try plumb(
      ["identify", "g.tif", "--points", "-"], input: text, folder: fixture.folder.path)
    #expect(run.output == "x;y;g\n1.5;-0.5;1\n", "\(run)")
  }

  // MARK: Rows that are too long

  private static let long = """
    x,y,n
    0.5,-0.5,fine
    1.5,-0.5,hello, world
    1.5,-0.5,a,b,c
    1.5,-0.5,"d, e"

    """

  @Test func `rows with more fields than the header are counted, and columns keep their positions`()
    throws
  {
    let warning =
      "plumb: warning: 2 rows have more fields than the header, and no point is read from them: "
      + "lines 3, 4; put quotes around fields that contain the delimiter\n"
    let csv = try identify(Self.long, ["--status"])
    #expect(
      csv.output == """
        x,y,n,g,g_status
        0.5,-0.5,fine,0,ok
        1.5,-0.5,hello,,bad_point
        1.5,-0.5,a,,bad_point
        1.5,-0.5,"d, e",1,ok

        """)
    #expect(csv.status == 0 && csv.errors == warning, "\(csv.errors)")
    let tsv = try identify(Self.long, ["--of", "tsv"])
    #expect(tsv.lines.map { $0.filter { $0 == "\t" }.count } == [3, 3, 3, 3, 3], "\(tsv)")
    let spaced = try identify("x y n\n1.5  -0.5 a b\n", name: "p.txt")
    #expect(spaced.output == "x y n g\n1.5  -0.5 a \"\"\n", "\(spaced)")
    let strict = try identify(Self.long, ["--strict", "-o", "o.csv"])
    #expect(strict.status == 1 && strict.errors.hasPrefix(warning), "\(strict)")
    #expect(try fixture.names == ["g.tif", "p.csv", "p.txt"])
  }

  @Test func `areas of such rows are omitted, with the first of them named`() throws {
    try fixture.folder.write("p.csv", Self.long)
    let buffer = ["buffer", "p.csv", "--crs", "EPSG:32634", "--distance", "5", "--of", "csv"]
    let run = try plumb(buffer, folder: fixture.folder.path)
    #expect(run.errors.contains("row 2 (line 3): it has 4 fields, but the header has 3"), "\(run)")
    let strict = try plumb(buffer + ["--strict"], folder: fixture.folder.path)
    strict.expectRefusal("row 2 (line 3)", "--strict")
  }

  // MARK: Feeds and valves

  @Test func `feeds are read the same way`() throws {
    let scene = try MonitorScene()
    let rows = "a;2026-05-01T10:00:00Z;-0.5;0.5\na;2026-05-01T10:00:10Z;0.5;0.5\n"
    let bars = rows.replacing(";", with: "|")
    for feed in [
      "sep=;\nid;time;lon;lat\n" + rows, "id|time|lon|lat\n" + bars,
      "# a track\n#id;time;lon;lat\n" + rows, "# id;time;lon;lat\nid;time;lon;lat\n" + rows,
    ] {
      #expect(try scene.brief(feed: "-", input: feed) == ["entered Box 1"], "\(feed)")
      try scene.folder.write("f.csv", feed)
      #expect(try scene.brief(feed: "f.csv") == ["entered Box 1"], "\(feed)")
    }
  }

  @Test func `tables of valves are read the same way`() throws {
    let fixture = try TraceScene.folder()
    let trace = [
      "trace", "net.inp", "--valve-layer", "valves.csv", "--start", "P3", "--type", "isolation",
    ]
    let expected = try plumb(trace, folder: fixture.folder.path)
    #expect(expected.status == 0, "\(expected)")
    let bars = TraceScene.valves.replacing(",", with: "|")
    for table in ["sep=|\n" + bars, "# by hand\n" + bars, "#" + TraceScene.valves] {
      try fixture.folder.write("valves.csv", table)
      let run = try plumb(trace, folder: fixture.folder.path)
      #expect(run.output == expected.output, "\(table) \(run.errors)")
    }
    try fixture.folder.write("valves.csv", TraceScene.valves + "P3,B,a\n")
    try plumb(trace, folder: fixture.folder.path).expectRefusal(
      "line 6", "the row has 3 columns, but the header has 2")
  }
}
