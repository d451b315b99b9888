import CTIFF
import PlumbCore
import PlumbRaster

/// The layout of a TIFF's cells, for files whose decoded bytes are the cells without further conversion.
struct TIFFLayout: Sendable {
  var grid: TileGrid
  var isTiled: Bool
  var isInterleaved: Bool
  /// The format of a tile's bytes.
  var format: TileDecoder.Format

  /// Whether the stored bytes of a tile are its cells, except for the byte order.
  var isUncompressed: Bool { format.codec == .none }

  /// - Returns: nil if the file is not supported by this module or does not agree with `profile`.
  init?(_ tiff: OpaquePointer, profile: RasterProfile, largestTile: Int) {
    func u16(_ tag: Int32) -> Int? {
      var value: UInt16 = 0
      return plumb_tiff_u16(tiff, UInt32(tag), &value) != 0 ? Int(value) : nil
    }
    func u32(_ tag: Int32) -> Int? {
      var value: UInt32 = 0
      return plumb_tiff_u32(tiff, UInt32(tag), &value) != 0 ? Int(value) : nil
    }
    // Control points and polynomials are left to GDAL.
    guard let first = profile.bands.first, profile.mapping != .source,
      profile.bands.allSatisfy({ $0.pixelType == first.pixelType }),
      !profile.bands.contains(where: {
        if case .mask = $0.validity { true } else { false }
      }),
      u32(TIFFTAG_IMAGEWIDTH) == profile.grid.width,
      u32(TIFFTAG_IMAGELENGTH) == profile.grid.height,
      u16(TIFFTAG_SAMPLESPERPIXEL) == profile.bands.count,
      let bits = u16(TIFFTAG_BITSPERSAMPLE),
      let sampleFormat = u16(TIFFTAG_SAMPLEFORMAT),
      Self.pixelType(bits: bits, format: sampleFormat) == first.pixelType,
      let compression = u16(TIFFTAG_COMPRESSION), Self.isCovered(compression: compression),
      u16(TIFFTAG_FILLORDER) == Int(FILLORDER_MSB2LSB),
      let planes = u16(TIFFTAG_PLANARCONFIG)
    else { return nil }
    if let photometric = u16(TIFFTAG_PHOTOMETRIC), !Self.isPlain(photometric: photometric) {
      return nil
    }
    let isByteSwapped = TIFFIsByteSwapped(tiff) != 0
    // libtiff swaps the bytes of whole samples, but a complex sample consists of two numbers.
    if isByteSwapped, first.pixelType.isComplex { return nil }
    isInterleaved = planes == Int(PLANARCONFIG_CONTIG) && profile.bands.count > 1
    isTiled = TIFFIsTiled(tiff) != 0

    let (width, height) = (profile.grid.width, profile.grid.height)
    let shape: (width: Int, height: Int)
    if isTiled {
      guard let tileWidth = u32(TIFFTAG_TILEWIDTH), let tileHeight = u32(TIFFTAG_TILELENGTH)
      else { return nil }
      shape = (tileWidth, tileHeight)
    } else {
      shape = (width, min(height, u32(TIFFTAG_ROWSPERSTRIP) ?? height))
    }
    guard shape.width > 0, shape.height > 0 else { return nil }
    let cellBytes = first.pixelType.byteCount * (isInterleaved ? profile.bands.count : 1)
    let (cells, overflow) = shape.width.multipliedReportingOverflow(by: shape.height)
    guard !overflow, cells <= largestTile / cellBytes else { return nil }
    grid = TileGrid(
      width: width, height: height, tileWidth: shape.width, tileHeight: shape.height)
    let planeCount = isInterleaved ? 1 : profile.bands.count
    guard grid.tileCount < Int(Int32.max) / planeCount else { return nil }
    let tileCount = Int(isTiled ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff))
    let tileSize = Int(isTiled ? TIFFTileSize(tiff) : TIFFStripSize(tiff))
    guard tileCount == grid.tileCount * planeCount, tileSize == cells * cellBytes else {
      return nil
    }
    let codec = TIFFCodec(compression: compression)
    // The tag is not defined for codecs that do not support a predictor.
    let predictor = u16(TIFFTAG_PREDICTOR).map {
      TIFFPredictor(tag: $0, of: first.pixelType)
    }
    format = TileDecoder.Format(
      codec: predictor == .some(nil) ? .other : codec,
      predictor: predictor.flatMap(\.self) ?? .none, isByteSwapped: isByteSwapped,
      size: first.pixelType.byteCount, samples: isInterleaved ? profile.bands.count : 1,
      columns: shape.width)
  }

  static func pixelType(bits: Int, format: Int) -> PixelType? {
    switch (Int32(format), bits) {
    case (SAMPLEFORMAT_UINT, 8), (SAMPLEFORMAT_VOID, 8): .uint8
    case (SAMPLEFORMAT_UINT, 16), (SAMPLEFORMAT_VOID, 16): .uint16
    case (SAMPLEFORMAT_UINT, 32), (SAMPLEFORMAT_VOID, 32): .uint32
    case (SAMPLEFORMAT_UINT, 64): .uint64
    case (SAMPLEFORMAT_INT, 8): .int8
    case (SAMPLEFORMAT_INT, 16): .int16
    case (SAMPLEFORMAT_INT, 32): .int32
    case (SAMPLEFORMAT_INT, 64): .int64
    case (SAMPLEFORMAT_IEEEFP, 32): .float32
    case (SAMPLEFORMAT_IEEEFP, 64): .float64
    case (SAMPLEFORMAT_COMPLEXINT, 32): .complexInt16
    case (SAMPLEFORMAT_COMPLEXINT, 64): .complexInt32
    case (SAMPLEFORMAT_COMPLEXIEEEFP, 64): .complexFloat32
    case (SAMPLEFORMAT_COMPLEXIEEEFP, 128): .complexFloat64
    default: nil
    }
  }

  /// Whether a codec is lossless and its decoded bytes are the cells. JPEG, WebP and LERC are left to GDAL,
  /// which handles their colour spaces, tables and masks.
  private static func isCovered(compression: Int) -> Bool {
    let covered = [
      COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_DEFLATE,
      COMPRESSION_PACKBITS, COMPRESSION_ZSTD, COMPRESSION_LZMA,
    ]
    return covered.contains { Int($0) == compression }
      && TIFFIsCODECConfigured(UInt16(compression)) != 0
  }

  private static func isPlain(photometric: Int) -> Bool {
    [PHOTOMETRIC_MINISBLACK, PHOTOMETRIC_MINISWHITE, PHOTOMETRIC_RGB, PHOTOMETRIC_PALETTE]
      .contains { Int($0) == photometric }
  }
}
