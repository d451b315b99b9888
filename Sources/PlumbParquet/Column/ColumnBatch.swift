/// The values of one column of a batch, in Arrow's layout. Values at null rows are zero or empty.
package enum ColumnValues: Sendable {
  case booleans([Bool])
  case int8([Int8])
  case int16([Int16])
  case int32([Int32])
  case int64([Int64])
  case uint8([UInt8])
  case uint16([UInt16])
  case uint32([UInt32])
  case uint64([UInt64])
  /// The bits of IEEE numbers of 16 bits.
  case float16([UInt16])
  case float([Float])
  case double([Double])
  /// Values of any length: the value of a row is `bytes[offsets[row]..<offsets[row + 1]]`.
  case bytes(offsets: [Int], bytes: [UInt8])
  /// Values of `width` bytes each.
  case fixed(width: Int, bytes: [UInt8])
  /// The members of a structure.
  case structure([ValueColumn])
}

/// A column of a batch.
package struct ValueColumn: Sendable {
  package var field: ColumnField
  package var values: ColumnValues
  /// Nil if no value is null; otherwise one bit per row, least significant first: 1 for a value, 0 for null.
  package var validity: [UInt8]?
  /// The number of rows.
  package var count: Int

  package init(field: ColumnField, values: ColumnValues, validity: [UInt8]?, count: Int) {
    (self.field, self.values, self.validity, self.count) = (field, values, validity, count)
  }

  /// Whether the value of a row is null.
  package func isNull(_ row: Int) -> Bool {
    guard let validity else { return false }
    return validity[row >> 3] & (1 << UInt8(truncatingIfNeeded: row & 7)) == 0
  }
}

/// Rows of a table: columns of equal length.
package struct ColumnBatch: Sendable {
  package var columns: [ValueColumn]
  package var rowCount: Int

  package init(columns: [ValueColumn], rowCount: Int) {
    (self.columns, self.rowCount) = (columns, rowCount)
  }
}
