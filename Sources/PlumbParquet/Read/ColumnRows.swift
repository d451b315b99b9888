import PlumbIO

/// Rows that are taken from a column by their numbers, such as the values of a dictionary.
struct ColumnRows {
  /// The row number that marks a null.
  static let none = UInt32.max

  private let rows: [UInt32]
  private let budget: DecodeBudget

  init(_ rows: [UInt32], _ budget: DecodeBudget) { (self.rows, self.budget) = (rows, budget) }

  /// Whether all row numbers exist in a column with `count` rows.
  func areKnown(count: Int) -> Bool {
    let count = UInt32(truncatingIfNeeded: min(count, Int(Int32.max)))
    var areKnown = true
    for row in rows where row >= count && row != Self.none { areKnown = false }
    return areKnown
  }

  /// A column with the rows' values.
  ///
  /// - Parameter validity: the rows that are not null regardless of the column's nulls; nil for all
  ///   rows.
  /// - Throws: if the values need too much memory.
  /// - Precondition: the column has the rows.
  func taken(
    from column: ValueColumn, field: ColumnField, validity: [UInt8]?
  ) throws(FormatError) -> ValueColumn {
    ValueColumn(
      field: field, values: try values(column),
      validity: ColumnValidity.intersection(validity, self.validity(column)), count: rows.count)
  }

  /// The rows that are not null in the column; nil if none of the column's rows is null.
  private func validity(_ column: ValueColumn) -> [UInt8]? {
    guard let known = column.validity else { return nil }
    var bits = [UInt8](repeating: 0, count: (rows.count + 7) / 8)
    for (index, row) in rows.enumerated()
    where row != Self.none && known[Int(row >> 3)] >> UInt8(row & 7) & 1 == 1 {
      bits[index >> 3] |= 1 << UInt8(index & 7)
    }
    return bits
  }

  private func values(_ column: ValueColumn) throws(FormatError) -> ColumnValues {
    switch column.values {
    case .booleans(let list): .booleans(try gathered(list, false))
    case .int8(let list): .int8(try gathered(list, 0))
    case .int16(let list): .int16(try gathered(list, 0))
    case .int32(let list): .int32(try gathered(list, 0))
    case .int64(let list): .int64(try gathered(list, 0))
    case .uint8(let list): .uint8(try gathered(list, 0))
    case .uint16(let list): .uint16(try gathered(list, 0))
    case .uint32(let list): .uint32(try gathered(list, 0))
    case .uint64(let list): .uint64(try gathered(list, 0))
    case .float16(let list): .float16(try gathered(list, 0))
    case .float(let list): .float(try gathered(list, 0))
    case .double(let list): .double(try gathered(list, 0))
    case .bytes(let offsets, let bytes): try gathered(offsets, bytes)
    case .fixed(let width, let bytes):
      .fixed(width: width, bytes: try gathered(bytes, width: width))
    case .structure(let members): .structure(try gathered(members))
    }
  }

  private func gathered<Value: BitwiseCopyable>(
    _ list: [Value], _ empty: Value
  ) throws(FormatError) -> [Value] {
    try budget.take(rows.count, width: MemoryLayout<Value>.size)
    return rows.map { $0 == Self.none ? empty : list[Int($0)] }
  }

  private func gathered(_ offsets: [Int], _ bytes: [UInt8]) throws(FormatError) -> ColumnValues {
    try budget.take(rows.count + 1, width: 8)
    var ends = [0]
    ends.reserveCapacity(rows.count + 1)
    // A sum of fewer than 2^31 lengths below 2^31 cannot overflow.
    var total = 0
    for row in rows {
      if row != Self.none { total += offsets[Int(row) + 1] - offsets[Int(row)] }
      ends.append(total)
    }
    try budget.take(total)
    let values = [UInt8](unsafeUninitializedCapacity: total) { output, used in
      bytes.withUnsafeBytes { bytes in
        guard total > 0, let target = output.baseAddress, let source = bytes.baseAddress else {
          return
        }
        for (index, row) in rows.enumerated() where row != Self.none {
          UnsafeMutableRawPointer(target + ends[index]).copyMemory(
            from: source + offsets[Int(row)], byteCount: ends[index + 1] - ends[index])
        }
      }
      used = total
    }
    return .bytes(offsets: ends, bytes: values)
  }

  private func gathered(_ bytes: [UInt8], width: Int) throws(FormatError) -> [UInt8] {
    try budget.take(rows.count, width: width)
    var values: [UInt8] = []
    values.reserveCapacity(rows.count * width)
    for row in rows {
      if row == Self.none {
        values += repeatElement(0, count: width)
      } else {
        values += bytes[Int(row) * width..<(Int(row) + 1) * width]
      }
    }
    return values
  }

  private func gathered(_ members: [ValueColumn]) throws(FormatError) -> [ValueColumn] {
    var taken: [ValueColumn] = []
    for member in members {
      taken.append(try self.taken(from: member, field: member.field, validity: nil))
    }
    return taken
  }
}
