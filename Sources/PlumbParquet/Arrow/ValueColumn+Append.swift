extension ValueColumn {
  /// The number of bytes of the values.
  var byteCount: Int {
    let size =
      switch values {
      case .booleans, .int8, .uint8: count
      case .int16, .uint16, .float16: 2 * count
      case .int32, .uint32, .float: 4 * count
      case .int64, .uint64, .double: 8 * count
      case .bytes(let offsets, let bytes): 8 * offsets.count + bytes.count
      case .fixed(_, let bytes): bytes.count
      case .structure(let members): members.reduce(0) { $0 + $1.byteCount }
      }
    return size + (validity?.count ?? 0)
  }

  /// Appends the rows of a column of the same type.
  package mutating func append(_ other: ValueColumn) {
    validity = ColumnValidity.joined(validity, count, other.validity, other.count)
    count += other.count
    values.append(other.values)
  }
}

extension ColumnValues {
  /// Appends values of the same type. An empty value replaces `self` first, so that the memory has a single
  /// owner and grows without a copy.
  fileprivate mutating func append(_ other: ColumnValues) {
    switch self {
    case .booleans, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float16,
      .float,
      .double:
      appendList(other)
    case .fixed(let width, var list):
      guard case .fixed(width, let more) = other else { return }
      self = .booleans([])
      list += more
      self = .fixed(width: width, bytes: list)
    case .bytes(var offsets, var bytes):
      guard case .bytes(let moreOffsets, let moreBytes) = other else { return }
      self = .booleans([])
      offsets += moreOffsets.dropFirst().map { $0 + bytes.count }
      bytes += moreBytes
      self = .bytes(offsets: offsets, bytes: bytes)
    case .structure(var members):
      guard case .structure(let more) = other else { return }
      self = .booleans([])
      for (index, member) in more.enumerated() where members.indices.contains(index) {
        members[index].append(member)
      }
      self = .structure(members)
    }
  }

  /// Appends booleans or numbers.
  private mutating func appendList(_ other: ColumnValues) {
    switch self {
    case .booleans(var list):
      guard case .booleans(let more) = other else { return }
      self = .booleans([])
      list += more
      self = .booleans(list)
    case .int8(var list):
      guard case .int8(let more) = other else { return }
      self = .booleans([])
      list += more
      self = .int8(list)
    case .int16(var list):
      guard case .int16(let more) = other else { return }
      self = .booleans([])
      list += more
      self = .int16(list)
    case .int32(var list):
      guard case .int32(let more) = other else { return }
      self = .booleans([])
      list += more
      self = .int32(list)
    case .int64(var list):
      guard case .int64(let more) = other else { return }
      self = .booleans([])
      list += more
      self = .int64(list)
    case .uint8(var list):
      guard case .uint8(let more) = other else { return }
      self = .booleans([])
      list += more
      self = .uint8(list)
    case .uint16(var list):
      guard case .uint16(let more) = other else { return }
      self = .booleans([])
      list += more
      self = .uint16(list)
    case .uint32(var list):
      guard case .uint32(let more) = other else { return }
      self = .booleans([])
      list += more
      self = .uint32(list)
    case .uint64(var list):
      guard case .uint64(let more) = other else { return }
      self = .booleans([])
      list += more
      self = .uint64(list)
    case .float16(var list):
      guard case .float16(let more) = other else { return }
      self = .booleans([])
      list += more
      self = .float16(list)
    case .float(var list):
      guard case .float(let more) = other else { return }
      self = .booleans([])
      list += more
      self = .float(list)
    case .double(var list):
      guard case .double(let more) = other else { return }
      self = .booleans([])
      list += more
      self = .double(list)
    case .bytes, .fixed, .structure: break
    }
  }
}
