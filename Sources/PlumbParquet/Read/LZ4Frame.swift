/// Decompresses LZ4's frame format. Checksums are not verified.
enum LZ4Frame {
  private static let mark: UInt32 = 0x184D_2204

  /// - Parameters:
  ///   - input: followed by readable padding (`PaddedBytes.padding`).
  ///   - output: room for `byteCount` bytes, followed by writable padding.
  /// - Returns: false unless the frame decompresses to exactly `byteCount` bytes.
  static func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawPointer, byteCount: Int
  ) -> Bool {
    // The magic number, the flags, the maximum block size and a checksum take seven bytes.
    guard input.count >= 7, word(input, 0) == mark else { return false }
    let flags = input[4]
    // The version is 1, and dictionaries are not supported.
    guard flags >> 6 == 1, flags & 1 == 0 else { return false }
    let areLinked = flags & 0x20 == 0
    let blockChecksum = flags & 0x10 == 0 ? 0 : 4
    var next = 7 + (flags & 0x08 == 0 ? 0 : 8)
    var done = 0
    while next <= input.count - 4 {
      let size = Int(word(input, next) & 0x7FFF_FFFF)
      let isPacked = word(input, next) >> 31 == 0
      next += 4
      if size == 0 { return done == byteCount }
      guard size <= input.count - next else { return false }
      let block = UnsafeRawBufferPointer(rebasing: input[next..<next + size])
      if isPacked {
        guard
          let count = LZ4Decoder.decode(
            block, into: output + done, limit: byteCount - done, history: areLinked ? done : 0)
        else { return false }
        done += count
      } else {
        guard size <= byteCount - done, let start = block.baseAddress else { return false }
        (output + done).copyMemory(from: start, byteCount: size)
        done += size
      }
      next += size + blockChecksum
    }
    return false
  }

  private static func word(_ input: UnsafeRawBufferPointer, _ position: Int) -> UInt32 {
    UInt32(littleEndian: input.loadUnaligned(fromByteOffset: position, as: UInt32.self))
  }
}
