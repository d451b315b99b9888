/// The rows of a column that are not null: one bit per row, least significant first.
enum ColumnValidity {
  /// Copies bits, and clears the bits after the last row.
  ///
  /// - Precondition: the bytes have a bit for each row.
  static func copy(_ bytes: UnsafeRawBufferPointer, count: Int) -> [UInt8] {
    var bits = [UInt8](bytes.prefix((count + 7) / 8))
    if count & 7 != 0, let last = bits.indices.last {
      bits[last] &= UInt8(truncatingIfNeeded: (1 << (count & 7)) - 1)
    }
    return bits
  }

  /// Calls a closure for each row that is null.
  @inline(__always)
  static func forEachNull(_ bits: [UInt8], count: Int, _ body: (Int) -> Void) {
    for (index, byte) in bits.enumerated() where byte != 0xFF {
      for row in 8 * index..<min(count, 8 * index + 8)
      where byte >> UInt8(truncatingIfNeeded: row & 7) & 1 == 0 {
        body(row)
      }
    }
  }

  /// The validity of rows, where a row is null if it is null in either of two columns; nil if no
  /// row is null.
  static func intersection(_ first: [UInt8]?, _ second: [UInt8]?) -> [UInt8]? {
    guard var bits = first, let second else { return first ?? second }
    for (index, byte) in second.enumerated() where index < bits.count { bits[index] &= byte }
    return bits
  }

  /// The validity of the rows of one column, followed by the validity of the rows of another column; nil if
  /// no row is null.
  static func joined(
    _ first: [UInt8]?, _ firstCount: Int, _ second: [UInt8]?, _ secondCount: Int
  ) -> [UInt8]? {
    guard first != nil || second != nil else { return nil }
    let count = firstCount + secondCount
    var bits = first ?? all(firstCount)
    bits += repeatElement(0, count: (count + 7) / 8 - bits.count)
    for row in 0..<secondCount
    where second.map({ $0[row >> 3] >> UInt8(row & 7) & 1 == 1 }) ?? true {
      bits[(firstCount + row) >> 3] |= 1 << UInt8((firstCount + row) & 7)
    }
    return bits
  }

  private static func all(_ count: Int) -> [UInt8] {
    [UInt8](repeating: 0xFF, count: (count + 7) / 8).withUnsafeBytes { copy($0, count: count) }
  }
}
