import PlumbIO

/// Decodes DELTA_BINARY_PACKED: blocks of differences. A block consists of parts (miniblocks), and
/// each part has a separate bit width.
enum DeltaDecoder {
  /// Decodes `count` numbers.
  ///
  /// - Parameter input: followed by readable padding (`PaddedBytes.padding`).
  /// - Returns: the number of bytes that the numbers take.
  static func decode<Word: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutablePointer<Word>, count: Int
  ) throws(FormatError) -> Int {
    var next = 0
    let blockSize = try number(input, &next)
    let partCount = try number(input, &next)
    let total = try number(input, &next)
    let first = zigzag(try varint(input, &next))
    guard partCount > 0, partCount <= 1024, blockSize > 0, blockSize <= 1 << 20,
      blockSize % partCount == 0, (blockSize / partCount) % 8 == 0
    else {
      throw ParquetFault.damaged("a page has blocks of \(blockSize) values in \(partCount) parts")
    }
    guard total == count else {
      throw ParquetFault.damaged("a page has \(total) differences for \(count) values")
    }
    if count == 0 { return next }
    let partSize = blockSize / partCount
    var value = Word(truncatingIfNeeded: first)
    output[0] = value
    var done = 1
    while done < count {
      let least = Word(truncatingIfNeeded: zigzag(try varint(input, &next)))
      guard partCount <= input.count - next else { throw truncated }
      let widths = next
      next += partCount
      for part in 0..<partCount where done < count {
        let width = Int(input[widths + part])
        guard width <= 64 else { throw ParquetFault.damaged("a difference has \(width) bits") }
        let length = min(partSize, count - done)
        let size = min(partSize * width / 8, input.count - next)
        guard size * 8 >= length * width, let base = input.baseAddress else { throw truncated }
        value = add(
          base + next, bitWidth: width, least: least, to: value, into: output + done, count: length)
        next += size
        done += length
      }
    }
    return next
  }

  private static var truncated: FormatError { ParquetFault.damaged("a page ends too early") }

  /// Adds packed differences one after the other, and returns the last sum.
  @inline(__always)
  private static func add<Word: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ base: UnsafeRawPointer, bitWidth: Int, least: Word, to first: Word,
    into output: UnsafeMutablePointer<Word>, count: Int
  ) -> Word {
    var value = first
    if bitWidth == 0 {
      for index in 0..<count {
        value &+= least
        output[index] = value
      }
      return value
    }
    let mask: UInt64 = bitWidth == 64 ? .max : 1 << UInt64(bitWidth) - 1
    var bit = 0
    for index in 0..<count {
      let (byte, shift) = (bit &>> 3, UInt64(truncatingIfNeeded: bit & 7))
      var word =
        UInt64(littleEndian: base.loadUnaligned(fromByteOffset: byte, as: UInt64.self))
        &>> shift
      if bitWidth > 56, shift > 0 {
        let more = UInt64(base.load(fromByteOffset: byte &+ 8, as: UInt8.self))
        word |= more &<< (64 &- shift)
      }
      value &+= least &+ Word(truncatingIfNeeded: word & mask)
      output[index] = value
      bit &+= bitWidth
    }
    return value
  }

  private static func zigzag(_ value: UInt64) -> Int64 {
    Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  private static func number(
    _ input: UnsafeRawBufferPointer, _ next: inout Int
  ) throws(FormatError) -> Int {
    guard let number = Int(exactly: try varint(input, &next)) else {
      throw ParquetFault.damaged("a number in a page is too large")
    }
    return number
  }

  private static func varint(
    _ input: UnsafeRawBufferPointer, _ next: inout Int
  ) throws(FormatError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard next < input.count else { throw truncated }
      let byte = input[next]
      next += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 { return value }
    }
    throw ParquetFault.damaged("a number in a page has too many bytes")
  }
}
