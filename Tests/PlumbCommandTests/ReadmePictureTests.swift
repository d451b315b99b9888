import Foundation
import Plumb
import PlumbTestSupport
import Testing

/// The pictures of the README and of the pages by task are those that the commands there draw.
@Suite struct ReadmePictureTests {
  private struct Pixels {
    var width, height: Int
    /// Red, green and blue of each pixel.
    var parts: [UInt8] = []

    init(_ path: String) throws {
      let raster = try [Raster].open([path])[0].inCells()
      let grid = try #require(raster.members.first?.profile.grid)
      (width, height) = (grid.width, grid.height)
      let identifier = try RasterIdentifier([RasterSampler.Request(raster, bands: [0, 1, 2])])
      var (x, y): ([Double], [Double]) = ([], [])
      for row in 0..<height {
        for column in 0..<width {
          x.append(Double(column) + 0.5)
          y.append(Double(row) + 0.5)
        }
      }
      let columns = identifier.sample(x: x, y: y)[0].columns
      parts.reserveCapacity(3 * x.count)
      for index in x.indices {
        for column in columns {
          parts.append(column.bytes.load(fromByteOffset: index, as: UInt8.self))
        }
      }
    }
  }

  private static let commands: [[String]] = {
    let blocks = GuidePages.paths.flatMap { (try? GuidePages.blocks("sh", of: $0)) ?? [] }
    return blocks.flatMap { $0.split(separator: "\n") }.filter {
      $0.hasPrefix("plumb ") && $0.hasSuffix(".png") && !$0.contains("'")
    }.map { $0.split(separator: " ").dropFirst().map(String.init) }
  }()

  @Test func thereAreEight() { #expect(Self.commands.count == 8) }

  /// The difference is within the rounding differences of other versions of Cairo and FreeType.
  @Test(arguments: commands)
  func pictureIsWhatItsCommandDraws(command: [String]) throws {
    let folder = try TemporaryFolder()
    let name = try #require(command.last)
    let drawn = folder.path("drawn.png")
    let run = try ProgramRun(TestPaths.program("plumb"), command.dropLast() + [drawn])
    #expect(run.status == 0, "\(run.errors)")
    // Reading the pixels takes longer than drawing the picture.
    let files = try [TestPaths.root + "/" + name, drawn].map {
      try Data(contentsOf: URL(filePath: $0))
    }
    if files[0] == files[1] { return }
    let (stored, found) = (try Pixels(TestPaths.root + "/" + name), try Pixels(drawn))
    try #require(stored.width == found.width && stored.height == found.height)
    var (sum, far) = (0, 0)
    for (a, b) in zip(stored.parts, found.parts) {
      let difference = abs(Int(a) - Int(b))
      sum += difference
      if difference > 48 { far += 1 }
    }
    let count = stored.parts.count
    #expect(count == 3 * stored.width * stored.height)
    let mean = Double(sum) / Double(count)
    #expect(mean < 0.5, "a mean difference of \(mean)")
    #expect(far * 500 < count, "\(far) of \(count) differ by more than 48")
  }
}
