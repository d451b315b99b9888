/// Decompresses LZ4's block format.
enum LZ4Decoder {
  /// - Parameters:
  ///   - input: followed by readable padding (`PaddedBytes.padding`).
  ///   - output: room for `byteCount` bytes, followed by writable padding.
  /// - Returns: false unless the input decompresses to exactly `byteCount` bytes.
  static func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawPointer, byteCount: Int
  ) -> Bool {
    decode(input, into: output, limit: byteCount, history: 0) == byteCount
  }

  /// Decompresses a block that may refer to bytes of earlier blocks.
  ///
  /// - Parameters:
  ///   - limit: the largest number of bytes; `output` has room for them, followed by writable padding.
  ///   - history: the number of decompressed bytes directly before `output`.
  /// - Returns: the number of bytes; nil if the block is damaged or has more than `limit` bytes.
  static func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawPointer, limit: Int, history: Int
  ) -> Int? {
    guard let source = input.baseAddress else { return nil }
    let end = input.count
    var (next, done) = (0, 0)
    while next < end {
      let token = Int(source.load(fromByteOffset: next, as: UInt8.self))
      next &+= 1
      guard let length = length(token >> 4, source, &next, end), length <= end - next,
        length <= limit - done
      else { return nil }
      BackReference.copy(literal: source + next, to: output + done, length: length)
      next &+= length
      done &+= length
      // The last sequence has only literals.
      if next == end { return done }
      guard end - next >= 2 else { return nil }
      let distance = Int(
        UInt16(littleEndian: source.loadUnaligned(fromByteOffset: next, as: UInt16.self)))
      next &+= 2
      guard let match = Self.length(token & 15, source, &next, end), distance > 0,
        distance <= done + history, match + 4 <= limit - done
      else { return nil }
      BackReference.copy(output + done, distance: distance, length: match + 4)
      done &+= match + 4
    }
    return nil
  }

  /// Reads the rest of a length whose first four bits are given.
  @inline(__always)
  private static func length(
    _ start: Int, _ source: UnsafeRawPointer, _ next: inout Int, _ end: Int
  ) -> Int? {
    var length = start
    guard start == 15 else { return length }
    while next < end {
      let byte = Int(source.load(fromByteOffset: next, as: UInt8.self))
      next &+= 1
      length &+= byte
      if byte < 255 { return length }
    }
    return nil
  }

  /// Decompresses blocks in Hadoop's frames. Each frame begins with the decompressed size and the
  /// compressed size, both big-endian. Parameters and result are those of `decode`.
  static func decodeHadoop(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawPointer, byteCount: Int
  ) -> Bool {
    var (next, done) = (0, 0)
    while next < input.count {
      guard input.count - next >= 8 else { return false }
      let size = Int(UInt32(bigEndian: input.loadUnaligned(fromByteOffset: next, as: UInt32.self)))
      let packed = Int(
        UInt32(bigEndian: input.loadUnaligned(fromByteOffset: next + 4, as: UInt32.self)))
      next += 8
      guard packed <= input.count - next, size <= byteCount - done else { return false }
      let block = UnsafeRawBufferPointer(rebasing: input[next..<next + packed])
      guard decode(block, into: output + done, byteCount: size) else { return false }
      next += packed
      done += size
    }
    return done == byteCount
  }
}
