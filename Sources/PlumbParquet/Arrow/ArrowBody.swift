import PlumbCore

/// The buffers of a record batch.
struct ArrowBody {
  private(set) var bytes: [UInt8] = []
  /// The position and the size of each buffer.
  private(set) var buffers: [(Int64, Int64)] = []
  /// The number of rows and of nulls of each column.
  private(set) var nodes: [(Int64, Int64)] = []

  /// Appends rows of a column.
  mutating func append(_ column: ValueColumn, as field: ColumnField, rows: Range<Int>) throws {
    let mismatch = PlumbError(
      "column \(field.name.printable) has values of another type", code: .failed)
    if case .geometry = field.kind, case .structure(let members) = column.values {
      guard members.count >= 2, case .double(let x) = members[0].values,
        case .double(let y) = members[1].values, min(x.count, y.count) >= rows.upperBound
      else { throw mismatch }
      return appendPoints(x, y, column, rows)
    }
    appendValidity(column.validity, rows)
    switch (field.kind, column.values) {
    case (.boolean, .booleans(let values)): append(bits: values[rows].map { $0 ? 1 : 0 })
    case (.integer(8, true), .int8(let values)): append(values[rows])
    case (.integer(16, true), .int16(let values)): append(values[rows])
    case (.integer(32, true), .int32(let values)): append(values[rows])
    case (.integer(64, true), .int64(let values)): append(values[rows])
    case (.integer(8, false), .uint8(let values)): append(values[rows])
    case (.integer(16, false), .uint16(let values)): append(values[rows])
    case (.integer(32, false), .uint32(let values)): append(values[rows])
    case (.integer(64, false), .uint64(let values)): append(values[rows])
    case (.float(16), .float16(let values)): append(values[rows])
    case (.float(32), .float(let values)): append(values[rows])
    case (.float(64), .double(let values)): append(values[rows])
    case (.date, .int32(let values)), (.time, .int32(let values)): append(values[rows])
    case (.time, .int64(let values)), (.timestamp, .int64(let values)): append(values[rows])
    case (.text, .bytes(let offsets, let values)), (.json, .bytes(let offsets, let values)),
      (.binary, .bytes(let offsets, let values)), (.geometry, .bytes(let offsets, let values)):
      try append(offsets, values, rows, field)
    case (.fixed(let width), .fixed(let other, let values)) where width == other:
      append(values[rows.lowerBound * width..<rows.upperBound * width])
    case (.uuid, .fixed(16, let values)):
      append(values[rows.lowerBound * 16..<rows.upperBound * 16])
    case (.decimal(let precision, _), _):
      try appendDecimals(column, field, rows, width: Self.decimalWidth(precision: precision))
    case (.structure(let fields), .structure(let members)) where fields.count == members.count:
      for (field, member) in zip(fields, members) { try append(member, as: field, rows: rows) }
    default: throw mismatch
    }
  }

  // MARK: Buffers

  /// Appends a buffer, aligned to 8 bytes.
  private mutating func append(buffer: UnsafeRawBufferPointer) {
    buffers.append((Int64(bytes.count), Int64(buffer.count)))
    bytes.append(contentsOf: buffer)
    bytes.append(contentsOf: repeatElement(0, count: (8 - bytes.count % 8) % 8))
  }

  private mutating func append<Number: BitwiseCopyable>(_ values: ArraySlice<Number>) {
    values.withUnsafeBytes { append(buffer: $0) }
  }

  private mutating func append(bits: [UInt8]) {
    var packed = [UInt8](repeating: 0, count: (bits.count + 7) / 8)
    for (index, bit) in bits.enumerated() { packed[index >> 3] |= bit << UInt8(index & 7) }
    append(packed[...])
  }

  private mutating func appendValidity(_ validity: [UInt8]?, _ rows: Range<Int>) {
    guard let validity else {
      nodes.append((Int64(rows.count), 0))
      append(ArraySlice<UInt8>())
      return
    }
    let bits = rows.map { validity[$0 >> 3] >> UInt8($0 & 7) & 1 }
    let present = bits.reduce(0) { $0 + Int($1) }
    nodes.append((Int64(rows.count), Int64(rows.count - present)))
    if present == rows.count {
      append(ArraySlice<UInt8>())
    } else {
      append(bits: bits)
    }
  }

  private mutating func append(
    _ offsets: [Int], _ values: [UInt8], _ rows: Range<Int>, _ field: ColumnField
  ) throws {
    let (start, end) = (offsets[rows.lowerBound], offsets[rows.upperBound])
    guard end - start <= Int32.max else {
      throw PlumbError(
        "column \(field.name.printable): a value is longer than 2 GB, the limit for Arrow values",
        code: .limit)
    }
    let positions = offsets[rows.lowerBound...rows.upperBound].map {
      Int32(truncatingIfNeeded: $0 - start)
    }
    append(positions[...])
    append(values[start..<end])
  }

  /// Appends points as WKB.
  private mutating func appendPoints(
    _ x: [Double], _ y: [Double], _ column: ValueColumn, _ rows: Range<Int>
  ) {
    var positions: [Int32] = [0]
    positions.reserveCapacity(rows.count + 1)
    var validity = [UInt8](repeating: 0, count: (rows.count + 7) / 8)
    var values: [UInt8] = []
    values.reserveCapacity(21 * rows.count)
    for (index, row) in rows.enumerated() {
      if !column.isNull(row), x[row].isFinite, y[row].isFinite {
        values.append(contentsOf: [1, 1, 0, 0, 0])
        withUnsafeBytes(of: SIMD2(x[row], y[row])) { values.append(contentsOf: $0) }
        validity[index >> 3] |= 1 << UInt8(index & 7)
      }
      positions.append(Int32(truncatingIfNeeded: values.count))
    }
    appendValidity(validity, 0..<rows.count)
    append(positions[...])
    append(values[...])
  }

  /// The number of bytes of a decimal.
  static func decimalWidth(precision: Int) -> Int { precision > 38 ? 32 : 16 }

  /// Appends decimals in `width` bytes, least significant byte first.
  private mutating func appendDecimals(
    _ column: ValueColumn, _ field: ColumnField, _ rows: Range<Int>, width: Int
  ) throws {
    var values: [UInt8] = []
    values.reserveCapacity(width * rows.count)
    func add(_ number: some Collection<UInt8>, isNegative: Bool) throws {
      let sign: UInt8 = isNegative ? 0xFF : 0
      guard number.dropFirst(width).allSatisfy({ $0 == sign }) else {
        throw PlumbError(
          "column \(field.name.printable) has a decimal with too many digits", code: .badInput)
      }
      values.append(contentsOf: number.prefix(width))
      values.append(contentsOf: repeatElement(sign, count: max(0, width - number.count)))
    }
    func add(_ number: Int64) throws {
      try withUnsafeBytes(of: number.littleEndian) { try add($0, isNegative: number < 0) }
    }
    switch column.values {
    case .int32(let numbers): for row in rows { try add(Int64(numbers[row])) }
    case .int64(let numbers): for row in rows { try add(numbers[row]) }
    case .fixed(let size, let numbers) where size > 0:
      for row in rows {
        let number = numbers[row * size..<(row + 1) * size]
        try add(number.reversed(), isNegative: numbers[row * size] & 0x80 != 0)
      }
    default:
      throw PlumbError(
        "column \(field.name.printable) has values of another type", code: .failed)
    }
    append(values[...])
  }
}
