/// Decodes Parquet's hybrid of runs of one value and bit-packed values.
///
/// Inputs are followed by readable padding (`PaddedBytes.padding`).
enum HybridRuns {
  /// - Parameter bitWidth: the number of bits of a value, 0 to 32.
  /// - Returns: false if the input is damaged or has fewer values than `count`.
  @inline(__always)
  static func decode<Word: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ input: UnsafeRawBufferPointer, bitWidth: Int, into output: UnsafeMutablePointer<Word>,
    count: Int
  ) -> Bool {
    if bitWidth == 0 {
      output.update(repeating: 0, count: count)
      return true
    }
    guard let base = input.baseAddress else { return count == 0 }
    let valueSize = (bitWidth + 7) / 8
    var (next, done) = (0, 0)
    while done < count {
      guard let head = varint(input, &next) else { return false }
      if head & 1 == 0 {
        guard valueSize <= input.count - next else { return false }
        let value = value(base + next, size: valueSize)
        next += valueSize
        guard let word = Word(exactly: value) else { return false }
        let length = min(Int(head >> 1), count - done)
        (output + done).update(repeating: word, count: length)
        done += length
      } else {
        let available = min(Int(head >> 1) * bitWidth, input.count - next)
        let length = min(Int(head >> 1) * 8, count - done)
        guard available * 8 >= length * bitWidth else { return false }
        BitUnpacking.unpack(base + next, bitWidth: bitWidth, into: output + done, count: length)
        next += available
        done += length
      }
    }
    return true
  }

  /// The value that the first `count` values share if the input begins with a run of at least this
  /// length; otherwise nil.
  static func single(_ input: UnsafeRawBufferPointer, bitWidth: Int, count: Int) -> UInt32? {
    var next = 0
    let size = (bitWidth + 7) / 8
    guard let head = varint(input, &next), head & 1 == 0, Int(head >> 1) >= count,
      size <= input.count - next, let base = input.baseAddress
    else { return nil }
    return value(base + next, size: size)
  }

  @inline(__always)
  private static func value(_ base: UnsafeRawPointer, size: Int) -> UInt32 {
    let word = UInt32(littleEndian: base.loadUnaligned(as: UInt32.self))
    return size == 4 ? word : word & (1 << UInt32(8 * size) - 1)
  }

  /// Reads a number of up to 32 bits.
  @inline(__always)
  private static func varint(_ input: UnsafeRawBufferPointer, _ next: inout Int) -> UInt32? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while next < input.count, shift < 35 {
      let byte = input[next]
      next += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 { return UInt32(exactly: value) }
      shift += 7
    }
    return nil
  }
}

/// Unpacks numbers of a few bits each, the least significant bits first.
enum BitUnpacking {
  /// - Parameters:
  ///   - base: the packed numbers, followed by readable padding (`PaddedBytes.padding`).
  ///   - bitWidth: 1 to 56.
  @inline(__always)
  static func unpack<Word: FixedWidthInteger & BitwiseCopyable>(
    _ base: UnsafeRawPointer, bitWidth: Int, into output: UnsafeMutablePointer<Word>, count: Int
  ) {
    let mask: UInt64 = 1 << UInt64(bitWidth) - 1
    var bit = 0
    for index in 0..<count {
      let word = UInt64(
        littleEndian: base.loadUnaligned(fromByteOffset: bit &>> 3, as: UInt64.self))
      output[index] = Word(truncatingIfNeeded: word &>> UInt64(truncatingIfNeeded: bit & 7) & mask)
      bit &+= bitWidth
    }
  }

  /// Unpacks numbers with the most significant bits first, as in the old encoding of levels.
  static func unpackBigEndian(
    _ input: UnsafeRawBufferPointer, bitWidth: Int, into output: UnsafeMutablePointer<UInt8>,
    count: Int
  ) {
    var bit = 0
    for index in 0..<count {
      var value: UInt8 = 0
      for _ in 0..<bitWidth {
        value = value << 1 | input[bit >> 3] >> UInt8(7 - bit & 7) & 1
        bit += 1
      }
      output[index] = value
    }
  }
}
