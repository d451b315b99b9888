import CZlib

/// Packs bytes as gzip, part by part. One thread at a time may use it.
package final class GzipWriter {
  // The library keeps pointers to the state, so it may not move.
  private let stream: UnsafeMutablePointer<z_stream>

  /// - Parameter level: from 1, the quickest, to 9, the smallest.
  package init(level: Int = 3) throws(FormatError) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard plumb_gzip_start(stream, Int32(level)) == Z_OK else {
      throw FormatError("no memory to pack gzip")
    }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// What there is of the packed bytes after some more.
  ///
  /// - Parameter isLast: whether nothing follows; then all of them are there.
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

  /// Bytes packed at once.
  package static func packed(_ bytes: [UInt8]) throws(FormatError) -> [UInt8] {
    try GzipWriter().pack(bytes, isLast: true)
  }
}
