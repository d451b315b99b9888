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
}
