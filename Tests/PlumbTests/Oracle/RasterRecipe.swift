import Plumb
import PlumbGDAL
import PlumbTestSupport

/// A way to store cells in a TIFF: an entry of the generated matrix.
struct RasterRecipe: CustomStringConvertible {
  enum Layout: Int, CaseIterable { case tiled, rows1, rows7 }
  enum Bands: Int, CaseIterable { case one, pixel, band }

  static let compressions = [
    "NONE", "PACKBITS", "LZW", "DEFLATE", "ZSTD", "LZMA", "LERC", "LERC_DEFLATE", "LERC_ZSTD",
    "WEBP", "JPEG",
  ]

  var type: PixelType
  var layout: Layout
  var bands: Bands
  var compression: String
  var predictor: Int
  var isBig: Bool
  var isBigEndian: Bool
  var hasNoData: Bool

  var description: String {
    "\(type) \(layout) \(bands) \(compression) predictor \(predictor)"
      + (isBig ? " BigTIFF" : "") + (isBigEndian ? " big-endian" : "")
      + (hasNoData ? " nodata" : "")
  }

  var bandCount: Int { bands == .one ? 1 : 3 }

  /// Whether the file contains cells other than those written. JPEG is lossy; and libtiff writes
  /// the cells of a big-endian file byte-swapped with the floating-point predictor, so every
  /// reader, including libtiff, reads different values.
  var isLossy: Bool { compression == "JPEG" || predictor == 3 && isBigEndian }

  var style: CellPattern.Style {
    compression.hasPrefix("LERC") || compression == "JPEG" ? .tame : .wild
  }

  var options: [(String, String)] {
    var list = [
      ("COMPRESS", compression), ("BIGTIFF", isBig ? "YES" : "NO"),
      ("ENDIANNESS", isBigEndian ? "BIG" : "LITTLE"),
      ("INTERLEAVE", bands == .band ? "BAND" : "PIXEL"),
    ]
    switch layout {
    case .tiled: list += [("TILED", "YES"), ("BLOCKXSIZE", "16"), ("BLOCKYSIZE", "32")]
    case .rows1: list += [("BLOCKYSIZE", "1")]
    case .rows7: list += [("BLOCKYSIZE", "7")]
    }
    if predictor > 1 { list.append(("PREDICTOR", String(predictor))) }
    if compression == "WEBP" { list.append(("WEBP_LOSSLESS", "YES")) }
    return list
  }

  /// Whether such a TIFF is possible.
  private var isPossible: Bool {
    switch compression {
    case "LZW", "DEFLATE", "ZSTD":
      if predictor == 2 { return !type.isComplex }
      return predictor == 1 || type == .float32 || type == .float64
    case _ where predictor > 1: return false
    case "LERC", "LERC_DEFLATE", "LERC_ZSTD": return !type.isComplex && type.byteCount < 8
    case "WEBP": return type == .uint8 && bands == .pixel
    // JPEG strips have a height that is a multiple of 8 rows.
    case "JPEG": return type == .uint8 && layout == .tiled
    default: return true
    }
  }

  /// The choices as small distinct numbers.
  private var choices: [Int] {
    [
      Int(type.rawValue), 16 + layout.rawValue, 20 + bands.rawValue,
      24 + Self.compressions.firstIndex(of: compression)!, 40 + predictor, 44 + (isBig ? 1 : 0),
      46 + (isBigEndian ? 1 : 0), 48 + (hasNoData ? 1 : 0),
    ]
  }

  /// Recipes in which each possible pair of choices occurs at least once.
  static func allPairs(compressions: [String]) -> [RasterRecipe] {
    var all: [RasterRecipe] = []
    for type in PixelType.allCases {
      for layout in Layout.allCases {
        for bands in Bands.allCases {
          for compression in compressions {
            for predictor in 1...3 {
              for bits in 0..<8 {
                let recipe = RasterRecipe(
                  type: type, layout: layout, bands: bands, compression: compression,
                  predictor: predictor, isBig: bits & 1 != 0, isBigEndian: bits & 2 != 0,
                  hasNoData: bits & 4 != 0)
                if recipe.isPossible { all.append(recipe) }
              }
            }
          }
        }
      }
    }
    var generator = SeededGenerator(seed: 14)
    all.shuffle(using: &generator)
    var isMet = [Bool](repeating: false, count: 64 * 64)
    var kept: [RasterRecipe] = []
    // The most useful ones first.
    for wanted in [28, 20, 14, 9, 5, 3, 2, 1] {
      for recipe in all {
        let choices = recipe.choices
        var new: [Int] = []
        for (position, a) in choices.enumerated() {
          for b in choices[(position + 1)...] where !isMet[a * 64 + b] { new.append(a * 64 + b) }
        }
        if new.count < wanted { continue }
        for pair in new { isMet[pair] = true }
        kept.append(recipe)
      }
    }
    return kept
  }

  /// Writes the raster and returns its cells for each band.
  func write(
    to path: String, width: Int, height: Int, using generator: inout SeededGenerator
  ) throws -> [[UInt8]] {
    var writer = try RasterWriter(
      path: path, width: width, height: height, bandCount: bandCount, pixelType: type,
      options: options)
    try writer.setGeotransform([18, 1.0 / 120, 0, -34, 0, -1.0 / 120])
    try writer.setReference("EPSG:4326")
    var pattern = CellPattern(type: type, style: style)
    if hasNoData {
      let noData = CellPattern.noData(of: type)
      pattern.noDataBits = noData.bits
      try writer.setNodata(noData.value)
    }
    var bands: [[UInt8]] = []
    for band in 1...bandCount {
      let bytes = pattern.cells(width * height, using: &generator)
      try bytes.withUnsafeBytes {
        try writer.write($0, band: band, column: 0, row: 0, width: width, height: height)
      }
      bands.append(bytes)
    }
    try writer.close()
    return bands
  }
}
