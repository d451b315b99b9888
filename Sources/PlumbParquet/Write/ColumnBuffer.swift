import PlumbCore

/// The values of a leaf column for one row group.
///
/// Values are stored without nulls, in the form of Parquet's plain encoding, except that booleans have a byte
/// each.
struct ColumnBuffer {
  private(set) var leaf: LeafColumn
  private(set) var bytes: [UInt8] = []
  /// The end of each value in `bytes`; empty unless values have different lengths.
  private(set) var ends: [Int] = []
  /// One bit per row, as in `ValueColumn`; empty while no value is null.
  private(set) var validity: [UInt8] = []
  private(set) var hasNulls = false
  private(set) var rowCount = 0
  private(set) var valueCount = 0
  /// Whether values have been added, in this row group or an earlier one, so that their type is final.
  private var hasType = false

  init(_ leaf: LeafColumn) { self.leaf = leaf }

  /// Removes all rows.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    validity.removeAll(keepingCapacity: true)
    (rowCount, valueCount, hasNulls) = (0, 0, false)
  }

  var byteCount: Int { bytes.count + 8 * ends.count + validity.count }

  // MARK: Adding rows

  /// Adds rows of a column.
  ///
  /// - Parameter outer: the validity of the structure that contains the column; nil if no structure contains
  ///   the column, or if the structure is not null in any row.
  mutating func append(_ column: ValueColumn, outer: [UInt8]?, rows: Range<Int>) throws {
    try setType(column.values)
    let valid = try presence(column, outer, rows)
    if let valid {
      appendValidity(valid, rows)
    } else {
      appendPresent(rows.count)
    }
    try append(column.values, rows, valid)
  }

  /// The validity of rows; nil if no row is null.
  private func presence(
    _ column: ValueColumn, _ outer: [UInt8]?, _ rows: Range<Int>
  ) throws -> [UInt8]? {
    var valid = column.validity
    if let outer { valid = valid.map { zip($0, outer).map { $0 & $1 } } ?? outer }
    guard let valid else { return nil }
    guard valid.count >= (rows.upperBound + 7) / 8 else {
      throw fault("has too few bits of validity")
    }
    if rows.allSatisfy({ valid[$0 >> 3] >> UInt8($0 & 7) & 1 == 1 }) { return nil }
    guard leaf.isOptional else { throw fault("is not nullable but has a null") }
    return valid
  }

  private mutating func appendValidity(_ valid: [UInt8], _ rows: Range<Int>) {
    if !hasNulls {
      // All rows so far have values.
      hasNulls = true
      let count = rowCount
      (rowCount, valueCount) = (0, 0)
      appendPresent(count)
    }
    let end = rowCount + rows.count
    validity.append(contentsOf: repeatElement(0, count: (end + 7) / 8 - validity.count))
    var (row, present) = (rowCount, 0)
    validity.withUnsafeMutableBufferPointer { target in
      for source in rows {
        let bit = valid[source >> 3] >> UInt8(source & 7) & 1
        target[row >> 3] |= bit << UInt8(row & 7)
        present += Int(bit)
        row += 1
      }
    }
    (rowCount, valueCount) = (row, valueCount + present)
  }

  /// Adds the validity of rows that are not null.
  private mutating func appendPresent(_ count: Int) {
    let end = rowCount + count
    valueCount += count
    defer { rowCount = end }
    guard hasNulls else { return }
    let before = validity.count
    validity.append(contentsOf: repeatElement(0xFF, count: max(0, (end + 7) / 8 - before)))
    var row = rowCount
    while row < end, row & 7 != 0 {
      validity[row >> 3] |= 1 << UInt8(row & 7)
      row += 1
    }
    // The bits after the last row are zero.
    if end & 7 != 0, end >> 3 >= before { validity[end >> 3] = 1 << UInt8(end & 7) &- 1 }
  }

  func fault(_ reason: String) -> PlumbError {
    PlumbError(
      "column \(leaf.path.joined(separator: ".").printable) \(reason)", code: .failed)
  }

  // MARK: Adding values

  /// Sets the stored type of decimals to that of the first values, because decimals may be stored
  /// in several types.
  private mutating func setType(_ values: ColumnValues) throws {
    if case .decimal(let precision, _) = leaf.kind, !hasType {
      switch values {
      case .int32: leaf.type = .int32
      case .int64: leaf.type = .int64
      case .fixed(let width, _): leaf.type = .fixed(width)
      default: break
      }
      guard (1...76).contains(precision) else { throw fault("has more digits than are supported") }
    }
    hasType = true
  }

  private mutating func append(
    _ values: ColumnValues, _ rows: Range<Int>, _ valid: [UInt8]?
  ) throws {
    let count = Self.count(values)
    guard rows.upperBound <= count else { throw fault("has too few values") }
    switch (leaf.type, values) {
    case (.boolean, .booleans(let values)):
      append(values, rows, valid) { isTrue -> UInt8 in isTrue ? 1 : 0 }
    case (.int32, .int8(let values)): append(values, rows, valid) { Int32($0) }
    case (.int32, .int16(let values)): append(values, rows, valid) { Int32($0) }
    case (.int32, .uint8(let values)): append(values, rows, valid) { UInt32($0) }
    case (.int32, .uint16(let values)): append(values, rows, valid) { UInt32($0) }
    case (.int32, .int32(let values)):
      guard case .time(.seconds) = leaf.kind else { return append(values, rows, valid) { $0 } }
      try checkScaling(values[rows])
      append(values, rows, valid) { $0 &* 1000 }
    case (.int32, .uint32(let values)): append(values, rows, valid) { $0 }
    case (.int64, .int64(let values)):
      guard case .timestamp(.seconds, _) = leaf.kind else {
        return append(values, rows, valid) { $0 }
      }
      try checkScaling(values[rows])
      append(values, rows, valid) { $0 &* 1000 }
    case (.int64, .uint64(let values)): append(values, rows, valid) { $0 }
    case (.float, .float(let values)): append(values, rows, valid) { $0 }
    case (.double, .double(let values)): append(values, rows, valid) { $0 }
    case (.fixed(2), .float16(let values)): append(values, rows, valid) { $0 }
    case (.fixed(let width), .fixed(let other, let values)) where width == other:
      append(fixed: values, width, rows, valid)
    case (.byteArray, .bytes(let offsets, let values)):
      try append(offsets, values, rows, valid)
    default: throw fault("has values of another type")
    }
  }

  private static func count(_ values: ColumnValues) -> Int {
    switch values {
    case .booleans(let values): values.count
    case .int8(let values): values.count
    case .int16(let values): values.count
    case .int32(let values): values.count
    case .int64(let values): values.count
    case .uint8(let values): values.count
    case .uint16(let values), .float16(let values): values.count
    case .uint32(let values): values.count
    case .uint64(let values): values.count
    case .float(let values): values.count
    case .double(let values): values.count
    case .bytes(let offsets, _): offsets.count - 1
    case .fixed(let width, let bytes): width > 0 ? bytes.count / width : 0
    case .structure: 0
    }
  }

  /// Seconds are written as milliseconds.
  private func checkScaling<Number: FixedWidthInteger & SignedInteger>(
    _ values: ArraySlice<Number>
  ) throws {
    let limit = Number.max / 1000
    guard values.allSatisfy({ $0 <= limit && $0 >= 0 - limit }) else {
      throw PlumbError(
        "column \(leaf.path.joined(separator: ".").printable): a time is too far in the past or "
          + "future to be written in milliseconds", code: .limit)
    }
  }

  @inline(__always)
  private mutating func append<Value, Stored: BitwiseCopyable>(
    _ values: [Value], _ rows: Range<Int>, _ valid: [UInt8]?, _ convert: (Value) -> Stored
  ) {
    let dense = [Stored](unsafeUninitializedCapacity: rows.count) { target, filled in
      var position = 0
      values.withUnsafeBufferPointer { values in
        guard let valid else {
          for row in rows {
            target[position] = convert(values[row])
            position += 1
          }
          return
        }
        valid.withUnsafeBufferPointer { valid in
          for row in rows where valid[row >> 3] >> UInt8(row & 7) & 1 == 1 {
            target[position] = convert(values[row])
            position += 1
          }
        }
      }
      filled = position
    }
    dense.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }

  private mutating func append(
    fixed values: [UInt8], _ width: Int, _ rows: Range<Int>, _ valid: [UInt8]?
  ) {
    guard let valid else {
      bytes += values[rows.lowerBound * width..<rows.upperBound * width]
      return
    }
    for row in rows where valid[row >> 3] >> UInt8(row & 7) & 1 == 1 {
      bytes += values[row * width..<(row + 1) * width]
    }
  }

  /// Adds values of different lengths. Each is preceded by its length in four bytes.
  private mutating func append(
    _ offsets: [Int], _ values: [UInt8], _ rows: Range<Int>, _ valid: [UInt8]?
  ) throws {
    if rows.isEmpty { return }
    guard offsets[rows.lowerBound] >= 0, offsets[rows.upperBound] <= values.count,
      rows.allSatisfy({ offsets[$0] <= offsets[$0 + 1] })
    else { throw fault("has values of another type") }
    guard rows.allSatisfy({ offsets[$0 + 1] - offsets[$0] <= Self.longestValue }) else {
      throw PlumbError(
        "column \(leaf.path.joined(separator: ".").printable): a value is longer than "
          + "\(Self.longestValue >> 20) MB, which Parquet files cannot contain", code: .limit)
    }
    let before = bytes.count
    let room = offsets[rows.upperBound] - offsets[rows.lowerBound] + 4 * rows.count
    bytes.append(contentsOf: repeatElement(0, count: room))
    ends.reserveCapacity(ends.count + rows.count)
    var position = before
    bytes.withUnsafeMutableBytes { target in
      values.withUnsafeBytes { values in
        offsets.withUnsafeBufferPointer { offsets in
          for row in rows {
            if let valid, valid[row >> 3] >> UInt8(row & 7) & 1 == 0 { continue }
            let (start, end) = (offsets[row], offsets[row + 1])
            let length = UInt32(truncatingIfNeeded: end - start).littleEndian
            target.storeBytes(of: length, toByteOffset: position, as: UInt32.self)
            position += 4
            UnsafeMutableRawBufferPointer(rebasing: target[position..<position + end - start])
              .copyMemory(from: UnsafeRawBufferPointer(rebasing: values[start..<end]))
            position += end - start
            ends.append(position)
          }
        }
      }
    }
    bytes.removeLast(before + room - position)
  }

  /// The maximum size of a value in bytes. The size of a page is stored as a 31-bit number, and a compressed
  /// page may be slightly larger than the uncompressed page.
  private static let longestValue = 1 << 30
}
