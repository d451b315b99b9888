/// The metadata at the end of a Parquet file.
struct ParquetMetadata {
  var elements: [SchemaElement] = []
  var rowCount = 0
  var rowGroups: [RowGroupMetadata] = []
  var keyValues: [(key: String, value: String)] = []
  var isEncrypted = false
}

/// A node of the tree of columns, in the order of a depth-first walk.
struct SchemaElement {
  enum Repetition: Int32 { case required, optional, repeated }

  var type: Int32?
  /// The number of bytes of a fixed-size value.
  var length = 0
  var repetition = Repetition.required
  var name = ""
  var childCount = 0
  var converted: ConvertedType?
  var logical: LogicalType?
  var scale = 0
  var precision = 0
}

struct RowGroupMetadata {
  var chunks: [ChunkMetadata] = []
  var rowCount = 0
}

/// The values of one column in a row group.
struct ChunkMetadata {
  var type: Int32 = -1
  var codec: Int32 = -1
  var valueCount = 0
  var unpackedSize = 0
  var packedSize = 0
  var dataOffset = 0
  var dictionaryOffset: Int?
  var isInOtherFile = false

  /// The position of the first page.
  var start: Int {
    // Old writers set the offset of an absent dictionary to zero.
    if let dictionaryOffset, dictionaryOffset > 0, dictionaryOffset < dataOffset {
      return dictionaryOffset
    }
    return dataOffset
  }

  /// The bytes that `PageReader` reads; nil if there are none, or if they are outside the file.
  ///
  /// - Parameter size: the size of the file in bytes.
  func bytes(inFileOf size: Int) -> Range<Int>? {
    guard !isInOtherFile, valueCount > 0, start >= 4, start <= size, packedSize > 0,
      packedSize <= min(size - start, ParquetLimits.rowGroupBytes)
    else { return nil }
    return start..<start + min(packedSize + 100, size - start)
  }
}
