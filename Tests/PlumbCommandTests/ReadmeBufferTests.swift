import Foundation
import PlumbTestSupport
import Testing

/// README's example of `plumb buffer`, run as it stands.
@Suite struct ReadmeBufferTests {
  @Test func printsWhatReadmeShows() throws {
    let readme = try String(contentsOfFile: TestPaths.root + "/README.md", encoding: .utf8)
    let block = readme.components(separatedBy: "```text\n$ plumb buffer ")[1]
      .components(separatedBy: "```")[0]
    let lines = block.split(separator: "\n", maxSplits: 1)
    let run = try plumb(["buffer"] + lines[0].split(separator: " ").map(String.init))
    #expect(run.status == 0)
    #expect(run.output == lines[1])
  }
}
