import CZlib

/// Compresses bytes as gzip, part by part. Only one thread at a time may use the writer.
package final class GzipWriter {
  // zlib keeps pointers to the state, so the state must not move.
  private let stream: UnsafeMutablePointer<z_stream>

  /// - Parameter level: the compression level, from 1 (fastest) to 9 (smallest).
  package init(level: Int = 3) throws(FormatError) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard plumb_gzip_start(stream, Int32(level)) == Z_OK else {
      throw FormatError("no memory to compress gzip")
    }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// Compresses bytes and returns the output available so far.
  ///
  /// - Parameter isLast: whether these are the last bytes. If true, the call returns the rest of
  ///   the output.
  package func pack(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
    var packed: [UInt8] = []
    var bytes = bytes
    let chunk = max(1 << 12, bytes.count / 4)
    bytes.withUnsafeMutableBufferPointer { input in
      stream.pointee.next_in = input.baseAddress
      stream.pointee.avail_in = UInt32(clamping: input.count)
      var isFull = true
      while isFull {
        let part = [UInt8](unsafeUninitializedCapacity: chunk) { output, count in
          stream.pointee.next_out = output.baseAddress
          stream.pointee.avail_out = UInt32(clamping: output.count)
          deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
          count = output.count - Int(stream.pointee.avail_out)
          isFull = stream.pointee.avail_out == 0
        }
        packed += part
      }
    }
    return packed
  }

  /// Compresses all bytes at once.
  package static func packed(_ bytes: [UInt8]) throws(FormatError) -> [UInt8] {
    try GzipWriter().pack(bytes, isLast: true)
  }
}
