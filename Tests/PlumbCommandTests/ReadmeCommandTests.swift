import Foundation
import PlumbTestSupport
import Testing

/// The commands in the README and the pages by task are executed, and must print the output shown
/// in the pages.
@Suite struct ReadmeCommandTests {
  /// Runs a line of a page with the built `plumb`.
  private static func run(_ line: Substring, folder: String) throws -> ProgramRun {
    try shell(
      """
      plumb() { "$PLUMB" "$@"; }
      receiver() { cat rasters/walk.csv; }
      \(line)
      """, folder: folder)
  }

  @Test(arguments: ["buffer", "identify", "trace", "monitor"])
  func readmeShowsAnOutput(verb: String) throws {
    let blocks = try GuidePages.blocks("text", of: "README.md")
    #expect(blocks.contains { $0.hasPrefix("$ plumb \(verb) ") })
  }

  @Test("each command prints the output below it", arguments: GuidePages.paths)
  func printsWhatThePageShows(page: String) throws {
    for block in try GuidePages.blocks("text", of: page) where block.hasPrefix("$ plumb ") {
      let lines = block.split(separator: "\n", maxSplits: 1)
      try #require(lines.count == 2, "\(block)")
      let run = try Self.run(lines[0].dropFirst(2), folder: TestPaths.root)
      #expect(run.status == 0, "\(lines[0]): \(run.errors)")
      #expect(run.output == lines[1], "\(lines[0])")
    }
  }

  private static func lines(of page: String) throws -> [Substring] {
    try GuidePages.blocks("sh", of: page).flatMap { $0.split(separator: "\n") }
      .filter { $0.hasPrefix("plumb ") || $0.hasPrefix("receiver ") }
  }

  @Test func thereAreCommands() throws {
    #expect(try GuidePages.paths.flatMap { try Self.lines(of: $0) }.count > 25)
  }

  @Test(
    "every command line of a page runs, on files in the repository", arguments: GuidePages.paths)
  func everyLineRuns(page: String) throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("rasters"), withDestinationPath: TestPaths.rasters)
    // The folder that contains the pages' pictures.
    try FileManager.default.createDirectory(
      atPath: folder.path("Sources/Plumb/Plumb.docc/Resources"),
      withIntermediateDirectories: true)
    for line in try Self.lines(of: page) {
      let run = try Self.run(line, folder: folder.path)
      #expect(run.status == 0 && run.errors == "", "\(line): \(run.errors)")
    }
  }

  @Test("links lead to files in the repository") func linksReferToFiles() throws {
    let links = try GuidePages.text("README.md").matches(of: /\]\(([^)]+)\)/).map { String($0.1) }
      .filter { !$0.hasPrefix("https:") }
    #expect(links.count > 10)
    var paths = links
    for page in GuidePages.paths.dropFirst() {
      let text = try GuidePages.text(page)
      #expect(links.contains(page), "README does not link \(page)")
      paths += text.matches(of: /[<]doc:([a-z-]+)>/).map { GuidePages.article(String($0.1)) }
      paths += text.matches(of: /[!]\[[^\]]*\]\(([a-z_-]+)\)/)
        .map { "Sources/Plumb/Plumb.docc/Resources/\($0.1).png" }
    }
    for path in paths {
      #expect(FileManager.default.fileExists(atPath: TestPaths.root + "/" + path), "\(path)")
    }
  }
}
