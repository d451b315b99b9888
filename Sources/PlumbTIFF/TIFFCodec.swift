import CTIFF
import PlumbCore

/// The codec of a tile.
enum TIFFCodec: Sendable, Hashable {
  /// Not compressed.
  case none
  case deflate
  case zstd
  case lzw
  case packBits
  /// Another codec, which libtiff decodes.
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

  /// The number of a tile's bytes to decode if only the first `needed` bytes are needed. DEFLATE is
  /// decoded to the end, because the checksum is at the end of the stream. ZSTD decodes a whole
  /// tile faster than a large part of a tile.
  func decodedBytes(needed: Int, of total: Int) -> Int {
    switch self {
    case .deflate: total
    case .zstd: needed > total / 4 * 3 ? total : needed
    case .none, .lzw, .packBits, .other: needed
    }
  }
}

/// The predictor applied to a row before compression.
enum TIFFPredictor: Sendable, Hashable {
  case none
  /// Each number is stored as the difference from the previous number.
  case differences
  /// The bytes of all numbers in a row are sorted by significance, and each byte is stored as the
  /// difference from the previous byte.
  case floatDifferences

  /// - Returns: nil for a predictor that is left to libtiff.
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
