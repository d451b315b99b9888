import Foundation
import PlumbTestSupport
import Testing

/// The output file of a live feed exists from the start, and is valid however the process is ended.
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

  /// Waits until a file contains a word.
  private func wait(for word: String, in name: String) throws {
    try waitUntil("\(word) is in \(name)") { text(name).contains(word) }
  }

  @Test(
    "lines are in the file as events occur, and survive the end of the process",
    arguments: ["events.jsonl", "events.csv", "events.geojsonseq", "events.geojsonl"])
  func killed(output: String) throws {
    let input = Pipe()
    let process = try start(output, input)
    let writing = input.fileHandleForWriting
    try writing.write(contentsOf: Data("time,x,y\n1,0.5,0.5\n".utf8))
    try wait(for: "entered", in: output)
    #expect(text(output).contains("entered") && text(output).hasSuffix("\n"))
    try writing.write(contentsOf: Data("2,1.5,0.5\n".utf8))
    try wait(for: "exited", in: output)
    kill(process.processIdentifier, SIGKILL)
    try process.waitForExit()
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

  @Test("a collection, and the output for a file, appear only when complete") func whole() throws {
    let input = Pipe()
    let process = try start("events.geojson", input)
    let writing = input.fileHandleForWriting
    try writing.write(contentsOf: Data("time,x,y\n1,0.5,0.5\n".utf8))
    try waitUntil("the event is written") { try scene.unfinished().contains("entered") }
    #expect(text("events.geojson") == "")
    try writing.close()
    try process.waitForExit()
    #expect(process.terminationStatus == 0)
    _ = try JSONSerialization.jsonObject(with: Data(text("events.geojson").utf8))
    try scene.folder.write("bad.csv", "time,x,y\n1,0.5,0.5\n")
    let run = try scene.run(
      ["--fences", "fences.geojson", "-o", "sequence.geojsonseq"], feed: "bad.csv")
    #expect(run.status == 0 && text("sequence.geojsonseq").contains("entered"))
  }

  @Test(arguments: ["events.geojson", "events.gpkg", "events.parquet"])
  func `a live run that fails leaves no file`(output: String) throws {
    let names = { Set(try FileManager.default.contentsOfDirectory(atPath: scene.folder.path)) }
    let before = try names()
    let input = Pipe()
    let process = try start(output, input)
    try input.fileHandleForWriting.write(
      contentsOf: Data("{\"type\":\"FeatureCollection\",\"features\":[".utf8))
    try input.fileHandleForWriting.close()
    try process.waitForExit()
    #expect(process.terminationStatus == 1)
    #expect(try names() == before)
  }

  /// Sends a row, and waits for the resulting event.
  private func send(_ second: Int, _ input: Pipe, _ event: String, in output: String) throws {
    let x = event == "entered" ? 0.5 : 1.5
    try input.fileHandleForWriting.write(contentsOf: Data("\(second),\(x),0.5\n".utf8))
    try wait(for: event, in: output)
  }

  @Test("after a truncation in place the file begins with whole lines") func truncated() throws {
    let input = Pipe()
    let process = try start("cut.jsonl", input)
    try input.fileHandleForWriting.write(contentsOf: Data("time,x,y\n".utf8))
    try send(1, input, "entered", in: "cut.jsonl")
    #expect(truncate(scene.folder.path("cut.jsonl"), 0) == 0)
    try send(2, input, "exited", in: "cut.jsonl")
    try input.fileHandleForWriting.close()
    try process.waitForExit()
    #expect(process.terminationStatus == 0)
    #expect(text("cut.jsonl").hasPrefix("{") && text("cut.jsonl").split(separator: "\n").count == 1)
  }

  @Test("SIGHUP opens a renamed file again", arguments: ["log.jsonl", "log.csv"])
  func rotated(output: String) throws {
    let input = Pipe()
    let process = try start(output, input)
    try input.fileHandleForWriting.write(contentsOf: Data("time,x,y\n".utf8))
    try send(1, input, "entered", in: output)
    try FileManager.default.moveItem(
      atPath: scene.folder.path(output), toPath: scene.folder.path(output + ".1"))
    kill(process.processIdentifier, SIGHUP)
    try waitUntil("there is a new file") {
      FileManager.default.fileExists(atPath: scene.folder.path(output))
    }
    try send(2, input, "exited", in: output)
    try input.fileHandleForWriting.close()
    try process.waitForExit()
    #expect(process.terminationStatus == 0)
    #expect(text(output + ".1").contains("entered") && !text(output + ".1").contains("exited"))
    #expect(!text(output).contains("entered") && text(output).contains("exited"))
    #expect(text(output).hasPrefix("time,") == output.hasSuffix("csv"))
  }

  @Test("--append continues a file, without the incomplete line of a killed process")
  func appended() throws {
    for (name, old) in [
      ("old.jsonl", "{\"type\":\"entered\"}\n"),
      (
        "old.csv", "time,entity,monitor,fence,fenceId,type,message,x,y,index\n1,a,b,c,d,e,f,1,1,0\n"
      ),
    ] {
      try scene.folder.write(name, old + "{\"ty")
      let run = try scene.run(["--fences", "fences.geojson", "-o", name, "--append"])
      #expect(run.status == 0 && run.errors.contains("an incomplete last line of 4 bytes"))
      #expect(text(name).hasPrefix(old) && !text(name).contains("{\"ty\n"))
      #expect(text(name).split(separator: "\n").filter { $0.contains("exited") }.count > 0)
      #expect(text(name).components(separatedBy: "time,entity").count <= 2)
    }
    try scene.folder.write("other.csv", "a,b\n")
    let other = try scene.run(["--fences", "fences.geojson", "-o", "other.csv", "--append"])
    #expect(
      other.status == 1 && other.errors.contains("does not have the columns of the events"),
      "\(other.errors)")
    #expect(text("other.csv") == "a,b\n")
    for arguments in [
      ["-o", "a.jsonl", "--overwrite"], [], ["-o", "a.gpkg"], ["-o", "a.geojson"],
    ] {
      let run = try scene.run(["--fences", "fences.geojson", "--append"] + arguments)
      #expect(run.status == 64, "\(arguments) \(run.errors)")
    }
  }

  @Test("an existing file is replaced from the start only with the option for it") func replaced()
    throws
  {
    try scene.folder.write("old.jsonl", "old\n")
    let refused = try start("old.jsonl", Pipe())
    try refused.waitForExit()
    #expect(refused.terminationStatus == 1 && text("old.jsonl") == "old\n")
    let input = Pipe()
    let process = try start("old.jsonl", input, ["--overwrite"])
    try input.fileHandleForWriting.write(contentsOf: Data("time,x,y\n1,0.5,0.5\n".utf8))
    try wait(for: "entered", in: "old.jsonl")
    #expect(!text("old.jsonl").contains("old"))
    try input.fileHandleForWriting.close()
    try process.waitForExit()
    #expect(process.terminationStatus == 0)
  }
}
