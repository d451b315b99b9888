/// The least and the greatest value of a column, and the number of nulls.
struct ColumnStatistics {
  private(set) var minimum: [UInt8]?
  private(set) var maximum: [UInt8]?
  private(set) var nullCount: Int

  /// The maximum length in bytes of the minimum and the maximum of a column of text. If one of them is
  /// longer, both are omitted.
  private static let longestText = 512

  /// - Parameter dictionary: the distinct values, if the dictionary is complete.
  init(_ column: ColumnBuffer, _ dictionary: ColumnDictionary?) {
    nullCount = column.rowCount - column.valueCount
    guard column.valueCount > 0 else { return }
    if column.leaf.type == .byteArray {
      guard column.leaf.kind == .text else { return }
      if let dictionary {
        var starts: [Range<Int>] = []
        var position = 0
        dictionary.entries.withUnsafeBytes { bytes in
          while position + 4 <= bytes.count {
            let length = bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)
            let count = Int(length.littleEndian)
            starts.append(position + 4..<position + 4 + count)
            position += 4 + count
          }
          setText(bytes, count: starts.count) { starts[$0] }
        }
      } else {
        column.bytes.withUnsafeBytes { bytes in
          setText(bytes, count: column.ends.count) {
            ($0 == 0 ? 0 : column.ends[$0 - 1]) + 4..<column.ends[$0]
          }
        }
      }
      return
    }
    (dictionary?.entries ?? column.bytes).withUnsafeBytes { set($0, column.leaf) }
  }

  private mutating func set(_ bytes: UnsafeRawBufferPointer, _ leaf: LeafColumn) {
    let isUnsigned = if case .integer(_, false) = leaf.kind { true } else { false }
    switch leaf.type {
    case .boolean: setIntegers(bytes.bindMemory(to: UInt8.self))
    case .int32 where isUnsigned: setIntegers(bytes.bindMemory(to: UInt32.self))
    case .int64 where isUnsigned: setIntegers(bytes.bindMemory(to: UInt64.self))
    case .int32: setIntegers(bytes.bindMemory(to: Int32.self))
    case .int64: setIntegers(bytes.bindMemory(to: Int64.self))
    case .float: setFloats(bytes.bindMemory(to: Float.self))
    case .double: setFloats(bytes.bindMemory(to: Double.self))
    case .byteArray, .fixed: break
    }
  }

  private mutating func setIntegers<Number: FixedWidthInteger & BitwiseCopyable>(
    _ values: UnsafeBufferPointer<Number>
  ) {
    var (low, high) = (Number.max, Number.min)
    for value in values {
      low = min(low, value)
      high = max(high, value)
    }
    (minimum, maximum) = (Self.bytes(low), Self.bytes(high))
  }

  private mutating func setFloats<Number: BinaryFloatingPoint & BitwiseCopyable>(
    _ values: UnsafeBufferPointer<Number>
  ) {
    var (low, high) = (Number.infinity, -Number.infinity)
    // NaN is neither less nor greater than a number.
    for value in values {
      if value < low { low = value }
      if value > high { high = value }
    }
    guard low <= high else { return }
    // Positive and negative zero are equal. A minimum of zero is written as −0 and a maximum of zero as +0,
    // so that the range includes both zeros.
    if low == 0 { low = -Number.zero }
    if high == 0 { high = Number.zero }
    (minimum, maximum) = (Self.bytes(low), Self.bytes(high))
  }

  private static func bytes<Number: BitwiseCopyable>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number) { Array($0) }
  }

  /// Compares text by its bytes, which are unsigned.
  private mutating func setText(
    _ bytes: UnsafeRawBufferPointer, count: Int, _ range: (Int) -> Range<Int>
  ) {
    guard count > 0 else { return }
    var (low, high) = (range(0), range(0))
    for index in 1..<max(1, count) {
      let place = range(index)
      if Self.isLess(bytes, place, low) { low = place }
      if Self.isLess(bytes, high, place) { high = place }
    }
    guard max(low.count, high.count) <= Self.longestText else { return }
    (minimum, maximum) = (Array(bytes[low]), Array(bytes[high]))
  }

  private static func isLess(
    _ bytes: UnsafeRawBufferPointer, _ first: Range<Int>, _ second: Range<Int>
  ) -> Bool {
    var (a, b) = (first.lowerBound, second.lowerBound)
    while a < first.upperBound, b < second.upperBound {
      if bytes[a] != bytes[b] { return bytes[a] < bytes[b] }
      a += 1
      b += 1
    }
    return first.count < second.count
  }

  func append(to writer: inout ThriftWriter) {
    writer.field(3, Int64(nullCount))
    if let maximum { writer.field(5, maximum) }
    if let minimum { writer.field(6, minimum) }
  }
}
