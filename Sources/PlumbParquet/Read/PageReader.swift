import PlumbCore
import PlumbIO

/// A page of values.
struct DataPage {
  /// The number of values, including nulls.
  var valueCount: Int
  var encoding: PageEncoding
  /// The definition levels; empty if the column has none.
  var levels: UnsafeRawBufferPointer
  /// Whether the levels have the deprecated encoding BIT_PACKED, with the most significant bits first.
  var areLevelsPacked = false
  /// The repetition levels; empty outside of lists.
  var repetitions: UnsafeRawBufferPointer
  var areRepetitionsPacked = false
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
  /// The number of bits of a definition level.
  private let levelWidth: Int
  /// The number of bits of a repetition level.
  private let repetitionWidth: Int
  private var position = 0
  private var unpackedTotal = 0
  private var valuesLeft: Int

  /// Reads the bytes of the column.
  init(_ source: any ByteSource, _ leaf: ParquetLeaf, _ chunk: ChunkMetadata) throws {
    codec = try PageCodec(chunk.codec)
    valuesLeft = chunk.valueCount
    levelWidth = Int.bitWidth - leaf.definition.leadingZeroBitCount
    repetitionWidth = Int.bitWidth - leaf.repetition.leadingZeroBitCount
    // The offset of a column without values is arbitrary, and is ignored.
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
    // The size from old writers does not include the header of the dictionary page.
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
    var next = 0
    let arePacked = header.repetitionEncoding == PageEncoding.bitPacked.rawValue
    let isPacked = header.definitionEncoding == PageEncoding.bitPacked.rawValue
    let repetitions = try levels(
      bytes, &next, count: header.valueCount, bitWidth: repetitionWidth, arePacked: arePacked)
    let levels = try levels(
      bytes, &next, count: header.valueCount, bitWidth: levelWidth, arePacked: isPacked)
    return DataPage(
      valueCount: header.valueCount, encoding: encoding, levels: levels,
      areLevelsPacked: isPacked, repetitions: repetitions, areRepetitionsPacked: arePacked,
      values: UnsafeRawBufferPointer(rebasing: bytes[next...]))
  }

  /// Returns the levels that start at `next`, and moves `next` to the end of the levels.
  private func levels(
    _ bytes: UnsafeRawBufferPointer, _ next: inout Int, count: Int, bitWidth: Int, arePacked: Bool
  ) throws(FormatError) -> UnsafeRawBufferPointer {
    guard bitWidth > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    let size: Int
    if arePacked {
      let (bits, overflow) = count.multipliedReportingOverflow(by: bitWidth)
      guard !overflow else { throw ParquetFault.damaged("a page has too many values") }
      size = bits / 8 + (bits % 8 == 0 ? 0 : 1)
    } else {
      guard bytes.count - next >= 4 else { throw ParquetFault.damaged("a page has no levels") }
      size = Int(
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: next, as: UInt32.self)))
      next += 4
    }
    guard size <= bytes.count - next else {
      throw ParquetFault.damaged("the levels are larger than their page")
    }
    defer { next += size }
    return UnsafeRawBufferPointer(rebasing: bytes[next..<next + size])
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
      repetitions: UnsafeRawBufferPointer(rebasing: body[..<header.repetitionSize]),
      values: values)
  }
}
