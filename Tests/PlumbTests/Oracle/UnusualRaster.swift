import Plumb
import PlumbGDAL
import PlumbTestSupport

/// A raster that is unusual in one way, and how it is created.
struct UnusualRaster: CustomStringConvertible, Sendable {
  var description: String
  var type: PixelType
  var bandCount = 1
  var options: [(String, String)] = []
  var driver = "GTiff"
  var style: CellPattern.Style = .wild
  /// The bits of a component that is used for every tenth cell, for nodata.
  var noDataBits: UInt64?
  /// Whether only one tile of cells is written.
  var isSparse = false
  /// Whether the file may contain cells other than those written.
  var isLossy = false
  /// The statuses that must occur among the results; otherwise the raster tests nothing.
  var statuses: Set<SampleStatus> = [.ok, .outside]
  /// Sets the raster's metadata before its cells are written.
  var describe: @Sendable (inout RasterWriter) throws -> Void = { _ in }
  /// Runs after the cells are written.
  var finish: @Sendable (inout RasterWriter) throws -> Void = { _ in }

  static let width = 70
  static let height = 50

  /// Writes the raster and returns its cells for each band; nil if the file contains different
  /// cells.
  func write(to path: String, seed: UInt64) throws -> [[UInt8]]? {
    var generator = SeededGenerator(seed: seed)
    var writer = try RasterWriter(
      path: path, width: Self.width, height: Self.height, bandCount: bandCount, pixelType: type,
      options: options, driver: driver)
    try describe(&writer)
    let pattern = CellPattern(type: type, style: style, noDataBits: noDataBits)
    let (width, height) = isSparse ? (16, 16) : (Self.width, Self.height)
    var bands: [[UInt8]] = []
    for band in 1...bandCount {
      let bytes = pattern.cells(width * height, using: &generator)
      bands.append(bytes)
      try bytes.withUnsafeBytes {
        try writer.write($0, band: band, column: 0, row: 0, width: width, height: height)
      }
    }
    try finish(&writer)
    try writer.close()
    return isSparse || isLossy ? nil : bands
  }
}

extension UnusualRaster {
  static let tiled = [("TILED", "YES"), ("BLOCKXSIZE", "16"), ("BLOCKYSIZE", "16")]

  /// Values with fewer bits than the type, and bilevel images.
  static let bits: [UnusualRaster] = {
    var list: [UnusualRaster] = []
    let depths: [(Int, PixelType)] = [
      (1, .uint8), (2, .uint8), (4, .uint8), (7, .uint8), (12, .uint16), (17, .uint32),
    ]
    for (depth, type) in depths {
      for bands in [1, 3] {
        for interleave in ["BAND", "PIXEL"] {
          let options = [
            ("NBITS", String(depth)), ("INTERLEAVE", interleave), ("COMPRESS", "DEFLATE"),
          ]
          list.append(
            UnusualRaster(
              description: "NBITS=\(depth), \(bands) bands by \(interleave)", type: type,
              bandCount: bands, options: tiled + options, style: .below(1 << UInt64(depth))))
        }
      }
    }
    for codec in ["CCITTRLE", "CCITTFAX3", "CCITTFAX4"] {
      list.append(
        UnusualRaster(
          description: codec, type: .uint8, options: [("NBITS", "1"), ("COMPRESS", codec)],
          style: .below(2)))
    }
    let floats: [[(String, String)]] = [
      [("NBITS", "16")],
      tiled + [("NBITS", "16"), ("COMPRESS", "DEFLATE"), ("PREDICTOR", "3")],
    ]
    // The values of a 16-bit float: its limits, its smallest values, infinity and NaN.
    let halves: [Float] = [
      .infinity, -.infinity, .nan, -0.0, 0.5, 65504, -65504, 0x1p-24, 0x1p-14, 2049,
    ]
    for options in floats {
      list.append(
        UnusualRaster(
          description: "floats, \(options)", type: .float32, options: options,
          style: .oneOf(halves.map { UInt64($0.bitPattern) }),
          // 2049 needs more bits than a 16-bit float has.
          isLossy: true, statuses: [.ok, .nodata, .outside]))
    }
    return list
  }()

