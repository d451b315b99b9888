import CGDAL
import Plumb
import PlumbGDAL
import PlumbTIFF
import PlumbTestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Tiles with changed bytes, decoded by Plumb's decoders and by libtiff: both return the same
/// cells, or none.
@Suite struct DamagedTileTests {
  /// Fails for every tile, because a tile is requested from it only if it could not be decoded.
  private final class Silence: TileSource {
    final class Reader: TileReader {
      func readTile(
        plane: Int, tile: Int, into buffer: UnsafeMutableRawBufferPointer
      ) throws(RasterError) {
        throw RasterError("nothing else reads this file")
      }
    }

    let path: String
    let profile: RasterProfile
    let route = "nothing"
    let files: [String] = []

    init(_ source: any TileSource) { (path, profile) = (source.path, source.profile) }

    func makeReader() throws(RasterError) -> any TileReader { Reader() }
  }

  @Test(arguments: ["LZW", "PACKBITS", "DEFLATE", "ZSTD"], [1, 2, 3])
  func decodesAsLibtiffDoes(compression: String, predictor: Int) throws {
    guard RasterMatrixTests.driverOptions.contains(">\(compression)<") else { return }
    if compression == "PACKBITS", predictor > 1 { return }
    let folder = try TemporaryFolder()
    let path = folder.path("damaged.tif")
    let recipe = RasterRecipe(
      type: predictor == 3 ? .float32 : .int16, layout: .tiled, bands: .one,
      compression: compression, predictor: predictor, isBig: false, isBigEndian: false,
      hasNoData: false)
    var generator = SeededGenerator(seed: UInt64(predictor))
    _ = try recipe.write(to: path, width: 64, height: 64, using: &generator)
    let silence = Silence(try GDALRasterSource(path: path))
    let sources = try [true, false].map {
      try #require(
        TIFFTileSource(path: path, other: silence, largestTile: 1 << 20, decodesItself: $0))
    }
    #expect(sources.map(\.route) == ["Plumb", "libtiff"])
    let size = sources[0].profile.tileByteCount(plane: 0)
    let file = open(path, O_RDWR)
    defer { close(file) }
    let bytes = Int(lseek(file, 0, SEEK_END))
    // The tiles are after the directory.
    let directory = 600
    var (decoded, refused) = (0, 0)
    for _ in 0..<200 {
      let changes = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
        (
          Int.random(in: directory..<bytes, using: &generator),
          UInt8.random(in: 0...255, using: &generator)
        )
      }
      var before: [(Int, UInt8)] = []
      for (offset, value) in changes {
        var (old, new) = (UInt8(0), value)
        pread(file, &old, 1, off_t(offset))
        pwrite(file, &new, 1, off_t(offset))
        before.append((offset, old))
      }
      let readers = try sources.map { try $0.makeReader() }
      for tile in 0..<sources[0].profile.grid.tileCount {
        let answers = readers.map { reader -> [UInt8]? in
          var cells = [UInt8](repeating: 0, count: size)
          let isRead =
            cells.withUnsafeMutableBytes { buffer in
              (try? reader.readTile(plane: 0, tile: tile, into: buffer)) != nil
            }
          return isRead ? cells : nil
        }
        let isSame = answers[0] == answers[1]
        #expect(
          isSame,
          "\(recipe), tile \(tile), changes \(changes): decoded \(answers.map { $0 != nil })")
        if answers[0] == nil { refused += 1 } else { decoded += 1 }
      }
      for (offset, old) in before.reversed() {
        var old = old
        pwrite(file, &old, 1, off_t(offset))
      }
    }
    #expect(decoded > 0)
    // A DEFLATE stream has a checksum; PackBits runs are rarely invalid.
    if compression != "PACKBITS" { #expect(refused > 0) }
  }
}
