import Foundation
import PlumbTestSupport
import Testing

/// Rasters never cause a crash, a hang or a lack of memory, however unusual or damaged they are.
struct HostileRasterTests {
  private static let points = [
    "18.5,-33.9", "0,0", "1e308,-1e308", "10.5,10.5", "-1,95", "400000,6200000",
    "1738000,-3770000",
  ].flatMap { ["--at", $0] }

  private static let unusualFolder = TestPaths.data.map { $0 + "/rasters/odd" }

  private static let unusual: [String] = {
    guard let unusualFolder, let names = FileManager.default.enumerator(atPath: unusualFolder)
    else {
      return []
    }
    let endings = ["md", "txt", "json", "xml", "msk", "ovr", "dbf", "gpkg"]
    return names.compactMap { $0 as? String }.filter { name in
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: unusualFolder + "/" + name, isDirectory: &isFolder)
      return !isFolder.boolValue && !endings.contains((name as NSString).pathExtension)
    }.sorted()
  }()

  @Test(.enabled(if: !unusual.isEmpty, "the odd rasters are absent"), arguments: unusual)
  func `an odd raster is answered or refused`(name: String) throws {
    let work = try TemporaryFolder()
    let path = try #require(Self.unusualFolder) + "/" + name
    for arguments in [["info", path], ["identify", path, "--crs", "4326"] + Self.points] {
      let run = try MeasuredRun(arguments, folder: work.path)
      #expect(run.isSound, "\(run)")
      if run.status == 1 { #expect(run.errors.contains("plumb: "), "\(run)") }
    }
  }

  /// Small rasters in many formats, to be damaged.
  private func seeds() throws -> [[UInt8]] {
    let fixture = try Fixture()
    let values = (0..<48 * 40).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 48) }
    let compressions = ["NONE", "LZW", "DEFLATE", "PACKBITS", "ZSTD", "LZMA", "JPEG", "LERC"]
    for (index, compression) in compressions.enumerated() {
      let tiled = [("TILED", "YES"), ("BLOCKXSIZE", "16"), ("BLOCKYSIZE", "16")]
      let options =
        [("COMPRESS", compression), ("BIGTIFF", index % 3 == 0 ? "YES" : "NO")]
        + (index % 2 == 0 ? tiled : [("INTERLEAVE", "PIXEL"), ("ENDIANNESS", "BIG")])
      // Rasters that this GDAL cannot write are skipped.
      _ = try? fixture.raster(
        "\(compression).tif", .uint8, width: 48, bands: [values, values.reversed(), values],
        options: options)
    }
    var seeds = try fixture.names.map { Array(try fixture.bytes($0)) }
    for name in ["evi_cape_town.tif", "land_cover_cape_town.tif", "dem/S34E018.tif"] {
      let url = URL(fileURLWithPath: TestPaths.rasters + "/" + name)
      seeds.append(Array(try Data(contentsOf: url)))
    }
    return seeds
  }

  @Test func `damaged rasters are answered or refused`() throws {
    let seeds = try seeds()
    #expect(seeds.count > 6)
    let fixture = try Fixture()
    var random = SeededGenerator(seed: 2024)
    // `info` accepts many paths but stops at the first path that is not a raster, so each mutant is
    // read in a separate run; the two commands alternate.
    for number in 0..<120 {
      var bytes = seeds[number % seeds.count]
      damage(&bytes, &random)
      try fixture.write("m.tif", bytes: bytes)
      let path = fixture.path("m.tif")
      let arguments = number % 3 == 0 ? ["info", path] : ["identify", path] + Self.points
      let run = try MeasuredRun(arguments, folder: fixture.folder.path)
      #expect(run.isSound, "mutant \(number): \(run)")
    }
  }

  private func damage(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    // Half of the mutants have changes only near the start of the file, which usually contains the
    // directory.
    let limit = Bool.random(using: &random) ? min(512, bytes.count) : bytes.count
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      for _ in 0..<Int.random(in: 1...32, using: &random) {
        bytes[Int.random(in: 0..<limit, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
    case 1:
      bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
    case 2:
      let start = Int.random(in: 0..<bytes.count, using: &random)
      let block = bytes[start..<min(bytes.count, start + 600)]
      bytes.insert(contentsOf: block, at: Int.random(in: 0..<limit, using: &random))
    default:
      let extremes: [[UInt8]] = [
        [255, 255, 255, 255], [255, 255, 255, 127], [0, 0, 0, 128], [0, 0, 0, 0],
      ]
      for _ in 0..<Int.random(in: 1...4, using: &random) where limit >= 4 {
        let start = Int.random(in: 0...(limit - 4) / 4, using: &random) * 4
        bytes.replaceSubrange(
          start..<min(start + 4, bytes.count), with: extremes.randomElement(using: &random) ?? [])
      }
    }
  }
}
