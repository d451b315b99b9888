import ArgumentParser
import PlumbCore
import PlumbGDAL

struct LargeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "large",
    abstract: "Writes one large raster for benchmarks: a scaled vegetation index.")

  @Option(help: "The output folder.")
  var output = "rasters/generated"

  @Option(help: "The number of columns and of rows.")
  var size = 10980

  @Option(
    help: "uint8, int16, float32 and so on. Default: int16.",
    transform: LargeCommand.pixelType)
  var type = PixelType.int16

  @Option(help: "none, or a name of GDAL's GTiff driver: deflate, lzw, zstd, ...")
  var compression = "deflate"

  @Option(help: "1 for none, 2 for horizontal differences, 3 for floating point.")
  var predictor = 1

  @Option(help: "The side of a tile in cells, a multiple of 16; 0 for strips.")
  var tile = 256

  @Option(help: "Bands.")
  var bands = 1

  @Option(help: "pixel stores the bands of a cell together, band stores each separately.")
  var interleave = "band"

  @Option(help: "The seed of the landscape.")
  var seed: UInt64 = 1

  @Option(help: "The file's name. Default: made of the type, the size and the compression.")
  var name: String?

  @Option(help: "The coordinate reference system; cells are 10 m, or 0.0001 degrees.")
  var reference = "EPSG:32734"

  func validate() throws {
    guard size > 0, bands > 0 else { throw ValidationError("--size and --bands must be positive.") }
    guard size <= 1_000_000, bands <= 65535 else {
      throw ValidationError("--size must be at most 1000000, --bands at most 65535.")
    }
    guard tile >= 0, tile % 16 == 0, tile <= 4096 else {
      throw ValidationError("--tile must be a multiple of 16 up to 4096, or 0 for strips.")
    }
    guard (1...3).contains(predictor) else { throw ValidationError("--predictor must be 1 to 3.") }
    guard ["band", "pixel"].contains(interleave.lowercased()) else {
      throw ValidationError("--interleave must be band or pixel.")
    }
    if predictor != 1, !["deflate", "lzw", "zstd"].contains(compression.lowercased()) {
      throw ValidationError("--predictor works with deflate, lzw and zstd only.")
    }
  }

  func run() throws {
    try makeFolder(output)
    var fallback = "\(type.name)_\(size)_\(compression.lowercased())"
    if predictor != 1 { fallback += "_p\(predictor)" }
    if bands != 1 { fallback += "_b\(bands)" }
    let path = "\(output)/\(name ?? fallback + ".tif")"
    switch type {
    case .uint8: try write(path, Encoding<UInt8>(0.005, from: -0.2, nodata: .max))
    case .int8: try write(path, Encoding<Int8>(0.01, nodata: .min))
    case .uint16: try write(path, Encoding<UInt16>(0.0001, from: -0.2, nodata: .max))
    case .int16: try write(path, Encoding<Int16>(0.0001, nodata: -3000))
    case .uint32: try write(path, Encoding<UInt32>(0.0001, from: -0.2, nodata: .max))
    case .int32: try write(path, Encoding<Int32>(0.0001, nodata: -3000))
    case .uint64: try write(path, Encoding<UInt64>(0.0001, from: -0.2, nodata: .max))
    case .int64: try write(path, Encoding<Int64>(0.0001, nodata: -3000))
    case .float32: try write(path, Encoding<Float>())
    case .float64: try write(path, Encoding<Double>())
    case .complexInt16, .complexInt32, .complexFloat32, .complexFloat64:
      throw ValidationError("--type \(type.name): complex types are not supported.")
    }
    report(path)
  }
}

extension LargeCommand {
  private static func pixelType(_ name: String) throws -> PixelType {
    let types = PixelType.allCases.filter { !$0.isComplex }
    guard let type = types.first(where: { $0.name == name.lowercased() }) else {
      let names = types.map(\.name).joined(separator: ", ")
      throw ValidationError("--type must be one of \(names).")
    }
    return type
  }

