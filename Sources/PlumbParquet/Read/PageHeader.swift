import PlumbIO

/// The header of a page.
struct PageHeader {
  enum Kind: Int32 { case data, index, dictionary, dataV2 }

  /// The type of the page; nil for a type that later versions of Parquet define.
  var kind: Kind?
  var unpackedSize = -1
  var packedSize = -1
  var checksum: UInt32?
  var valueCount = -1
  var encoding: Int32 = -1
  var definitionEncoding: Int32 = -1
  var repetitionEncoding: Int32 = -1
  var definitionSize = 0
  var repetitionSize = 0
  var isCompressed = true

  init(_ reader: inout ThriftReader) throws(FormatError) {
    try reader.readStructure { reader, field throws(FormatError) in
      switch field.id {
      case 1: kind = Kind(rawValue: try reader.readInt32(field.kind))
      case 2: unpackedSize = try reader.readCount(field.kind)
      case 3: packedSize = try reader.readCount(field.kind)
      case 4: checksum = UInt32(truncatingIfNeeded: try reader.readInteger(field.kind))
      case 5, 7, 8:
        guard field.kind == .structure else { return false }
        try readDetails(&reader, of: field.id)
      default: return false
      }
      return true
    }
    guard unpackedSize >= 0, packedSize >= 0 else {
      throw ParquetFault.damaged("a page has no size")
    }
    if kind == .data || kind == .dataV2 || kind == .dictionary {
      guard valueCount >= 0, encoding >= 0 else {
        throw ParquetFault.damaged("a page has no number of values")
      }
    }
  }

  private mutating func readDetails(
    _ reader: inout ThriftReader, of kind: Int
  ) throws(FormatError) {
    try reader.readStructure { reader, field throws(FormatError) in
      switch (kind, field.id) {
      case (_, 1): valueCount = try reader.readCount(field.kind)
      case (5, 2), (7, 2), (8, 4): encoding = try reader.readInt32(field.kind)
      case (5, 3): definitionEncoding = try reader.readInt32(field.kind)
      case (5, 4): repetitionEncoding = try reader.readInt32(field.kind)
      case (8, 5): definitionSize = try reader.readCount(field.kind)
      case (8, 6): repetitionSize = try reader.readCount(field.kind)
      case (8, 7):
        isCompressed = field.kind != .no
        return false
      default: return false
      }
      return true
    }
  }
}
