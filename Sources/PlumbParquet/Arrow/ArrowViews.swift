import PlumbIO

/// Values of any length in views: a view has the length and the value itself or, if the value is longer than
/// 12 bytes, its first 4 bytes, the number of a buffer and the position in it.
struct ArrowViews {
  /// At least 16 bytes for each row.
  let bytes: UnsafeRawBufferPointer
  /// The buffers to which views refer.
  let parts: [ArrowBuffer]
  let count: Int
  let validity: [UInt8]?

  func values(_ budget: DecodeBudget) throws(FormatError) -> ColumnValues {
    var offsets = [0]
    offsets.reserveCapacity(count + 1)
    var total = 0
    for row in 0..<count {
      let length = isNull(row) ? 0 : Int(word(row, 0))
      guard length >= 0 else { throw Self.fault }
      total += length
      offsets.append(total)
    }
    try budget.take(total)
    var values: [UInt8] = []
    values.reserveCapacity(total)
    for row in 0..<count {
      let length = offsets[row + 1] - offsets[row]
      if length <= 12 {
        values += UnsafeRawBufferPointer(rebasing: bytes[16 * row + 4..<16 * row + 4 + length])
        continue
      }
      let (part, start) = (Int(word(row, 8)), Int(word(row, 12)))
      guard parts.indices.contains(part), start >= 0, start <= parts[part].bytes.count,
        length <= parts[part].bytes.count - start
      else { throw Self.fault }
      parts[part].withBytes {
        values += UnsafeRawBufferPointer(rebasing: $0[start..<start + length])
      }
    }
    return .bytes(offsets: offsets, bytes: values)
  }

  private static var fault: FormatError {
    ArrowFault.damaged("it has a view outside its buffers")
  }

  private func isNull(_ row: Int) -> Bool {
    validity.map { $0[row >> 3] >> UInt8(row & 7) & 1 == 0 } ?? false
  }

  /// Returns the 32-bit integer at an offset in a row's view.
  private func word(_ row: Int, _ offset: Int) -> Int32 {
    Int32(
      littleEndian: bytes.loadUnaligned(fromByteOffset: 16 * row + offset, as: Int32.self))
  }
}
