import Foundation
import PlumbTestSupport
import Testing

/// The file of a live feed is there from the start, and is whole whatever becomes of the process.
@Suite(.timeLimit(.minutes(2))) struct MonitorLiveOutputTests {
  let scene: MonitorScene

  init() throws { scene = try MonitorScene() }

  private func start(_ output: String, _ input: Pipe, _ more: [String] = []) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: TestPaths.program("plumb"))
    process.currentDirectoryURL = URL(fileURLWithPath: scene.folder.path)
    process.arguments =
      ["monitor", "--feed", "-", "--fences", "fences.geojson", "-o", output] + more
    process.standardInput = input
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  private func text(_ name: String) -> String {
    (try? String(contentsOfFile: scene.folder.path(name), encoding: .utf8)) ?? ""
  }

  /// Waits until a file has a word, for as long as a hanging run may take.
  private func wait(for word: String, in name: String) {
    let limit = Date().addingTimeInterval(60)
    while Date() < limit, !text(name).contains(word) { usleep(10_000) }
  }

  @Test(
    "lines are in the file as events occur, and survive the end of the process",
    arguments: ["events.jsonl", "events.csv", "events.geojsonseq", "events.geojsonl"])
  func killed(output: String) throws {
    let input = Pipe()
    let process = try start(output, input)
    let writing = input.fileHandleForWriting
    try writing.write(contentsOf: Data("time,x,y\n1,0.5,0.5\n".utf8))
    wait(for: "entered", in: output)
    #expect(text(output).contains("entered") && text(output).hasSuffix("\n"))
    try writing.write(contentsOf: Data("2,1.5,0.5\n".utf8))
    wait(for: "exited", in: output)
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    let lines = text(output).split(separator: "\n").filter { !$0.hasPrefix("time,") }
    #expect(lines.count == 2 && text(output).hasSuffix("\n"))
    if !output.hasSuffix("csv") {
      for line in lines { _ = try JSONSerialization.jsonObject(with: Data(line.utf8)) }
    }
    if output.contains("seq") {
      #expect(lines.first?.hasPrefix("{\"type\":\"Feature\",\"geometry\":{") == true)
    }
    let again = try scene.run(["--fences", "fences.geojson", "-o", output])
    #expect(again.status == 1 && again.errors.contains("--overwrite"))
  }

  @Test("a collection, and what comes from a file, appear whole at the end") func whole() throws {
    let input = Pipe()
    let process = try start("events.geojson", input)
    let writing = input.fileHandleForWriting
    try writing.write(contentsOf: Data("time,x,y\n1,0.5,0.5\n".utf8))
    let limit = Date().addingTimeInterval(60)
    while Date() < limit, try !scene.unfinished().contains("entered") { usleep(10_000) }
    #expect(text("events.geojson") == "")
    try writing.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    _ = try JSONSerialization.jsonObject(with: Data(text("events.geojson").utf8))
    try scene.folder.write("bad.csv", "time,x,y\n1,0.5,0.5\n")
    let run = try scene.run(
      ["--fences", "fences.geojson", "-o", "sequence.geojsonseq"], feed: "bad.csv")
    #expect(run.status == 0 && text("sequence.geojsonseq").contains("entered"))
  }

  @Test("an existing file is replaced from the start only where that was said") func replaced()
    throws
  {
    try scene.folder.write("old.jsonl", "old\n")
    let refused = try start("old.jsonl", Pipe())
    refused.waitUntilExit()
    #expect(refused.terminationStatus == 1 && text("old.jsonl") == "old\n")
    let input = Pipe()
    let process = try start("old.jsonl", input, ["--overwrite"])
    try input.fileHandleForWriting.write(contentsOf: Data("time,x,y\n1,0.5,0.5\n".utf8))
    wait(for: "entered", in: "old.jsonl")
    #expect(!text("old.jsonl").contains("old"))
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
