import Foundation
import PlumbTestSupport
import Testing

/// Malicious live feeds: memory is bounded, errors name their lines, and the valid rows are
/// processed.
@Suite(.timeLimit(.minutes(3)), .serialized) struct MonitorHostileFeedTests {
  private let scene: MonitorScene

  init() throws { scene = try MonitorScene() }

  /// Runs a monitor on a file that is read through a named pipe.
  private func run(_ parts: [String], _ options: [String] = []) throws -> MeasuredRun {
    let path = scene.folder.path("hostile")
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    let file = try #require(FileHandle(forWritingAtPath: path))
    for part in parts { try file.write(contentsOf: Data(part.utf8)) }
    try file.close()
    let pipe = scene.folder.path("pipe")
    unlink(pipe)
    #expect(mkfifo(pipe, 0o600) == 0)
    let writer = Process()
    writer.executableURL = URL(fileURLWithPath: "/bin/sh")
    writer.arguments = ["-c", "cat '\(path)' > '\(pipe)'"]
    writer.standardError = FileHandle.nullDevice
    try writer.run()
    let run = try MeasuredRun(
      ["monitor", "--feed", pipe, "--fences", scene.folder.path("fences.geojson")] + options,
      folder: scene.folder.path)
    if writer.isRunning { writer.terminate() }
    try writer.waitForExit()
    return run
  }

  private func feature(_ row: Int, _ x: Double, _ more: String = "") -> String {
    "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[\(x),0.5]},"
      + "\"properties\":{\"time\":\(row)\(more)}}\n"
  }

  private static let filter = ["--feed-filter", "$locationupdate.time > 0"]

  @Test(arguments: [
    (
      "coordinates",
      "{\"type\":\"Feature\",\"geometry\":{\"type\":\"MultiPoint\",\"coordinates\":[", "[0.5,0.5],"
    ),
    ("arrays", "{\"type\":\"Feature\",\"properties\":", "["),
    ("objects", "{\"type\":\"Feature\",\"properties\":", "{\"a\":"),
    ("geometries", "", "{\"type\":\"GeometryCollection\",\"geometries\":["),
    ("digits", "{\"type\":\"Feature\",\"properties\":{\"time\":", "1"),
    ("text", "{\"type\":\"Feature\",\"properties\":{\"name\":\"", "x"),
    ("names", "{\"type\":\"Feature\",\"properties\":{", "\"x\":1,"),
  ])
  func `a line that is too long is dropped, and reported by its number`(
    name: String, start: String, part: String
  ) throws {
    for bytes in [3 << 20, 64 << 20] {
      let line = start + String(repeating: part, count: bytes / part.utf8.count) + "\n"
      let run = try run([feature(1, 0.5), line, feature(3, 1.5)], Self.filter)
      #expect(run.status == 0 && run.peakMemory < 250 << 20, "\(run.peakMemory) \(run.errors)")
      #expect(run.output.contains("\"entered\"") && run.output.contains("\"exited\""))
      #expect(run.errors.contains("line 2"), "\(run.errors)")
      if bytes > 4 << 20 { #expect(run.errors.contains("over 4194304 bytes")) }
    }
  }

  @Test func `a value of a collection that is too long ends the feed with its line number`() throws
  {
    let start = "{\"type\":\"FeatureCollection\",\"features\":[\n" + feature(1, 0.5) + ","
    let run = try run([start, String(repeating: "[", count: 64 << 20)])
    #expect(run.status == 1 && run.peakMemory < 250 << 20)
    #expect(run.errors.contains("begins on line 3") && run.errors.contains("over 4194304 bytes"))
    #expect(run.output.contains("\"entered\""))
  }

  /// Each name is a column in all rows of a batch, and batches of a file are large.
  @Test func `any number of attributes takes bounded memory`() throws {
    let names = (0..<100_000).map { ",\"n\($0)\":\($0)" }.joined()
    let rows = (2..<8000).map { feature($0, 0.5) }
    let header = "time,x,y," + (0..<5000).map { "c\($0)" }.joined(separator: ",") + "\n"
    let cells = String(repeating: ",1", count: 5000) + "\n"
    let wide = (1..<500).map { "\($0),0.5,0.5" + cells }
    for (name, parts) in [
      ("last.geojsonl", [feature(1, 0.5)] + rows + [feature(8001, 1.5, names)]),
      ("first.geojsonl", [feature(1, 0.5, names)] + rows.prefix(500)),
      ("columns.csv", [header] + wide),
    ] {
      try scene.folder.write(name, parts.joined())
      // The expression needs attributes; only events are written.
      let run = try MeasuredRun(
        [
          "monitor", "--feed", scene.folder.path(name), "--fences",
          scene.folder.path("fences.geojson"), "--message", "Text($feedfeature.time)",
        ], folder: scene.folder.path)
      #expect(run.status == 0 && run.peakMemory < 500 << 20, "\(run.peakMemory) \(run.errors)")
      #expect(run.output.contains("\"entered\""))
      #expect(run.errors.contains("over 4096 attribute names"), "\(run.errors)")
    }
  }

  /// A single wrong time, one hour in the future, would block its entity for an hour.
  @Test func `a time in the future blocks no entity, and is reported`() throws {
    let now = Int(Date().timeIntervalSince1970)
    let rows = [(-60, 0.5), (3600, 0.5), (-30, 1.5), (-20, 0.5)]
    let feed = "time,x,y\n" + rows.map { "\(now + $0.0),\($0.1),0.5\n" }.joined()
    let run = try run([feed])
    #expect(run.status == 0)
    #expect(run.output.split(separator: "\n").count == 3)
    #expect(run.errors.contains("line 3") && run.errors.contains("ahead of the clock"))
    #expect(run.errors.contains("--max-ahead"))
    #expect(!run.errors.contains("older than its entity's last"))
    // An option allows for a clock that is one hour ahead.
    let allowed = try self.run([feed], ["--max-ahead", "7200"])
    #expect(allowed.errors.contains("older than its entity's last"))
  }
}
