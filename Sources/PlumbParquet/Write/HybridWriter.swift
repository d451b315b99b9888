/// Appends integers in Parquet's hybrid of runs and bit-packed groups.
enum HybridWriter {
  /// Appends values of `width` bits each, at most 32.
  static func append(
    _ values: UnsafeBufferPointer<UInt32>, width: Int, to bytes: inout [UInt8]
  ) {
    var position = 0
    /// The first value that is not written.
    var start = 0
    while position < values.count {
      let value = values[position]
      var end = position + 1
      while end < values.count, values[end] == value { end += 1 }
      // Values before a run have to fill whole groups of eight.
      let missing = (8 - (position - start) % 8) % 8
      if end - position - missing >= 8 {
        let first = position + missing
        appendGroups(values, start..<first, width: width, to: &bytes)
        append(varint: UInt64(end - first) << 1, to: &bytes)
        appendValue(value, width: width, to: &bytes)
        start = end
      }
      position = end
    }
    appendGroups(values, start..<values.count, width: width, to: &bytes)
  }

  /// Appends bits, one per value, in the same form.
  ///
  /// - Parameter bits: the values, least significant bit first, with zeros after the last value.
  static func append(bits: [UInt8], count: Int, to bytes: inout [UInt8]) {
    let whole = count / 8
    var position = 0
    var start = 0
    while position < whole {
      let value = bits[position]
      guard value == 0 || value == 0xFF else {
        position += 1
        continue
      }
      var end = position + 1
      while end < whole, bits[end] == value { end += 1 }
      let rows = (end - position) * 8
      // A run takes about as many bytes as two groups.
      if end - position >= 3 || end == whole && position == 0 {
        appendGroups(bits, start..<position, to: &bytes)
        append(varint: UInt64(rows) << 1, to: &bytes)
        bytes.append(value & 1)
        start = end
      }
      position = end
    }
    appendGroups(bits, start..<(count + 7) / 8, to: &bytes)
  }

  private static func appendGroups(_ bits: [UInt8], _ range: Range<Int>, to bytes: inout [UInt8]) {
    if range.isEmpty { return }
    append(varint: UInt64(range.count) << 1 | 1, to: &bytes)
    bytes += bits[range]
  }

  /// Appends the values of a range in groups of eight. The last group is filled with zeros.
  private static func appendGroups(
    _ values: UnsafeBufferPointer<UInt32>, _ range: Range<Int>, width: Int,
    to bytes: inout [UInt8]
  ) {
    if range.isEmpty { return }
    let groups = (range.count + 7) / 8
    append(varint: UInt64(groups) << 1 | 1, to: &bytes)
    let packed = [UInt8](unsafeUninitializedCapacity: groups * width + 8) { target, filled in
      var (bits, bitCount, position): (UInt64, Int, Int) = (0, 0, 0)
      for index in range {
        bits |= UInt64(values[index]) << UInt64(bitCount)
        bitCount += width
        if bitCount >= 32 {
          let word = UInt32(truncatingIfNeeded: bits)
          UnsafeMutableRawPointer(target.baseAddress.unsafelyUnwrapped)
            .storeBytes(of: word.littleEndian, toByteOffset: position, as: UInt32.self)
          position += 4
          bits >>= 32
          bitCount -= 32
        }
      }
      while position < groups * width {
        target[position] = UInt8(truncatingIfNeeded: bits)
        bits >>= 8
        position += 1
      }
      filled = groups * width
    }
    bytes += packed
  }

  private static func appendValue(_ value: UInt32, width: Int, to bytes: inout [UInt8]) {
    for byte in 0..<(width + 7) / 8 {
      bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(8 * byte)))
    }
  }

  private static func append(varint value: UInt64, to bytes: inout [UInt8]) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }
}
