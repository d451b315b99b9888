import Foundation
import Plumb
import PlumbTestSupport
import Testing

@Suite struct ReadmeExampleTests {
  /// README's Swift example; the test below holds the two together.
  func example() throws {
    // README begins
    let rasters = try [Raster].open(["rasters/evi_cape_town.tif", "rasters/dem"])
    let places = try RasterIdentifier(rasters, reference: SpatialReference("EPSG:4326"))
    let answers = places.sample(x: [18.6, 18.4], y: [-34.1, -33.9])
    for (raster, answer) in zip(rasters, answers) {
      for row in 0..<2 {
        print(raster.name, answer.columns[0][row] as Any, answer.status(at: row).name)
      }
    }
    // README ends
    #expect(answers[0].columns[0][0] == .signed(1823))
    #expect(answers[1].columns[0][0] == .signed(29))
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "rasters/dem"), "run in the checkout"))
  func exampleRuns() throws { try example() }

  @Test func exampleIsWhatReadmeShows() throws {
    let readme = try String(contentsOfFile: TestPaths.root + "/README.md", encoding: .utf8)
    let shown = readme.components(separatedBy: "```swift\n")[1].components(separatedBy: "```")[0]
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let body = source.components(separatedBy: "// README begins\n")[1]
      .components(separatedBy: "    // README ends")[0]
    let compiled = body.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.hasPrefix("    ") ? String($0.dropFirst(4)) : String($0) }
      .joined(separator: "\n")
    #expect(shown == "import Plumb\n\n" + compiled)
  }
}
