import CDeflate

/// Decompresses bytes in the zlib format. A decoder belongs to one thread.
package final class DeflateDecoder {
  private let decompressor: OpaquePointer

  /// - Returns: nil if there is not enough memory.
  package init?() {
    guard let decompressor = libdeflate_alloc_decompressor() else { return nil }
    self.decompressor = decompressor
  }

  deinit { libdeflate_free_decompressor(decompressor) }

  /// - Returns: false if the bytes are damaged, or if they do not fill the output exactly.
  package func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> Bool {
    var written = 0
    let result = libdeflate_zlib_decompress(
      decompressor, input.baseAddress, input.count, output.baseAddress, output.count, &written)
    return result == LIBDEFLATE_SUCCESS && written == output.count
  }
}
