import PlumbIO

/// Values of one size in a buffer of a record batch.
struct ArrowFixedValues {
  /// At least as many bytes as the rows need.
  let bytes: UnsafeRawBufferPointer
  let count: Int
  let validity: [UInt8]?

  /// The values as the kind of a column requires.
  ///
  /// - Precondition: `width` is the size of a value in bytes; it is at least 1 and valid for the kind.
  func values(_ kind: ColumnKind, width: Int) throws(FormatError) -> ColumnValues {
    switch (kind, width) {
    case (.integer(_, true), 1): .int8(numbers())
    case (.integer(_, true), 2): .int16(numbers())
    case (.integer(_, true), 4): .int32(numbers())
    case (.integer(_, true), 8): .int64(numbers())
    case (.integer(_, false), 1): .uint8(numbers())
    case (.integer(_, false), 2): .uint16(numbers())
    case (.integer(_, false), 4): .uint32(numbers())
    case (.integer(_, false), 8): .uint64(numbers())
    case (.float, 2): .float16(numbers())
    case (.float, 4): .float(array(Float.self, empty: 0))
    case (.float, 8): .double(array(Double.self, empty: 0))
    case (.date, 8): .int32(try days())
    case (.date, _), (.time, 4), (.decimal, 4): .int32(numbers())
    case (.time, _), (.timestamp, _), (.decimal, 8): .int64(numbers())
    case (.decimal, _): .fixed(width: width, bytes: reversed(width))
    default: .fixed(width: width, bytes: fixed(width))
    }
  }

  private func numbers<Number: FixedWidthInteger & BitwiseCopyable>() -> [Number] {
    array(Number.self, empty: 0)
  }

  private func array<Value: BitwiseCopyable>(_: Value.Type, empty: Value) -> [Value] {
    var values = [Value](unsafeUninitializedCapacity: count) { output, used in
      UnsafeMutableRawBufferPointer(output).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: bytes.prefix(count * MemoryLayout<Value>.size)))
      used = count
    }
    clear(&values, empty)
    return values
  }

  /// Sets the values of null rows to `empty`, because Arrow does not define the values of null rows.
  private func clear<Value: BitwiseCopyable>(_ values: inout [Value], _ empty: Value) {
    guard let validity else { return }
    values.withUnsafeMutableBufferPointer { values in
      ColumnValidity.forEachNull(validity, count: count) { values[$0] = empty }
    }
  }

  /// Dates in milliseconds as days.
  private func days() throws(FormatError) -> [Int32] {
    let times: [Int64] = numbers()
    var areKnown = true
    let days = times.map { time in
      let day = time.floorDivided(by: 86_400_000)
      if Int32(exactly: day) == nil { areKnown = false }
      return Int32(truncatingIfNeeded: day)
    }
    guard areKnown else { throw ArrowFault.damaged("a date is out of range") }
    return days
  }

  private func fixed(_ width: Int) -> [UInt8] {
    var values = [UInt8](bytes.prefix(count * width))
    guard let validity else { return values }
    values.withUnsafeMutableBufferPointer { values in
      ColumnValidity.forEachNull(validity, count: count) { row in
        values[row * width..<(row + 1) * width].update(repeating: 0)
      }
    }
    return values
  }

  /// Integers with their most significant byte first.
  private func reversed(_ width: Int) -> [UInt8] {
    var values = fixed(width)
    values.withUnsafeMutableBufferPointer { values in
      for start in stride(from: 0, to: count * width, by: width) {
        for byte in 0..<width / 2 { values.swapAt(start + byte, start + width - 1 - byte) }
      }
    }
    return values
  }
}
