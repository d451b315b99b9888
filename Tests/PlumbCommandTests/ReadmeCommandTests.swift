import Foundation
import PlumbTestSupport
import Testing

/// README's examples that show what `plumb` prints, run as they stand.
@Suite struct ReadmeCommandTests {
  @Test(arguments: ["buffer", "identify", "trace", "monitor"]) func printsWhatReadmeShows(
    verb: String
  ) throws {
    let readme = try String(contentsOfFile: TestPaths.root + "/README.md", encoding: .utf8)
    let block = readme.components(separatedBy: "```text\n$ plumb \(verb) ")[1]
      .components(separatedBy: "```")[0]
    let lines = block.split(separator: "\n", maxSplits: 1)
    let run = try plumb(
      [verb] + lines[0].split(separator: " ").map(String.init), folder: TestPaths.root)
    #expect(run.status == 0)
    #expect(run.output == lines[1])
  }

  @Test("every command line of README runs, on files that are in the repository")
  func everyLineRuns() throws {
    let readme = try String(contentsOfFile: TestPaths.root + "/README.md", encoding: .utf8)
    let lines = readme.components(separatedBy: "```sh\n").dropFirst()
      .flatMap { $0.components(separatedBy: "```")[0].split(separator: "\n") }
      .filter { $0.hasPrefix("plumb ") || $0.hasPrefix("receiver ") }
    #expect(lines.count > 15)
    let folder = try TemporaryFolder()
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("rasters"), withDestinationPath: TestPaths.rasters)
    // Where README's pictures go.
    try FileManager.default.createDirectory(
      atPath: folder.path("Sources/Plumb/Plumb.docc/Resources"),
      withIntermediateDirectories: true)
    for line in lines {
      let run = try shell(
        """
        plumb() { "$PLUMB" "$@"; }
        receiver() { cat rasters/walk.csv; }
        \(line)
        """, folder: folder.path)
      #expect(run.status == 0 && run.errors == "", "\(line): \(run.errors)")
    }
    let shown = readme.components(separatedBy: "```text\nid,lon,lat")[1]
      .components(separatedBy: "```")[0]
    #expect(
      try String(contentsOfFile: folder.path("values.csv"), encoding: .utf8)
        == "id,lon,lat" + shown)
  }

  @Test("the files that README links are there, and its table has each Swift module of Sources")
  func filesAndModules() throws {
    let readme = try String(contentsOfFile: TestPaths.root + "/README.md", encoding: .utf8)
    let links = readme.matches(of: /\]\(([^)]+)\)/).map { String($0.1) }
      .filter { !$0.hasPrefix("https:") }
    #expect(links.count > 10)
    for link in links {
      #expect(FileManager.default.fileExists(atPath: TestPaths.root + "/" + link), "\(link)")
    }
    let modules = try FileManager.default.contentsOfDirectory(atPath: TestPaths.root + "/Sources")
      .filter { $0.hasPrefix("Plumb") }
    #expect(
      Set(readme.matches(of: /\n\| `(Plumb\w*)` \|/).map { String($0.1) }) == Set(modules))
  }
}
