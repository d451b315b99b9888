import PlumbCore
import PlumbGDAL
import PlumbIO
import PlumbParquet

/// A column of a table with types, or a member of a structure, as an attribute of rows.
///
/// Values are the same as those of OGR's sources: dates and times are ISO 8601 strings, binary
/// values are hexadecimal strings, and decimals and large integers keep all of their digits.
struct ColumnAttribute: Sendable {
  let name: String
  let kind: ColumnKind
  /// The index of the column among the columns that are read, and the indices of the members below it.
  let path: [Int]

  /// The attributes of a column; those of a structure are named `column.member`.
  static func attributes(
    of field: ColumnField, at path: [Int], prefix: String = ""
  ) -> [ColumnAttribute] {
    let name = prefix + field.name
    guard case .structure(let members) = field.kind else {
      return [ColumnAttribute(name: name, kind: field.kind, path: path)]
    }
    return members.enumerated().flatMap { index, member in
      attributes(of: member, at: path + [index], prefix: name + ".")
    }
  }

  /// The attribute as a column of OGR.
  var vectorField: VectorField {
    let kind: VectorField.Kind =
      switch kind {
      case .boolean: .boolean
      case .integer(let bits, let isSigned):
        bits < 32 || bits == 32 && isSigned ? .integer32 : .integer64
      case .float(let bits): bits == 64 ? .real : .float32
      case .decimal(let precision, let scale): scale == 0 && precision <= 18 ? .integer64 : .real
      case .date: .date
      case .timestamp: .dateTime
      case .text, .json, .binary, .fixed, .uuid, .time, .geometry, .structure: .text
      }
    return VectorField(name: name, kind: kind)
  }

  /// The column of the attribute in a batch.
  func column(_ batch: ColumnBatch) -> ValueColumn? {
    guard let first = path.first, batch.columns.indices.contains(first) else { return nil }
    var column = batch.columns[first]
    for index in path.dropFirst() {
      guard case .structure(let members) = column.values, members.indices.contains(index) else {
        return nil
      }
      column = members[index]
    }
    return column
  }

  /// Writes the values of rows to every `step`th element.
  func write(
    _ batch: ColumnBatch, _ rows: Range<Int>, into values: inout [FieldValue], from start: Int,
    step: Int
  ) {
    guard let column = column(batch) else { return }
    func put(_ value: (Int) -> FieldValue) {
      var index = start
      for row in rows {
        if !column.isNull(row) { values[index] = value(row) }
        index += step
      }
    }
    switch column.values {
    case .booleans(let list): put { .boolean(list[$0]) }
    case .int8(let list): put { .integer(Int64(list[$0])) }
    case .int16(let list): put { .integer(Int64(list[$0])) }
    case .uint8(let list): put { .integer(Int64(list[$0])) }
    case .uint16(let list): put { .integer(Int64(list[$0])) }
    case .uint32(let list): put { .integer(Int64(list[$0])) }
    case .uint64(let list):
      put { Int64(exactly: list[$0]).map { .integer($0) } ?? .json(list[$0].description) }
    case .int32(let list): put { whole(Int64(list[$0]), column.field.kind) }
    case .int64(let list): put { whole(list[$0], column.field.kind) }
    case .float16(let list): put { Self.short(TableText.float(bits: list[$0])) }
    case .float(let list): put { Self.short(list[$0]) }
    case .double(let list): put { .real(list[$0]) }
    case .bytes(let offsets, let bytes): put { some(bytes[offsets[$0]..<offsets[$0 + 1]]) }
    case .fixed(let width, let bytes): put { some(bytes[$0 * width..<($0 + 1) * width]) }
    case .structure: break
    }
  }

  /// A 32-bit float as the double with the shortest decimal representation of the float.
  private static func short(_ value: Float) -> FieldValue {
    .real(Double(value.description) ?? Double(value))
  }

  private func whole(_ value: Int64, _ kind: ColumnKind) -> FieldValue {
    switch kind {
    case .date: .text(ISOTime.dateText(CivilDate(daysSince1970: value)))
    case .time(let unit): .text(TableText.time(value, unit))
    case .timestamp(let unit, let isUTC): .text(TableText.timestamp(value, unit, isUTC: isUTC))
    case .decimal(_, let scale):
      scale == 0
        ? .integer(value)
        : .json(
          TableText.decimal(
            digits: value.magnitude.description, scale: scale, isNegative: value < 0))
    default: .integer(value)
    }
  }

  private func some(_ bytes: ArraySlice<UInt8>) -> FieldValue {
    switch kind {
    case .text: return .text(String(decoding: bytes, as: UTF8.self))
    case .json:
      let isValid = bytes.withUnsafeBufferPointer { JSONScanner.isValid($0) }
      let text = String(decoding: bytes, as: UTF8.self)
      return isValid ? .json(text) : .text(text)
    case .uuid: return .text(TableText.uuid(bytes))
    case .decimal(_, let scale):
      let (digits, isNegative) = TableText.digits(bigEndian: bytes)
      let text = TableText.decimal(digits: digits, scale: scale, isNegative: isNegative)
      if scale == 0, let integer = Int64(text) { return .integer(integer) }
      return .json(text)
    default: return .text(TableText.hex(bytes))
    }
  }
}