  /// Colours that differ from the stored bytes.
  static let colours: [UnusualRaster] = [
    ("MINISWHITE", 1, []), ("CMYK", 4, []),
    ("YCBCR", 3, [("COMPRESS", "JPEG"), ("INTERLEAVE", "PIXEL")]),
    ("RGB", 3, [("COMPRESS", "JPEG"), ("INTERLEAVE", "PIXEL"), ("JPEGTABLESMODE", "0")]),
    ("RGB", 3, [("COMPRESS", "WEBP"), ("INTERLEAVE", "PIXEL")]),
  ].map { photometric, bands, options in
    UnusualRaster(
      description: "\(photometric) \(options.map(\.1).joined(separator: " "))", type: .uint8,
      bandCount: bands, options: tiled + [("PHOTOMETRIC", photometric)] + options,
      // GDAL reads CMYK as RGBA.
      isLossy: photometric != "MINISWHITE")
  }

  /// Tiles that are not in the file.
  static let sparse: [UnusualRaster] = {
    var list: [UnusualRaster] = []
    for type in PixelType.allCases {
      for hasNoData in [false, true] {
        let noData = CellPattern.noData(of: type)
        var raster = UnusualRaster(
          description: "sparse \(type)" + (hasNoData ? " with nodata" : ""), type: type)
        raster.bandCount = type.byteCount == 2 || type == .int8 ? 3 : 1
        raster.options = type == .float32 ? [("BLOCKYSIZE", "8")] : tiled
        raster.options += [("SPARSE_OK", "TRUE"), ("COMPRESS", "DEFLATE")]
        raster.options.append(("INTERLEAVE", type == .int8 ? "BAND" : "PIXEL"))
        raster.isSparse = true
        if hasNoData {
          raster.statuses = [.ok, .nodata, .outside]
          raster.describe = { writer in try writer.setNodata(noData.value) }
        }
        list.append(raster)
      }
    }
    return list
  }()

  /// Masks and alpha.
  static let masks: [UnusualRaster] = {
    var list: [UnusualRaster] = []
    for isInternal in [true, false] {
      for type in [PixelType.uint8, .int16, .float32, .complexFloat32] {
        var raster = UnusualRaster(
          description: "\(isInternal ? "internal" : "external") mask on \(type)", type: type)
        raster.bandCount = type == .uint8 ? 3 : 1
        raster.options = tiled + [("COMPRESS", "DEFLATE")]
        raster.statuses = type.isFloatingPoint ? [.ok, .masked, .nodata] : [.ok, .masked]
        raster.describe = { writer in try writer.addMask(isInternal: isInternal) }
        raster.finish = { writer in
          let cells = 0..<width * height
          try writer.writeMask(cells.map { $0 % 7 == 0 || $0 / width > 40 ? 0 : 255 })
        }
        list.append(raster)
      }
    }
    let alphas: [(PixelType, Int)] = [
      (.uint8, 4), (.uint8, 2), (.uint16, 4), (.uint16, 2), (.float32, 2),
    ]
    for (type, bands) in alphas {
      for interleave in ["PIXEL", "BAND"] {
        var raster = UnusualRaster(
          description: "alpha in \(bands) bands of \(type) by \(interleave)", type: type)
        raster.bandCount = bands
        raster.options = tiled + [("ALPHA", "YES"), ("INTERLEAVE", interleave)]
        if bands == 4 { raster.options.append(("PHOTOMETRIC", "RGB")) }
        raster.noDataBits = 0
        raster.statuses = [.ok, .masked, .outside]
        if type == .float32 {
          // GDAL supports only 8 and 16 bits for alpha.
          raster.style = .tame
          raster.statuses = [.ok, .outside]
        }
        list.append(raster)
      }
    }
    return list
  }()
}
