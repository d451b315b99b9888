import CZstd

/// Decompresses zstd frames. A decoder belongs to one thread.
package final class ZstdDecoder {
  private let context: OpaquePointer

  /// - Returns: nil if there is not enough memory.
  package init?() {
    guard let context = ZSTD_createDCtx() else { return nil }
    self.context = context
  }

  deinit { ZSTD_freeDCtx(context) }

  /// Decompresses the first bytes of a frame until the output is full.
  ///
  /// - Parameter total: the size in bytes of the whole frame after decompression.
  /// - Returns: false if the frame is damaged or too short, or needs too much memory.
  package func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, of total: Int
  ) -> Bool {
    output.count == total && !hasLargeWindow(input)
      ? decodeFrame(input, into: output) : decodeStream(input, into: output)
  }

  /// Whether a frame needs more memory than zstd allows for a stream; libtiff has the same limit.
  private func hasLargeWindow(_ frame: UnsafeRawBufferPointer) -> Bool {
    // The magic number is followed by a descriptor and, unless the frame is a single segment, the size of the
    // window: five bits for the exponent above 2^10, and three bits for the mantissa.
    guard frame.count > 5, frame[4] & 0x20 == 0 else { return false }
    return frame[5] > (27 - 10) << 3
  }

  /// Decodes a whole frame at once, directly to the output, without a copy through zstd's window buffer.
  private func decodeFrame(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> Bool {
    let written = ZSTD_decompressDCtx(
      context, output.baseAddress, output.count, input.baseAddress, input.count)
    return ZSTD_isError(written) == 0 && written == output.count
  }

  private func decodeStream(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> Bool {
    ZSTD_DCtx_reset(context, ZSTD_reset_session_only)
    var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
    var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
    while target.pos < target.size {
      let before = (source.pos, target.pos)
      let left = ZSTD_decompressStream(context, &target, &source)
      if ZSTD_isError(left) != 0 { return false }
      // Stop at the end of the frame or of the input.
      if left == 0 || (source.pos, target.pos) == before { break }
    }
    return target.pos == target.size
  }
}

/// Compresses bytes to zstd frames. An encoder belongs to one thread.
package final class ZstdEncoder {
  private let context: OpaquePointer
  private let level: Int32

  /// - Parameter level: the compression level; 1 is the fastest of the usual levels.
  /// - Returns: nil if there is not enough memory.
  package init?(level: Int) {
    guard let context = ZSTD_createCCtx() else { return nil }
    (self.context, self.level) = (context, Int32(clamping: level))
  }

  deinit { ZSTD_freeCCtx(context) }

  /// The largest size of `byteCount` bytes after compression.
  package static func largestSize(of byteCount: Int) -> Int { ZSTD_compressBound(byteCount) }

  /// Compresses bytes to one frame.
  ///
  /// - Parameter output: at least `largestSize(of:)` bytes.
  /// - Returns: the size of the frame; nil if there is not enough memory.
  package func encode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> Int? {
    let written = ZSTD_compressCCtx(
      context, output.baseAddress, output.count, input.baseAddress, input.count, level)
    return ZSTD_isError(written) == 0 ? written : nil
  }
}
