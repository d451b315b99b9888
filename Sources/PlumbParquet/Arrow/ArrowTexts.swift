import PlumbIO

/// Values of any length in two buffers of a record batch.
struct ArrowTexts {
  let bytes: UnsafeRawBufferPointer
  let count: Int
  let validity: [UInt8]?

  /// The values by their offsets.
  ///
  /// - Parameter offsets: at least `count` + 1 offsets, which do not have to begin at 0.
  func values<Offset: FixedWidthInteger & BitwiseCopyable>(
    _ offsets: UnsafeRawBufferPointer, _: Offset.Type, _ budget: DecodeBudget
  ) throws(FormatError) -> ColumnValues {
    let size = MemoryLayout<Offset>.size
    let first = Int(
      truncatingIfNeeded: Offset(littleEndian: offsets.loadUnaligned(as: Offset.self)))
    guard first >= 0, first <= bytes.count else { throw Self.fault }
    var areSorted = true
    let starts = [Int](unsafeUninitializedCapacity: count + 1) { output, used in
      var previous = first
      for row in 0...count {
        let next = Int(
          truncatingIfNeeded: Offset(
            littleEndian: offsets.loadUnaligned(fromByteOffset: row &* size, as: Offset.self)))
        areSorted = areSorted && next >= previous
        output[row] = next &- first
        previous = next
      }
      used = count + 1
    }
    guard areSorted, let end = starts.last, end <= bytes.count - first else { throw Self.fault }
    try budget.take(end)
    if let validity, hasNullBytes(starts, validity) {
      return compacted(starts, first, validity)
    }
    return .bytes(offsets: starts, bytes: [UInt8](bytes[first..<first + end]))
  }

  private static var fault: FormatError {
    ArrowFault.damaged("a value is outside its buffer")
  }

  /// Whether a null row has bytes.
  private func hasNullBytes(_ starts: [Int], _ validity: [UInt8]) -> Bool {
    var found = false
    ColumnValidity.forEachNull(validity, count: count) {
      found = found || starts[$0] != starts[$0 + 1]
    }
    return found
  }

  /// The values without the bytes of null rows.
  private func compacted(_ starts: [Int], _ first: Int, _ validity: [UInt8]) -> ColumnValues {
    var values: [UInt8] = []
    var offsets = [0]
    offsets.reserveCapacity(count + 1)
    for row in 0..<count {
      if validity[row >> 3] >> UInt8(row & 7) & 1 == 1 {
        values += bytes[first + starts[row]..<first + starts[row + 1]]
      }
      offsets.append(values.count)
    }
    return .bytes(offsets: offsets, bytes: values)
  }
}
