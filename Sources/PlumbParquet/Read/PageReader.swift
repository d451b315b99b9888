import PlumbCore
import PlumbIO

/// A page of values.
struct DataPage {
  /// The number of values, including nulls.
  var valueCount: Int
  var encoding: PageEncoding
  /// The definition levels; empty if the column has none.
  var levels: UnsafeRawBufferPointer
  /// Whether the levels are packed in the old way, the most significant bits first.
  var areLevelsPacked = false
  var values: UnsafeRawBufferPointer
}

/// Reads the pages of one column of a row group. Bytes of pages are followed by readable padding, and are
/// valid until the next page.
final class PageReader {
  enum Page {
    case dictionary(valueCount: Int, encoding: Int32, bytes: UnsafeRawBufferPointer)
    case data(DataPage)
  }

  private let codec: PageCodec
  private let bytes: PaddedBytes
  private let byteCount: Int
  private let scratch = PaddedBytes()
  private let levelWidth: Int
  private var position = 0
  private var unpackedTotal = 0
  private var valuesLeft: Int

  /// Reads the bytes of the column.
  init(_ source: any ByteSource, _ leaf: ParquetLeaf, _ chunk: ChunkMetadata) throws {
    codec = try PageCodec(chunk.codec)
    valuesLeft = chunk.valueCount
    levelWidth = leaf.definition == 0 ? 0 : Int.bitWidth - leaf.definition.leadingZeroBitCount
    // Writers give a column without values any offset.
    let start = chunk.valueCount == 0 ? source.count : chunk.start
    guard start >= 4, start <= source.count,
      chunk.valueCount == 0 || chunk.packedSize <= source.count - start
    else {
      throw ParquetFault.damaged("a column is outside the file", offset: start)
    }
    guard chunk.packedSize > 0 || chunk.valueCount == 0 else {
      throw ParquetFault.damaged("a column has no bytes")
    }
    guard chunk.packedSize <= ParquetLimits.rowGroupBytes else {
      throw ParquetFault.tooLarge("a column of a row group has \(chunk.packedSize) bytes")
    }
    // Old writers did not count the header of the dictionary.
    byteCount = min(chunk.packedSize + 100, source.count - start)
    bytes = PaddedBytes(capacity: byteCount)
    try source.read(at: start, into: bytes.prefix(byteCount))
  }

  /// Returns the next page; nil after the last value.
  func next() throws(FormatError) -> Page? {
    while valuesLeft > 0 {
      guard position < byteCount else {
        throw ParquetFault.damaged("\(valuesLeft) values of a column are missing")
      }
      var reader = ThriftReader(UnsafeRawBufferPointer(bytes.prefix(byteCount)), at: position)
      let header = try PageHeader(&reader)
      guard header.packedSize <= byteCount - reader.position else {
        throw ParquetFault.damaged("a page is larger than its column")
      }
      let body = UnsafeRawBufferPointer(
        start: bytes.base + reader.position, count: header.packedSize)
      position = reader.position + header.packedSize
      guard let kind = header.kind, kind != .index else { continue }
      unpackedTotal += min(header.unpackedSize, 1 << 40)
      guard unpackedTotal <= ParquetLimits.rowGroupBytes + 1 << 20 else {
        throw ParquetFault.tooLarge("the pages of a column are larger than 300 MB")
      }
      if let checksum = header.checksum, checksum != ZlibPacking.checksum(body) {
        throw ParquetFault.damaged("the checksum of a page is wrong")
      }
      switch kind {
      case .dictionary:
        return .dictionary(
          valueCount: header.valueCount, encoding: header.encoding,
          bytes: try unpack(body, header.unpackedSize))
      case .data: return .data(try version1(header, body))
      case .dataV2: return .data(try version2(header, body))
      case .index: continue
      }
    }
    return nil
  }

  private func unpack(
    _ body: UnsafeRawBufferPointer, _ byteCount: Int
  ) throws(FormatError) -> UnsafeRawBufferPointer {
    if codec.isIdentity { return body }
    try codec.unpack(body, into: scratch, byteCount: byteCount)
    return UnsafeRawBufferPointer(start: scratch.base, count: byteCount)
  }

  private func encoding(_ header: PageHeader) throws(FormatError) -> PageEncoding {
    guard let encoding = PageEncoding(rawValue: header.encoding) else {
      throw ParquetFault.unsupported("Parquet encoding \(header.encoding)")
    }
    guard header.valueCount <= valuesLeft else {
      throw ParquetFault.damaged("a page has more values than its column")
    }
    valuesLeft -= header.valueCount
    return encoding
  }

  /// Splits a page whose levels are compressed with the values.
  private func version1(
    _ header: PageHeader, _ body: UnsafeRawBufferPointer
  ) throws(FormatError) -> DataPage {
    let encoding = try encoding(header)
    let bytes = try unpack(body, header.unpackedSize)
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    guard levelWidth > 0 else {
      return DataPage(
        valueCount: header.valueCount, encoding: encoding, levels: none, values: bytes)
    }
    let (start, size): (Int, Int)
    let isPacked = header.definitionEncoding == PageEncoding.bitPacked.rawValue
    if isPacked {
      let (bits, overflow) = header.valueCount.multipliedReportingOverflow(by: levelWidth)
      guard !overflow else { throw ParquetFault.damaged("a page has too many values") }
      (start, size) = (0, bits / 8 + (bits % 8 == 0 ? 0 : 1))
    } else {
      guard bytes.count >= 4 else { throw ParquetFault.damaged("a page has no levels") }
      let word = UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
      (start, size) = (4, Int(word))
    }
    guard size <= bytes.count - start else {
      throw ParquetFault.damaged("the levels are larger than their page")
    }
    return DataPage(
      valueCount: header.valueCount, encoding: encoding,
      levels: UnsafeRawBufferPointer(rebasing: bytes[start..<start + size]),
      areLevelsPacked: isPacked,
      values: UnsafeRawBufferPointer(rebasing: bytes[(start + size)...]))
  }

  /// Splits a page whose levels precede the compressed values.
  private func version2(
    _ header: PageHeader, _ body: UnsafeRawBufferPointer
  ) throws(FormatError) -> DataPage {
    let encoding = try encoding(header)
    guard header.repetitionSize <= body.count,
      header.definitionSize <= body.count - header.repetitionSize,
      header.unpackedSize >= header.repetitionSize + header.definitionSize
    else { throw ParquetFault.damaged("the levels are larger than their page") }
    let levelsEnd = header.repetitionSize + header.definitionSize
    let packed = UnsafeRawBufferPointer(rebasing: body[levelsEnd...])
    let values =
      header.isCompressed ? try unpack(packed, header.unpackedSize - levelsEnd) : packed
    return DataPage(
      valueCount: header.valueCount, encoding: encoding,
      levels: UnsafeRawBufferPointer(rebasing: body[header.repetitionSize..<levelsEnd]),
      values: values)
  }
}
