import Foundation
import PlumbTestSupport
import Testing

/// Rows from a pipe are written when it pauses, and unterminated lines are refused.
struct PipeTests {
  private static let inputs: [(format: String, text: [String])] = [
    ("csv", ["x,y,n\n", "0.5,-0.5,a\n1.5,-0.5,b\n", "2.5,-0.5,c\n"]),
    ("csv", ["x y n\n0.5 -0.5 a", "\n1.5 -0.5 b\n2.5 ", "-0.5 c\n"]),
    (
      "geojsonseq",
      [
        point("0.5", "a"), point("1.5", "b") + point("2.5", "c"), point("0.5", "d"),
      ]
    ),
    (
      "geojson",
      [
        "{\"type\":\"FeatureCollection\",\"features\":[" + point("0.5", "a"),
        ",", point("1.5", "b") + "," + point("2.5", "c"), "]}\n",
      ]
    ),
    ("jsonl", ["lon,lat\n0.5,-0.5\n", "1.5,-0.5\n"]),
  ]

  private static func point(_ x: String, _ name: String) -> String {
    "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[\(x),-0.5]},"
      + "\"properties\":{\"n\":\"\(name)\"}}\n"
  }

  /// The program writes the rows of each piece before the next piece is sent. Otherwise the program
  /// and the test would wait for each other until the watchdog ended the run.
  @Test(arguments: inputs.indices, ["512MB", "0"])
  func `rows are written at a pause of the input`(index: Int, cache: String) throws {
    let (format, pieces) = Self.inputs[index]
    let fixture = try Fixture()
    try fixture.grid("g.tif")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: TestPaths.program("plumb"))
    process.arguments = [
      "identify", "g.tif", "--points", "-", "--of", format, "-q", "--cache", cache,
    ]
    process.currentDirectoryURL = URL(fileURLWithPath: fixture.folder.path)
    let (input, output) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    let watchdog = DispatchWorkItem { process.terminate() }
    DispatchQueue.global().asyncAfter(deadline: .now() + 120, execute: watchdog)
    defer { watchdog.cancel() }
    var seen = ""
    var written = ""
    for piece in pieces {
      try input.fileHandleForWriting.write(contentsOf: Data(piece.utf8))
      written += piece
      // The number of complete rows in the input so far.
      let rows = Self.names(written, whole: true).count
      while Self.names(seen, whole: false).count < rows {
        let data = output.fileHandleForReading.availableData
        if data.isEmpty { break }
        seen += String(decoding: data, as: UTF8.self)
      }
      #expect(Self.names(seen, whole: false).count >= rows, "after \(written): \(seen)")
    }
    try input.fileHandleForWriting.close()
    seen += String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    try process.waitForExit()
    #expect(process.terminationStatus == 0)
    try fixture.folder.write("whole", pieces.joined())
    let whole = try shell(
      "cat whole | \"$PLUMB\" identify g.tif --points - --of \(format) -q",
      folder: fixture.folder.path)
    #expect(seen == whole.output)
  }

  /// The x of all rows; for an input, only of the complete rows.
  private static func names(_ text: String, whole: Bool) -> [Substring] {
    let isJSON = text.contains("{")
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let ended = whole && !isJSON ? lines.dropLast() : lines[...]
    return ended.filter { line in
      line.contains(",-0.5") || line.contains(" -0.5") || line.contains("\"place\"")
    }
  }

  @Test(arguments: [
    "identify g.tif --points -",
    "buffer - --distance 1 --crs 4326 --unit deg",
  ])
  func `a line without an end is refused`(arguments: String) throws {
    let fixture = try Fixture()
    try fixture.grid("g.tif")
    for (start, words) in [
      ("a", "first line is over 4 MB long"), ("x,y\\n\"", "unclosed quote"),
    ] {
      // The input has 70 million bytes. If it were not rejected immediately, it would take minutes
      // because the time is quadratic.
      let run = try shell(
        "{ printf '\(start)'; head -c 70000000 /dev/zero | tr '\\0' a; } | timeout 300 \"$PLUMB\" "
          + "\(arguments)",
        folder: fixture.folder.path)
      run.expectRefusal(words)
      #expect(run.errors.utf8.count < 1000)
    }
  }

  @Test(arguments: ["a", "{\"type\":\"", "$GPRMC,", "x,y,time\\n\""])
  func `a line without an end is refused in feeds`(start: String) throws {
    let fixture = try Fixture()
    try fixture.folder.write("f.geojson", MonitorScene.fences)
    let run = try shell(
      "{ printf '\(start)'; head -c 30000000 /dev/zero | tr '\\0' a; } | timeout 300 \"$PLUMB\" "
        + "monitor --feed - --fences f.geojson",
      folder: fixture.folder.path)
    #expect(run.status != 124)
    #expect(run.errors.utf8.count < 10_000)
  }
}