  private var options: [(String, String)] {
    var options = [
      ("COMPRESS", compression.uppercased()), ("BIGTIFF", "IF_SAFER"),
      ("INTERLEAVE", interleave.uppercased()),
    ]
    if tile > 0 {
      options += [("TILED", "YES"), ("BLOCKXSIZE", "\(tile)"), ("BLOCKYSIZE", "\(tile)")]
    }
    if predictor != 1 { options.append(("PREDICTOR", "\(predictor)")) }
    return options
  }

  /// Writes the raster one row of tiles at a time, so only one row of tiles is in memory.
  private func write<Value>(_ path: String, _ encoding: Encoding<Value>) throws {
    let inDegrees = try RasterWriter.isGeographic(reference: reference)
    var writer = try RasterWriter(
      path: path, width: size, height: size, bandCount: bands, pixelType: type, options: options)
    try describe(writer, encoding, inDegrees: inDegrees)
    let landscape = LandscapeRows(seed: seed)
    let depth = tile > 0 ? tile : 256
    var index = [Float](repeating: 0, count: size * min(depth, size))
    var cells = [Value](repeating: encoding.nodata, count: index.count)
    for top in stride(from: 0, to: size, by: depth) {
      let rows = min(depth, size - top)
      index.withUnsafeMutableBufferPointer { index in
        let (index, size) = (SharedPointer(index), size)
        Workers().run(rows) { _, row in
          let range = row * size..<(row + 1) * size
          landscape.fill(
            UnsafeMutableBufferPointer(rebasing: index.pointer[range]), row: top + row)
        }
      }
      for band in 1...bands {
        encode(index, into: &cells, band: band, top: top, rows: rows, encoding)
        let result = cells.withUnsafeBytes { bytes in
          let used = rows * size * MemoryLayout<Value>.stride
          return Result { () throws(GDALError) in
            try writer.write(
              UnsafeRawBufferPointer(rebasing: bytes[0..<used]), band: band, column: 0, row: top,
              width: size, height: rows)
          }
        }
        try result.get()
      }
    }
    try writer.close()
  }

  private func describe<Value>(
    _ writer: borrowing RasterWriter, _ encoding: Encoding<Value>, inDegrees: Bool
  ) throws {
    // The corner of a satellite tile at the Cape.
    try writer.setGeotransform(
      inDegrees ? [18.3, 0.0001, 0, -33.3, 0, -0.0001] : [199_980, 10, 0, 6_300_040, 0, -10])
    try writer.setReference(reference)
    try writer.setNodata(encoding.nodataForm)
    for band in 1...bands {
      try writer.setScale(Double(encoding.step), band: band)
      try writer.setOffset(Double(encoding.start), band: band)
      try writer.setDescription(
        bands == 1 ? "NDVI (synthetic)" : "Index \(band) (synthetic)", band: band)
    }
  }

  /// Encodes the landscape as a band's stored values, with sensor noise; bands differ in noise and in
  /// contrast.
  private func encode<Value>(
    _ index: [Float], into cells: inout [Value], band: Int, top: Int, rows: Int,
    _ encoding: Encoding<Value>
  ) {
    let gain = 1 - 0.06 * Float((band - 1) % 8)
    let salt = scramble(seed &+ UInt64(band) &* 0x9E37)
    let size = size
    index.withUnsafeBufferPointer { index in
      cells.withUnsafeMutableBufferPointer { cells in
        let (index, cells) = (SharedPointer(index), SharedPointer(cells))
        Workers().run(rows) { _, row in
          var random = SplitMix64(seed: scramble(salt &+ UInt64(top + row)))
          for cell in row * size..<(row + 1) * size {
            // The difference of two uniform noises is approximately normal.
            let bits = random.next()
            let noise = Int32(bits & 0xFFFF) - Int32(bits >> 16 & 0xFFFF)
            cells.pointer[cell] = encoding.encode(
              index.pointer[cell] * gain + Float(noise) * (0.008 / 65536))
          }
        }
      }
    }
  }
}
