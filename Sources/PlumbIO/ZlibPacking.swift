import CZlib
import PlumbCore

/// Compression to the zlib format (without a gzip header), and the checksum of gzip and PNG.
package enum ZlibPacking {
  /// The number of bytes that a worker compresses at a time, and the number of preceding bytes that
  /// are the dictionary for them.
  private static let (part, window) = (1 << 18, 1 << 15)

  /// Compresses parts in parallel, each with the end of the previous part as its dictionary.
  ///
  /// - Parameter level: the compression level, from 1 (fastest) to 9 (smallest).
  /// - Returns: nil if there is not enough memory.
  package static func packed(_ bytes: [UInt8], level: Int, workers: Workers) -> [UInt8]? {
    let count = max(1, (bytes.count + part - 1) / part)
    let parts = workers.map(count) { _, index in
      let range = index * part..<min(bytes.count, (index + 1) * part)
      return bytes.withUnsafeBufferPointer { bytes in
        pack(bytes, range, level: level, isLast: index == count - 1)
      }
    }
    // The zlib header specifies a window of 32 kB. The two bytes, as a 16-bit number, must be a
    // multiple of 31.
    var packed: [UInt8] = [0x78, 0x5E]
    packed.reserveCapacity(parts.reduce(16) { $0 + ($1?.bytes.count ?? 0) })
    var checksum = adler32(0, nil, 0)
    for (index, part) in parts.enumerated() {
      guard let part else { return nil }
      packed += part.bytes
      let length = min(bytes.count, (index + 1) * Self.part) - index * Self.part
      checksum = adler32_combine(checksum, part.checksum, length)
    }
    for shift in [24, 16, 8, 0] { packed.append(UInt8(truncatingIfNeeded: checksum >> shift)) }
    return packed
  }

  private static func pack(
    _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, level: Int, isLast: Bool
  ) -> (bytes: [UInt8], checksum: uLong)? {
    // zlib keeps pointers to the state, so the state must not move.
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    defer { stream.deallocate() }
    guard plumb_deflate_start(stream, Int32(level)) == Z_OK else { return nil }
    defer { deflateEnd(stream) }
    let before = max(0, range.lowerBound - window)..<range.lowerBound
    let input = UnsafeBufferPointer(rebasing: bytes[range])
    if !before.isEmpty {
      let known = UnsafeBufferPointer(rebasing: bytes[before])
      deflateSetDictionary(stream, known.baseAddress, uInt(known.count))
    }
    // The bound does not include the bytes that a flush adds.
    let available = Int(deflateBound(stream, uLong(input.count))) + 64
    var isComplete = false
    let packed = [UInt8](unsafeUninitializedCapacity: available) { target, count in
      stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      stream.pointee.avail_in = uInt(input.count)
      stream.pointee.next_out = target.baseAddress
      stream.pointee.avail_out = uInt(target.count)
      let status = deflate(stream, isLast ? Z_FINISH : Z_SYNC_FLUSH)
      count = target.count - Int(stream.pointee.avail_out)
      isComplete = status == (isLast ? Z_STREAM_END : Z_OK) && stream.pointee.avail_out > 0
    }
    let start = adler32(0, nil, 0)
    return isComplete ? (packed, adler32(start, input.baseAddress, uInt(input.count))) : nil
  }

  /// Decompresses bytes in the zlib format.
  ///
  /// - Parameter byteCount: the size of the result.
  /// - Returns: nil if the bytes are damaged, or if the result has another size.
  package static func unpacked(_ bytes: ArraySlice<UInt8>, byteCount: Int) -> [UInt8]? {
    var isComplete = false
    let unpacked = [UInt8](unsafeUninitializedCapacity: max(1, byteCount)) { target, count in
      bytes.withUnsafeBufferPointer { bytes in
        var size = uLongf(byteCount)
        let status = uncompress(target.baseAddress, &size, bytes.baseAddress, uLong(bytes.count))
        isComplete = status == Z_OK && Int(size) == byteCount
      }
      count = isComplete ? byteCount : 0
    }
    return isComplete ? unpacked : nil
  }

  /// Decompresses bytes in the zlib format.
  ///
  /// - Returns: false if the bytes are damaged, or if they do not fill the output exactly.
  package static func unpack(
    _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> Bool {
    DeflateDecoder()?.decode(bytes, into: output) ?? false
  }

  /// Decompresses bytes in the gzip format, in one or more members, or in the zlib format.
  ///
  /// - Returns: false if the bytes are damaged, or if they do not fill the output exactly.
  package static func unpackGzip(
    _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard bytes.count <= Int(uInt.max), output.count <= Int(uInt.max) else { return false }
    // zlib keeps pointers to the state, so the state must not move.
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    defer { stream.deallocate() }
    guard plumb_unpack_start(stream) == Z_OK else { return false }
    defer { inflateEnd(stream) }
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
    stream.pointee.avail_in = uInt(bytes.count)
    stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
    stream.pointee.avail_out = uInt(output.count)
    while true {
      guard inflate(stream, Z_FINISH) == Z_STREAM_END else { return false }
      if stream.pointee.avail_in == 0 { return stream.pointee.avail_out == 0 }
      guard inflateReset(stream) == Z_OK else { return false }
    }
  }

  /// The maximum size of `byteCount` compressed bytes after decompression.
  package static func largestSize(ofPacked byteCount: Int) -> Int { byteCount * 1040 + 64 }

  /// The CRC-32 that gzip and PNG use.
  package static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.withUnsafeBytes { checksum($0) }
  }

  /// The CRC-32 of bytes in memory.
  package static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    UInt32(
      truncatingIfNeeded: crc32_z(0, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count))
  }
}
