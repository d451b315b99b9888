extension ValueColumn {
  /// Returns consecutive rows, each of them `copies` times in succession.
  ///
  /// - Precondition: the column has the rows.
  package func rows(_ range: Range<Int>, copies: Int = 1) -> ValueColumn {
    ValueColumn(
      field: field, values: values.rows(range, copies), validity: validity(of: range, copies),
      count: range.count * copies)
  }

  private func validity(of range: Range<Int>, _ copies: Int) -> [UInt8]? {
    guard let validity else { return nil }
    if copies == 1, range.lowerBound & 7 == 0 {
      var bits = Array(validity[range.lowerBound >> 3..<(range.upperBound + 7) >> 3])
      // The bits after the last row are zero.
      if range.count & 7 != 0 { bits[bits.count - 1] &= 1 << UInt8(range.count & 7) &- 1 }
      return bits
    }
    var bits = [UInt8](repeating: 0, count: (range.count * copies + 7) / 8)
    var index = 0
    for row in range {
      let isPresent = !isNull(row)
      for _ in 0..<copies {
        if isPresent { bits[index >> 3] |= 1 << UInt8(index & 7) }
        index += 1
      }
    }
    return bits
  }
}

extension ColumnValues {
  fileprivate func rows(_ range: Range<Int>, _ copies: Int) -> ColumnValues {
    func taken<Value: BitwiseCopyable>(_ list: [Value], width: Int = 1) -> [Value] {
      Self.repeated(list, range, width: width, copies)
    }
    return switch self {
    case .booleans(let list): .booleans(taken(list))
    case .int8(let list): .int8(taken(list))
    case .int16(let list): .int16(taken(list))
    case .int32(let list): .int32(taken(list))
    case .int64(let list): .int64(taken(list))
    case .uint8(let list): .uint8(taken(list))
    case .uint16(let list): .uint16(taken(list))
    case .uint32(let list): .uint32(taken(list))
    case .uint64(let list): .uint64(taken(list))
    case .float16(let list): .float16(taken(list))
    case .float(let list): .float(taken(list))
    case .double(let list): .double(taken(list))
    case .fixed(let width, let bytes): .fixed(width: width, bytes: taken(bytes, width: width))
    case .bytes(let offsets, let bytes): Self.repeated(offsets, bytes, range, copies)
    case .structure(let members): .structure(members.map { $0.rows(range, copies: copies) })
    }
  }

  /// The elements of rows that have `width` elements each.
  private static func repeated<Value: BitwiseCopyable>(
    _ list: [Value], _ range: Range<Int>, width: Int, _ copies: Int
  ) -> [Value] {
    if copies == 1 { return Array(list[range.lowerBound * width..<range.upperBound * width]) }
    var values: [Value] = []
    values.reserveCapacity(range.count * width * copies)
    for row in range {
      for _ in 0..<copies { values += list[row * width..<(row + 1) * width] }
    }
    return values
  }

  private static func repeated(
    _ offsets: [Int], _ bytes: [UInt8], _ range: Range<Int>, _ copies: Int
  ) -> ColumnValues {
    let start = offsets[range.lowerBound]
    if copies == 1 {
      return .bytes(
        offsets: offsets[range.lowerBound...range.upperBound].map { $0 - start },
        bytes: Array(bytes[start..<offsets[range.upperBound]]))
    }
    var ends = [0]
    var values: [UInt8] = []
    ends.reserveCapacity(range.count * copies + 1)
    values.reserveCapacity((offsets[range.upperBound] - start) * copies)
    for row in range {
      for _ in 0..<copies {
        values += bytes[offsets[row]..<offsets[row + 1]]
        ends.append(values.count)
      }
    }
    return .bytes(offsets: ends, bytes: values)
  }
}
