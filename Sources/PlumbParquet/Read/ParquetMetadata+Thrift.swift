import PlumbIO

extension ParquetMetadata {
  init(_ bytes: UnsafeRawBufferPointer) throws(FormatError) {
    var reader = ThriftReader(bytes)
    try reader.readStructure { reader, field throws(FormatError) in
      switch field.id {
      case 2:
        let (_, count) = try reader.readList(field.kind)
        guard count <= ParquetLimits.schemaElements else {
          throw ParquetFault.tooLarge("the Parquet schema has \(count) elements")
        }
        elements.reserveCapacity(count)
        for _ in 0..<count { elements.append(try SchemaElement(&reader)) }
      case 3: rowCount = try reader.readCount(field.kind)
      case 4:
        let (_, count) = try reader.readList(field.kind)
        for _ in 0..<count {
          rowGroups.append(try RowGroupMetadata(&reader, elementCount: elements.count))
        }
      case 5:
        let (_, count) = try reader.readList(field.kind)
        for _ in 0..<count {
          if let pair = try Self.keyValue(&reader) { keyValues.append(pair) }
        }
      case 8:
        isEncrypted = true
        return false
      default: return false
      }
      return true
    }
  }

  private static func keyValue(
    _ reader: inout ThriftReader
  ) throws(FormatError) -> (key: String, value: String)? {
    var (key, value): (String?, String?) = (nil, nil)
    try reader.readStructure { reader, field throws(FormatError) in
      switch field.id {
      case 1: key = try reader.readText(field.kind)
      case 2: value = try reader.readText(field.kind)
      default: return false
      }
      return true
    }
    guard let key, let value else { return nil }
    return (key, value)
  }
}

extension SchemaElement {
  fileprivate init(_ reader: inout ThriftReader) throws(FormatError) {
    try reader.readStructure { reader, field throws(FormatError) in
      switch field.id {
      case 1: type = try reader.readInt32(field.kind)
      case 2: length = try reader.readCount(field.kind)
      case 3:
        guard let repetition = Repetition(rawValue: try reader.readInt32(field.kind)) else {
          throw ParquetFault.damaged("a column has an unknown repetition")
        }
        self.repetition = repetition
      case 4: name = try reader.readText(field.kind)
      case 5: childCount = try reader.readCount(field.kind)
      case 6: converted = ConvertedType(rawValue: try reader.readInt32(field.kind))
      case 7: scale = try reader.readCount(field.kind)
      case 8: precision = try reader.readCount(field.kind)
      case 10: logical = try LogicalType(&reader, field.kind)
      default: return false
      }
      return true
    }
  }
}

extension LogicalType {
  fileprivate init?(
    _ reader: inout ThriftReader, _ kind: ThriftKind
  ) throws(FormatError) {
    guard kind == .structure else {
      throw ParquetFault.damaged("a logical type is not a structure")
    }
    var type: LogicalType?
    try reader.readStructure { reader, field throws(FormatError) in
      guard field.kind == .structure else { return false }
      switch field.id {
      case 1: type = .text
      case 2: type = .map
      case 3: type = .list
      case 4: type = .enumeration
      case 6: type = .date
      case 11: type = .null
      case 12: type = .json
      case 13: type = .bson
      case 14: type = .uuid
      case 15: type = .float16
      case 16: type = .variant
      case 5, 7, 8, 10, 17, 18:
        type = try Self.parameters(&reader, field.id)
        return true
      default: type = .unknown
      }
      return false
    }
    guard let type else { return nil }
    self = type
  }

  private static func parameters(
    _ reader: inout ThriftReader, _ id: Int
  ) throws(FormatError) -> LogicalType {
    var (first, second): (Int, Int) = (0, 0)
    var isFirst = false
    var isSecond = false
    var unit = TimeUnit.seconds
    var crs: String?
    try reader.readStructure { reader, field throws(FormatError) in
      switch (id, field.id, field.kind) {
      case (5, 1, _), (10, 1, .byte): first = try reader.readCount(field.kind)
      case (5, 2, _): second = try reader.readCount(field.kind)
      case (_, 1, .yes): isFirst = true
      case (10, 2, .yes): isSecond = true
      case (7...8, 2, .structure): unit = try Self.unit(&reader)
      case (17...18, 1, .binary): crs = try reader.readText(field.kind)
      default: return false
      }
      return field.kind != .yes
    }
    switch id {
    case 5: return .decimal(scale: first, precision: second)
    case 7, 8:
      guard unit != .seconds else { return .unknown }
      return id == 7 ? .time(unit) : .timestamp(unit, isUTC: isFirst)
    case 10: return .integer(bits: first, isSigned: isSecond)
    default: return .geometry(crs: crs, isGeography: id == 18)
    }
  }

  /// Reads a unit. Seconds, which Parquet does not have, represent an unknown unit.
  private static func unit(_ reader: inout ThriftReader) throws(FormatError) -> TimeUnit {
    var unit = TimeUnit.seconds
    try reader.readStructure { _, field in
      switch field.id {
      case 1: unit = .milliseconds
      case 2: unit = .microseconds
      case 3: unit = .nanoseconds
      default: break
      }
      return false
    }
    return unit
  }
}

extension RowGroupMetadata {
  fileprivate init(_ reader: inout ThriftReader, elementCount: Int) throws(FormatError) {
    try reader.readStructure { reader, field throws(FormatError) in
      switch field.id {
      case 1:
        let (_, count) = try reader.readList(field.kind)
        guard count <= elementCount else {
          throw ParquetFault.damaged("a row group has more columns than the schema")
        }
        chunks.reserveCapacity(count)
        for _ in 0..<count { chunks.append(try ChunkMetadata(&reader)) }
      case 3: rowCount = try reader.readCount(field.kind)
      default: return false
      }
      return true
    }
  }
}

extension ChunkMetadata {
  fileprivate init(_ reader: inout ThriftReader) throws(FormatError) {
    try reader.readStructure { reader, field throws(FormatError) in
      switch field.id {
      case 1: isInOtherFile = try !reader.readBytes(field.kind).isEmpty
      case 3:
        guard field.kind == .structure else { return false }
        try readMetadata(&reader)
      default: return false
      }
      return true
    }
    // Encrypted columns have no metadata. The check also limits the memory for a list of columns.
    guard type >= 0, codec >= 0 else {
      throw ParquetFault.unsupported("a column without metadata, encrypted or in another file,")
    }
  }

  private mutating func readMetadata(_ reader: inout ThriftReader) throws(FormatError) {
    try reader.readStructure { reader, field throws(FormatError) in
      switch field.id {
      case 1: type = try reader.readInt32(field.kind)
      case 4: codec = try reader.readInt32(field.kind)
      case 5: valueCount = try reader.readCount(field.kind)
      case 6: unpackedSize = try reader.readCount(field.kind)
      case 7: packedSize = try reader.readCount(field.kind)
      case 9: dataOffset = try reader.readCount(field.kind)
      case 11: dictionaryOffset = Int(truncatingIfNeeded: try reader.readInteger(field.kind))
      default: return false
      }
      return true
    }
  }
}
