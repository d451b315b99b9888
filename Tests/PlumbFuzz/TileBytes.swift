import PlumbCore
import PlumbGDAL
import PlumbRaster
import PlumbTIFF

/// Small TIFFs with cells, of each codec and layout.
enum TileBytes {
  static var corpus: [[UInt8]] {
    var files = [
      file("NONE", .uint8), file("LZW", .int16, ["PREDICTOR": "2"]),
      file("DEFLATE", .float32, ["PREDICTOR": "3"]), file("DEFLATE", .int32, ["PREDICTOR": "2"]),
      file("PACKBITS", .uint8), file("ZSTD", .uint16, ["PREDICTOR": "2"]),
      file("DEFLATE", .float64, ["PREDICTOR": "3"]), file("LZMA", .uint8),
    ]
    for codec in ["NONE", "DEFLATE", "LZW"] {
      files.append(file(codec, .int16, ["ENDIANNESS": "BIG", "INTERLEAVE": "BAND"], bands: 2))
      files.append(file(codec, .uint8, ["INTERLEAVE": "PIXEL", "PREDICTOR": "2"], bands: 3))
      files.append(file(codec, .uint16, ["TILED": "YES", "SPARSE_OK": "TRUE"]))
      files.append(file(codec, .complexInt16))
    }
    return files.compactMap { $0 }
  }

  /// nil if GDAL does not have the codec.
  private static func file(
    _ codec: String, _ type: PixelType, _ options: [String: String] = [:], bands: Int = 1
  ) -> [UInt8]? {
    let path = FuzzFolder.shared.path("made.tif")
    let (width, height) = (16, 16)
    var list = [("COMPRESS", codec), ("BLOCKYSIZE", options["TILED"] == nil ? "5" : "16")]
    if options["TILED"] != nil { list.append(("BLOCKXSIZE", "16")) }
    // Without compression there is no predictor.
    list += options.filter { codec != "NONE" || $0.key != "PREDICTOR" }.map { ($0.key, $0.value) }
    do {
      var writer = try RasterWriter(
        path: path, width: width, height: height, bandCount: bands, pixelType: type, options: list)
      try writer.setGeotransform([18, 0.5, 0, -33, 0, -0.5])
      try writer.setReference("EPSG:4326")
      let bytes = (0..<width * height * type.byteCount).map {
        UInt8(truncatingIfNeeded: $0 * $0 / 64)
      }
      for band in 1...bands {
        try writer.write(bytes, band: band, column: 0, row: 0, width: width, height: height)
      }
      try writer.close()
    } catch {
      return nil
    }
    return FuzzFolder.bytes(path)
  }

  /// Reads the tiles of a file if there are few.
  ///
  /// - Returns: whether a tile was read.
  static func read(_ path: String) throws -> Bool {
    guard let plain = PlainTIFF(path: path) else { return false }
    let other = NoSource(path, plain.profile(reference: LazyText(nil), period: LazyValue(nil)))
    guard let source = TIFFTileSource(path: path, other: other, largestTile: 1 << 16) else {
      return false
    }
    let reader = try source.makeReader()
    var isRead = false
    for plane in 0..<min(4, source.profile.pixelPlanes) {
      let memory = UnsafeMutableRawBufferPointer.allocate(
        byteCount: source.profile.tileByteCount(plane: plane), alignment: 16)
      defer { memory.deallocate() }
      for tile in 0..<min(8, source.profile.grid.tileCount) {
        if (try? reader.readTile(plane: plane, tile: tile, into: memory)) != nil { isRead = true }
      }
    }
    return isRead
  }

  /// A library without a working read function.
  private final class NoSource: TileSource {
    let path: String
    let profile: RasterProfile
    let route = "none"
    let files: [String] = []

    init(_ path: String, _ profile: RasterProfile) { (self.path, self.profile) = (path, profile) }

    func makeReader() throws(RasterError) -> any TileReader { throw RasterError("none") }
    func overview(atMost factor: Double) -> (any TileSource)? { nil }
  }
}
