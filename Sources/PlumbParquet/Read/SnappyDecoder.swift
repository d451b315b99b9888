/// Decompresses Snappy's block format.
enum SnappyDecoder {
  /// - Parameters:
  ///   - input: followed by readable padding (`PaddedBytes.padding`).
  ///   - output: room for `byteCount` bytes, followed by writable padding.
  /// - Returns: false unless the input decompresses to exactly `byteCount` bytes.
  static func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawPointer, byteCount: Int
  ) -> Bool {
    guard let source = input.baseAddress else { return false }
    let end = input.count
    var next = 0
    var declared = 0
    var shift = 0
    while true {
      guard next < end, shift < 35 else { return false }
      let byte = Int(input[next])
      next += 1
      declared |= (byte & 0x7F) << shift
      if byte & 0x80 == 0 { break }
      shift += 7
    }
    guard declared == byteCount else { return false }
    var done = 0
    while next < end {
      let tag = Int(source.load(fromByteOffset: next, as: UInt8.self))
      next &+= 1
      var length = (tag >> 2) + 1
      if tag & 3 == 0 {
        if length > 60 {
          let size = length - 60
          guard size <= end - next else { return false }
          let word = UInt32(
            littleEndian: source.loadUnaligned(fromByteOffset: next, as: UInt32.self))
          length = Int(word & (UInt32.max >> UInt32(32 - 8 * size))) + 1
          next &+= size
        }
        guard length <= end - next, length <= byteCount - done else { return false }
        BackReference.copy(literal: source + next, to: output + done, length: length)
        next &+= length
        done &+= length
        continue
      }
      let size = tag & 3 == 3 ? 4 : tag & 3
      guard size <= end - next else { return false }
      let word = UInt32(littleEndian: source.loadUnaligned(fromByteOffset: next, as: UInt32.self))
      next &+= size
      var distance: Int
      switch size {
      case 1:
        length = 4 + (tag >> 2 & 7)
        distance = (tag >> 5) << 8 | Int(word & 0xFF)
      case 2: distance = Int(word & 0xFFFF)
      default: distance = Int(word)
      }
      guard distance > 0, distance <= done, length <= byteCount - done else { return false }
      BackReference.copy(output + done, distance: distance, length: length)
      done &+= length
    }
    return done == byteCount
  }
}
