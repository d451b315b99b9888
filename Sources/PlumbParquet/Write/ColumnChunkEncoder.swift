import PlumbCore
import PlumbIO

/// A column of a row group as it is in the file, and its description in the file's metadata.
struct ColumnChunk: Sendable {
  var bytes: [UInt8] = []
  /// The position in `bytes` of the first page of values.
  var dataOffset = 0
  var hasDictionary = false
  /// The size of all pages with their headers, before compression.
  var plainByteCount = 0
  var valueCount = 0
  var encodings: Set<Int32> = []
  /// The column's description in the file's metadata, for a chunk at a position in the file.
  var metadata: @Sendable (_ chunk: ColumnChunk, _ position: Int) -> [UInt8]
}

/// Encodes the values of a column of a row group as pages.
struct ColumnChunkEncoder {
  private let column: ColumnBuffer
  private let options: ParquetWriter.Options
  private let encoder: ZstdEncoder
  private let scratch: TrivialBuffer<UInt8>
  private var chunk: ColumnChunk
  private let dictionary: ColumnDictionary?

  /// Encodes a column.
  static func encode(
    _ column: ColumnBuffer, _ options: ParquetWriter.Options
  ) throws -> ColumnChunk {
    var encoder = try ColumnChunkEncoder(column, options)
    try encoder.appendDictionary()
    try encoder.appendPages()
    return encoder.chunk
  }

  private init(_ column: ColumnBuffer, _ options: ParquetWriter.Options) throws {
    (self.column, self.options) = (column, options)
    guard let encoder = ZstdEncoder(level: options.level) else { throw Self.noMemory }
    self.encoder = encoder
    scratch = TrivialBuffer(
      count: ZstdEncoder.largestSize(of: max(options.pageBytes, options.dictionaryBytes) * 5 / 4))
    dictionary = ColumnDictionary(column, byteLimit: options.dictionaryBytes)
    let isWhole = dictionary?.isComplete == true
    let statistics = ColumnStatistics(column, isWhole ? dictionary : nil)
    let (leaf, rowCount) = (column.leaf, column.rowCount)
    let (path, type) = (leaf.path, leaf.type.physical.rawValue)
    chunk = ColumnChunk { chunk, position in
      Self.metadata(of: chunk, position, path, type, rowCount: rowCount, statistics)
    }
    chunk.valueCount = column.rowCount
  }

  private static var noMemory: PlumbError {
    PlumbError("there is not enough memory to compress the output", code: .system)
  }

  // MARK: Pages

  private mutating func appendDictionary() throws {
    guard let dictionary else { return }
    chunk.hasDictionary = true
    chunk.encodings = [
      PageEncoding.plain.rawValue, PageEncoding.rle.rawValue, PageEncoding.rleDictionary.rawValue,
    ]
    try append(page: dictionary.entries, kind: 2) { header in
      header.field(7) {
        $0.field(1, Int32(clamping: dictionary.entryCount))
        $0.field(2, PageEncoding.plain.rawValue)
      }
    }
    chunk.dataOffset = chunk.bytes.count
  }

  private mutating func appendPages() throws {
    var (row, value) = (0, 0)
    repeat {
      try WorkCancellation.checkCurrent()
      let page = nextPage(row, value)
      try append(page)
      (row, value) = (page.rows.upperBound, page.values.upperBound)
    } while row < column.rowCount
  }

  private struct Page {
    var rows: Range<Int>
    var values: Range<Int>
    var isDictionary: Bool
  }

  /// The maximum number of rows in a page. The limit allows readers to skip pages of rows.
  private static let rowLimit = 1 << 17

  /// Returns the page that begins at the given row and value.
  private func nextPage(_ row: Int, _ value: Int) -> Page {
    let indexed = dictionary?.indices.count ?? 0
    let isDictionary = value < indexed || dictionary?.isComplete == true
    // A page of indices ends at the last value that has an index.
    let lastValue = isDictionary ? indexed : column.valueCount
    let lastRow = min(column.rowCount, row + Self.rowLimit)
    var valueLimit = lastValue
    if !isDictionary {
      if column.leaf.type == .boolean {
        valueLimit = lastValue
      } else if let width = column.leaf.type.width {
        valueLimit = min(lastValue, value + max(1, options.pageBytes / max(1, width)))
      } else {
        valueLimit = endOfPage(value)
      }
    }
    let (end, endValue) = endRow(row, value, lastRow, valueLimit)
    return Page(rows: row..<end, values: value..<endValue, isDictionary: isDictionary)
  }

  /// The index after the last value of a page that begins at `value`, for values of different lengths.
  private func endOfPage(_ value: Int) -> Int {
    let limit = (value == 0 ? 0 : column.ends[value - 1]) + options.pageBytes
    var end = value
    while end < column.valueCount, column.ends[end] <= limit { end += 1 }
    return min(column.valueCount, max(end, value + 1))
  }

  /// The ends of a range of rows and of their values. The range starts at `row`, and all its values
  /// are before `valueLimit`.
  private func endRow(
    _ row: Int, _ value: Int, _ lastRow: Int, _ valueLimit: Int
  ) -> (row: Int, value: Int) {
    if !column.hasNulls {
      let count = min(lastRow - row, valueLimit - value)
      return (row + count, value + count)
    }
    var (end, next) = (row, value)
    column.validity.withUnsafeBufferPointer { validity in
      while end < lastRow {
        if end & 7 == 0, lastRow - end >= 8, next + 8 <= valueLimit {
          next += validity[end >> 3].nonzeroBitCount
          end += 8
          continue
        }
        let bit = Int(validity[end >> 3] >> UInt8(end & 7) & 1)
        if next + bit > valueLimit { break }
        next += bit
        end += 1
      }
    }
    return (end, next)
  }

