import PlumbCore
import PlumbIO

/// Values as attributes, the same as those of OGR's sources: dates and times are ISO 8601 strings,
/// binary values are hexadecimal strings, and decimals and large integers keep all of their digits.
extension ValueColumn {
  /// Writes the values of rows to every `step`th element, from `start` on. Elements for null values
  /// and for structures are unchanged.
  package func write(
    _ rows: Range<Int>, into attributes: inout [FieldValue], from start: Int, step: Int
  ) {
    func put(_ value: (Int) -> FieldValue) {
      var index = start
      for row in rows {
        if !isNull(row) { attributes[index] = value(row) }
        index += step
      }
    }
    switch values {
    case .booleans(let list): put { .boolean(list[$0]) }
    case .int8(let list): put { .integer(Int64(list[$0])) }
    case .int16(let list): put { .integer(Int64(list[$0])) }
    case .uint8(let list): put { .integer(Int64(list[$0])) }
    case .uint16(let list): put { .integer(Int64(list[$0])) }
    case .uint32(let list): put { .integer(Int64(list[$0])) }
    case .uint64(let list):
      put { Int64(exactly: list[$0]).map { .integer($0) } ?? .json(list[$0].description) }
    case .int32(let list): put { whole(Int64(list[$0])) }
    case .int64(let list): put { whole(list[$0]) }
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

  private func whole(_ value: Int64) -> FieldValue {
    switch field.kind {
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
    switch field.kind {
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
