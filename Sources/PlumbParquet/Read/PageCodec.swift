import PlumbCore
import PlumbIO

/// Decompresses the pages of one column. Only one thread at a time may use it.
final class PageCodec {
  private let codec: CompressionCodec
  private lazy var zstd = ZstdDecoder()

  /// - Throws: if the codec is unknown or not supported.
  init(_ code: Int32) throws(FormatError) {
    guard let codec = CompressionCodec(rawValue: code) else {
      throw ParquetFault.unsupported("Parquet compression \(code)")
    }
    if codec == .lzo || codec == .brotli {
      var error = ParquetFault.unsupported("Parquet compression \(codec.name)")
      error.remedies = ["write the file with ZSTD or SNAPPY"]
      throw error
    }
    self.codec = codec
  }

  var isIdentity: Bool { codec == .uncompressed }

  /// Decompresses bytes that are followed by padding (`PaddedBytes.padding`).
  ///
  /// - Throws: unless they decompress to exactly `byteCount` bytes.
  func unpack(
    _ input: UnsafeRawBufferPointer, into output: PaddedBytes, byteCount: Int
  ) throws(FormatError) {
    if byteCount == 0 { return }
    output.reserve(byteCount)
    let target = UnsafeMutableRawBufferPointer(start: output.base, count: byteCount)
    let isComplete =
      switch codec {
      case .snappy: SnappyDecoder.decode(input, into: output.base, byteCount: byteCount)
      case .lz4Raw: LZ4Decoder.decode(input, into: output.base, byteCount: byteCount)
      case .lz4:
        LZ4Decoder.decodeHadoop(input, into: output.base, byteCount: byteCount)
          || LZ4Decoder.decode(input, into: output.base, byteCount: byteCount)
      case .gzip: ZlibPacking.unpackGzip(input, into: target)
      case .zstd: zstd?.decode(input, into: target, of: byteCount) ?? false
      case .uncompressed, .lzo, .brotli: false
      }
    guard isComplete else {
      if codec == .lz4, input.starts(with: [0x04, 0x22, 0x4D, 0x18]) {
        throw ParquetFault.unsupported(
          "Parquet compression LZ4 in frames, as old writers wrote it,")
      }
      throw ParquetFault.damaged("a page is not valid \(codec.name)")
    }
  }
}
