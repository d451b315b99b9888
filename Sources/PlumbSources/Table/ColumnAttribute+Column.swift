import PlumbCore
import PlumbIO
import PlumbParquet

extension ColumnAttribute {
  /// The column for the values of the attribute.
  var columnField: ColumnField {
    let kind: ColumnKind =
      switch kind {
      // Only the points of the rows are written as geometries.
      case .geometry(.wkb): .binary
      case .geometry(.points), .structure: .text
      default: kind
      }
    return ColumnField(name: name, kind: kind, isNullable: true)
  }

  /// Returns the values of consecutive rows, each of them `copies` times in succession.
  ///
  /// - Throws: if a decimal has more digits than the column allows.
  func typedColumn(
    _ batch: ColumnBatch, _ rows: Range<Int>, copies: Int
  ) throws(PlumbError) -> ValueColumn {
    let field = columnField
    guard let column = column(batch) else { return Self.nulls(field, rows.count * copies) }
    var taken = column.rows(rows, copies: copies)
    taken.field = field
    switch (kind, taken.values) {
    case (_, .structure): return Self.nulls(field, taken.count)
    case (.text, .bytes(let offsets, let bytes)), (.json, .bytes(let offsets, let bytes)):
      if let (offsets, bytes) = Self.repaired(offsets, bytes) {
        taken.values = .bytes(offsets: offsets, bytes: bytes)
      }
    case (.decimal(let precision, _), .bytes(let offsets, let bytes)):
      taken.values = try fixedDecimals(offsets, bytes, precision)
    default: break
    }
    return taken
  }

  private static func nulls(_ field: ColumnField, _ count: Int) -> ValueColumn {
    ValueColumn(
      field: field, values: .bytes(offsets: [Int](repeating: 0, count: count + 1), bytes: []),
      validity: [UInt8](repeating: 0, count: (count + 7) / 8), count: count)
  }

  /// Replaces invalid UTF-8; returns nil if all texts are valid.
  private static func repaired(_ offsets: [Int], _ bytes: [UInt8]) -> ([Int], [UInt8])? {
    let isValid = bytes.withUnsafeBufferPointer { UTF8Text.isValid($0) }
    // The texts are valid if their concatenation is valid and none begins within a character.
    if isValid, offsets.allSatisfy({ $0 == bytes.count || bytes[$0] & 0xC0 != 0x80 }) { return nil }
    var (ends, texts): ([Int], [UInt8]) = ([0], [])
    for (start, end) in zip(offsets, offsets.dropFirst()) {
      texts += String(decoding: bytes[start..<end], as: UTF8.self).utf8
      ends.append(texts.count)
    }
    return (ends, texts)
  }

  /// Converts decimals of any length to the fixed length that the precision requires.
  ///
  /// - Throws: if a value has more digits.
  private func fixedDecimals(
    _ offsets: [Int], _ bytes: [UInt8], _ precision: Int
  ) throws(PlumbError) -> ColumnValues {
    let width = ColumnKind.decimalWidth(precision: precision)
    var values: [UInt8] = []
    values.reserveCapacity((offsets.count - 1) * width)
    for (start, end) in zip(offsets, offsets.dropFirst()) {
      let sign: UInt8 = start < end && bytes[start] & 0x80 != 0 ? 0xFF : 0
      let digits = bytes[max(start, end - width)..<end]
      guard bytes[start..<max(start, end - width)].allSatisfy({ $0 == sign }),
        end - start <= width || digits.first.map({ $0 & 0x80 == sign & 0x80 }) == true
      else {
        throw PlumbError(
          "column \(name.printable) has a decimal with more than \(precision) digits",
          code: .badInput)
      }
      values += repeatElement(sign, count: width - digits.count)
      values += digits
    }
    return .fixed(width: width, bytes: values)
  }
}