  private mutating func append(_ page: Page) throws {
    var body: [UInt8] = []
    body.reserveCapacity(options.pageBytes + page.rows.count / 8 + 16)
    if column.leaf.isOptional {
      var levels: [UInt8] = []
      appendLevels(page.rows, to: &levels)
      withUnsafeBytes(of: UInt32(truncatingIfNeeded: levels.count).littleEndian) {
        body.append(contentsOf: $0)
      }
      body += levels
    }
    if page.isDictionary, let dictionary {
      body.append(UInt8(truncatingIfNeeded: dictionary.width))
      dictionary.indices.withUnsafeBufferPointer {
        HybridWriter.append(
          UnsafeBufferPointer(rebasing: $0[page.values]), width: dictionary.width, to: &body)
      }
    } else {
      appendPlain(page.values, to: &body)
    }
    let encoding =
      page.isDictionary ? PageEncoding.rleDictionary.rawValue : PageEncoding.plain.rawValue
    chunk.encodings.formUnion([encoding, PageEncoding.rle.rawValue])
    try append(page: body, kind: 0) { header in
      header.field(5) {
        $0.field(1, Int32(clamping: page.rows.count))
        $0.field(2, encoding)
        $0.field(3, PageEncoding.rle.rawValue)
        $0.field(4, PageEncoding.rle.rawValue)
      }
    }
  }

  /// Appends the validity of rows as definition levels.
  private func appendLevels(_ rows: Range<Int>, to levels: inout [UInt8]) {
    let size = (rows.count + 7) / 8
    var bits = [UInt8](repeating: 0xFF, count: size)
    if column.hasNulls {
      let (first, shift) = (rows.lowerBound >> 3, UInt8(rows.lowerBound & 7))
      for index in 0..<size {
        let low = column.validity[first + index] >> shift
        let next = first + index + 1
        let hasNext = shift > 0 && next < column.validity.count
        let high = hasNext ? column.validity[next] << (8 - shift) : 0
        bits[index] = low | high
      }
    }
    if rows.count & 7 != 0, size > 0 { bits[size - 1] &= 1 << UInt8(rows.count & 7) &- 1 }
    HybridWriter.append(bits: bits, count: rows.count, to: &levels)
  }

  private func appendPlain(_ values: Range<Int>, to body: inout [UInt8]) {
    if values.isEmpty { return }
    if column.leaf.type == .boolean {
      var packed = [UInt8](repeating: 0, count: (values.count + 7) / 8)
      for (index, value) in values.enumerated() {
        packed[index >> 3] |= column.bytes[value] << UInt8(index & 7)
      }
      body += packed
      return
    }
    let start = column.byteCount(ofFirst: values.lowerBound)
    body += column.bytes[start..<column.byteCount(ofFirst: values.upperBound)]
  }

  /// Compresses a page and appends it with its header.
  private mutating func append(
    page body: [UInt8], kind: Int32, _ details: (inout ThriftWriter) -> Void
  ) throws {
    guard body.count <= Self.longestPage else {
      throw PlumbError(
        "a page of \(body.count >> 20) MB is too large for a Parquet file", code: .limit)
    }
    let needed = ZstdEncoder.largestSize(of: body.count)
    let target = needed <= scratch.count ? scratch : TrivialBuffer<UInt8>(count: needed)
    let room = UnsafeMutableRawBufferPointer(target.pointer)
    guard let count = body.withUnsafeBytes({ encoder.encode($0, into: room) }) else {
      throw Self.noMemory
    }
    var header = ThriftWriter()
    header.structure {
      $0.field(1, kind)
      $0.field(2, Int32(clamping: body.count))
      $0.field(3, Int32(clamping: count))
      details(&$0)
    }
    chunk.bytes += header.bytes
    chunk.bytes.append(contentsOf: UnsafeBufferPointer(start: target.base, count: count))
    chunk.plainByteCount += header.bytes.count + body.count
  }

  private static let longestPage = Int(Int32.max) - (64 << 20)

  // MARK: Metadata

  private static func metadata(
    of chunk: ColumnChunk, _ position: Int, _ path: [String], _ type: Int32, rowCount: Int,
    _ statistics: ColumnStatistics
  ) -> [UInt8] {
    var writer = ThriftWriter()
    writer.structure { element in
      element.field(2, Int64(0))
      element.field(3) { column in
        column.field(1, type)
        column.list(2, of: .int32, count: chunk.encodings.count)
        for encoding in chunk.encodings.sorted() { column.append(zigzag: Int64(encoding)) }
        column.list(3, of: .binary, count: path.count)
        for name in path { column.append(binary: Array(name.utf8)) }
        column.field(4, Int32(6))
        column.field(5, Int64(rowCount))
        column.field(6, Int64(chunk.plainByteCount))
        column.field(7, Int64(chunk.bytes.count))
        column.field(9, Int64(position + chunk.dataOffset))
        if chunk.hasDictionary { column.field(11, Int64(position)) }
        column.field(12) { statistics.append(to: &$0) }
      }
    }
    return writer.bytes
  }
}
