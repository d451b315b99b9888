/// Decompresses LZ4's block format.
enum LZ4Decoder {
  /// - Parameters:
  ///   - input: followed by readable padding (`PaddedBytes.padding`).
  ///   - output: room for `byteCount` bytes, followed by writable padding.
  /// - Returns: false unless the input decompresses to exactly `byteCount` bytes.
  static func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawPointer, byteCount: Int
  ) -> Bool {
    guard let source = input.baseAddress else { return false }
    let end = input.count
    var (next, done) = (0, 0)
    while next < end {
      let token = Int(source.load(fromByteOffset: next, as: UInt8.self))
      next &+= 1
      guard let length = length(token >> 4, source, &next, end), length <= end - next,
        length <= byteCount - done
      else { return false }
      BackReference.copy(literal: source + next, to: output + done, length: length)
      next &+= length
      done &+= length
      // The last sequence has only literals.
      if next == end { return done == byteCount }
      guard end - next >= 2 else { return false }
      let distance = Int(
        UInt16(littleEndian: source.loadUnaligned(fromByteOffset: next, as: UInt16.self)))
      next &+= 2
      guard let match = Self.length(token & 15, source, &next, end), distance > 0,
        distance <= done, match + 4 <= byteCount - done
      else { return false }
      BackReference.copy(output + done, distance: distance, length: match + 4)
      done &+= match + 4
    }
    return false
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

  /// Decompresses blocks in Hadoop's frames, each of which begins with the sizes after and before
  /// decompression, most significant byte first. Parameters and result are those of `decode`.
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
