import CTIFF
import PlumbCore

/// How the bytes of a tile become cells.
enum TIFFCodec: Sendable, Hashable {
  /// The bytes are the cells.
  case none
  case deflate
  case zstd
  case lzw
  case packBits
  /// One that libtiff alone decodes.
  case other

  init(compression: Int) {
    self =
      switch Int32(compression) {
      case COMPRESSION_NONE: .none
      case COMPRESSION_ADOBE_DEFLATE, COMPRESSION_DEFLATE: .deflate
      case COMPRESSION_ZSTD: .zstd
      case COMPRESSION_LZW: .lzw
      case COMPRESSION_PACKBITS: .packBits
      default: .other
      }
  }

  /// How many of a tile's bytes are decoded where only the first ones are needed. DEFLATE goes to
  /// the end, where the stream's checksum is; ZSTD is quicker on a whole tile than on most of one.
  func decodedBytes(needed: Int, of whole: Int) -> Int {
    switch self {
    case .deflate: whole
    case .zstd: needed > whole / 4 * 3 ? whole : needed
    case .none, .lzw, .packBits, .other: needed
    }
  }
}

/// What was done to the numbers of a row before they were compressed.
enum TIFFPredictor: Sendable, Hashable {
  case none
  /// Each number is its difference from the one before.
  case differences
  /// Each byte is its difference from the one before, the bytes of all numbers sorted by rank.
  case floatDifferences

  /// - Returns: nil for one that is left to libtiff.
  init?(tag: Int, of type: PixelType) {
    switch Int32(tag) {
    case PREDICTOR_NONE, 0: self = .none
    case PREDICTOR_HORIZONTAL where !type.isComplex: self = .differences
    case PREDICTOR_FLOATINGPOINT where type == .float32 || type == .float64:
      self = .floatDifferences
    default: return nil
    }
  }
}
