import PlumbCore
import PlumbIO

/// The decoded values of one column of a row group.
///
/// Outside of lists, an entry is a row. In lists, an entry is an element or a list without elements.
struct LeafValues: Sendable {
  var values: ColumnValues
  var entryCount: Int
  /// For each definition level from 1, a bitmap of the entries whose level is this level or higher; nil
  /// if this applies to all entries.
  var validity: [[UInt8]?]
  /// The repetition level of each entry; nil outside of lists.
  var repetitions: [UInt8]?
  /// The unit of times in 96 bits, if it is not nanoseconds.
  var unit: TimeUnit?

  /// Whether the definition level of an entry is at least `level`.
  func isAt(_ level: Int, _ entry: Int) -> Bool {
    guard level > 0, let bits = validity[level - 1] else { return true }
    return bits[entry >> 3] >> UInt8(truncatingIfNeeded: entry & 7) & 1 == 1
  }
}

/// Decodes one column of a row group.
struct LeafReader {
  private let leaf: ParquetLeaf
  private let pages: PageReader
  /// The number of entries.
  private let rowCount: Int
  private let budget: DecodeBudget
  private var levels: LevelDecoder
  private var unit: TimeUnit?

  static func read(
    _ leaf: ParquetLeaf, _ chunk: ChunkMetadata, rowCount: Int, _ source: any ByteSource,
    _ budget: DecodeBudget
  ) throws -> LeafValues {
    guard !chunk.isInOtherFile else {
      throw ParquetFault.unsupported("a column in another file")
    }
    guard chunk.type == leaf.physical.rawValue else {
      throw ParquetFault.damaged("the type in a row group differs from the type in the schema")
    }
    guard leaf.repetition > 0 || chunk.valueCount == rowCount else {
      throw ParquetFault.damaged("a row group has \(chunk.valueCount) values for \(rowCount) rows")
    }
    if leaf.repetition > 0 { try budget.take(chunk.valueCount) }
    var reader = LeafReader(
      leaf: leaf, pages: try PageReader(source, leaf, chunk), rowCount: chunk.valueCount,
      budget: budget,
      levels: LevelDecoder(
        maximum: leaf.definition, repetition: leaf.repetition, rowCount: chunk.valueCount))
    let values = try reader.values()
    return LeafValues(
      values: values, entryCount: chunk.valueCount, validity: reader.levels.validity,
      repetitions: reader.levels.repetitions, unit: reader.unit)
  }

  private mutating func values() throws(FormatError) -> ColumnValues {
    switch leaf.physical {
    case .boolean: return .booleans(try booleans())
    case .int32: return try int32Values()
    case .int64:
      if case .integer(_, isSigned: false) = leaf.kind {
        return .uint64(try fixed(UInt64.self, empty: 0))
      }
      return .int64(try fixed(Int64.self, empty: 0))
    case .float: return .float(try fixed(Float.self, empty: 0))
    case .double: return .double(try fixed(Double.self, empty: 0))
    case .int96: return .int64(try int96Times())
    case .byteArray: return try variable()
    case .fixedByteArray:
      if leaf.kind == .float(bits: 16) { return .float16(try fixed(UInt16.self, empty: 0)) }
      return .fixed(width: leaf.width, bytes: try fixedBytes(width: leaf.width))
    }
  }

  private mutating func int32Values() throws(FormatError) -> ColumnValues {
    let values = try fixed(Int32.self, empty: 0)
    guard case .integer(let bits, let isSigned) = leaf.kind else { return .int32(values) }
    return switch (bits, isSigned) {
    case (8, true): .int8(values.map { Int8(truncatingIfNeeded: $0) })
    case (16, true): .int16(values.map { Int16(truncatingIfNeeded: $0) })
    case (8, false): .uint8(values.map { UInt8(truncatingIfNeeded: $0) })
    case (16, false): .uint16(values.map { UInt16(truncatingIfNeeded: $0) })
    case (32, false): .uint32(values.map { UInt32(bitPattern: $0) })
    default: .int32(values)
    }
  }

  // MARK: Values of one size

  /// Calls `body` for each page with its first row and the number of its values that are not null.
  private mutating func readPages(
    dictionary: (UnsafeRawBufferPointer, Int) throws(FormatError) -> Void,
    _ body: (DataPage, _ row: Int, _ present: Int, LevelDecoder) throws(FormatError) -> Void
  ) throws(FormatError) {
    var row = 0
    var hasDictionary = false
    while let page = try pages.next() {
      switch page {
      case .dictionary(let count, let encoding, let bytes):
        guard !hasDictionary, row == 0 else {
          throw ParquetFault.damaged("a column has several dictionaries")
        }
        guard
          encoding == PageEncoding.plain.rawValue
            || encoding == PageEncoding.plainDictionary.rawValue
        else { throw ParquetFault.unsupported("Parquet encoding \(encoding) of a dictionary") }
        hasDictionary = true
        try dictionary(bytes, count)
      case .data(let page):
        let present = try levels.decode(page, row: row)
        try body(page, row, present, levels)
        row += page.valueCount
      }
    }
  }

  private mutating func fixed<Value: BitwiseCopyable>(
    _: Value.Type, empty: Value
  ) throws(FormatError) -> [Value] {
    let width = MemoryLayout<Value>.size
    try budget.take(rowCount, width: width)
    var decoder = FixedValues(width: width, physical: leaf.physical)
    var failure: FormatError?
    let values = [Value](unsafeUninitializedCapacity: rowCount) { output, used in
      guard let base = output.baseAddress else { return }
      do throws(FormatError) {
        try readPages { bytes, count throws(FormatError) in
          try decoder.setDictionary(bytes, count: count)
        } _: { page, row, present, levels throws(FormatError) in
          try decoder.decode(page, into: base + row, count: present)
          levels.spread(base + row, count: page.valueCount, present: present, empty: empty)
        }
        used = rowCount
      } catch { failure = error }
    }
    if let failure { throw failure }
    return values
  }

  private mutating func fixedBytes(width: Int) throws(FormatError) -> [UInt8] {
    try budget.take(rowCount, width: width)
    var decoder = FixedValues(width: width, physical: leaf.physical)
    var failure: FormatError?
    let bytes = [UInt8](unsafeUninitializedCapacity: rowCount * width) { output, used in
      guard let start = output.baseAddress else { return }
      let base = UnsafeMutableRawPointer(start)
      do throws(FormatError) {
        try readPages { bytes, count throws(FormatError) in
          try decoder.setDictionary(bytes, count: count)
        } _: { page, row, present, levels throws(FormatError) in
          try decoder.decode(page, into: base + row * width, count: present)
          levels.spread(
            base + row * width, width: width, count: page.valueCount, present: present)
        }
        used = rowCount * width
      } catch { failure = error }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Converts Impala's and Spark's times, nanoseconds of the day and a Julian day, to nanoseconds, or to
  /// microseconds if one is before 1677 or after 2262.
  private mutating func int96Times() throws(FormatError) -> [Int64] {
    let bytes = try fixedBytes(width: 12)
    try budget.take(rowCount, width: 8)
    if let times = Self.times(bytes, levels.validity.last ?? nil, unit: .nanoseconds) {
      return times
    }
    guard let times = Self.times(bytes, levels.validity.last ?? nil, unit: .microseconds) else {
      throw ParquetFault.unsupported(
        "an INT96 time that is neither whole microseconds nor within 64 bits of nanoseconds")
    }
    unit = .microseconds
    return times
  }

  /// The times in a unit; nil if a time overflows 64 bits in the unit, or is not a multiple of the unit.
  private static func times(_ bytes: [UInt8], _ validity: [UInt8]?, unit: TimeUnit) -> [Int64]? {
    let perUnit = 1_000_000_000 / unit.perSecond
    let perDay = unit.perSecond * 86_400
    var isExact = true
    let times = bytes.withUnsafeBytes { bytes in
      (0..<bytes.count / 12).map { row in
        if let validity, validity[row >> 3] >> UInt8(row & 7) & 1 == 0 { return Int64(0) }
        let part = Int64(
          littleEndian: bytes.loadUnaligned(fromByteOffset: row * 12, as: Int64.self))
        let day = UInt32(
          littleEndian: bytes.loadUnaligned(fromByteOffset: row * 12 + 8, as: UInt32.self))
        let (start, isLarge) = (Int64(day) - 2_440_588).multipliedReportingOverflow(by: perDay)
        let (time, isLarger) = start.addingReportingOverflow(part / perUnit)
        if isLarge || isLarger || part % perUnit != 0 { isExact = false }
        return time
      }
    }
    return isExact ? times : nil
  }

  private mutating func booleans() throws(FormatError) -> [Bool] {
    try budget.take(rowCount)
    var failure: FormatError?
    let values = [Bool](unsafeUninitializedCapacity: rowCount) { output, used in
      guard let start = output.baseAddress else { return }
      let base = UnsafeMutableRawPointer(start).bindMemory(to: UInt8.self, capacity: rowCount)
      do throws(FormatError) {
        try readPages { _, _ throws(FormatError) in
          throw ParquetFault.damaged("a column of booleans has a dictionary")
        } _: { page, row, present, levels throws(FormatError) in
          try Self.booleans(page, into: base + row, count: present)
          levels.spread(base + row, count: page.valueCount, present: present, empty: 0)
        }
        used = rowCount
      } catch { failure = error }
    }
    if let failure { throw failure }
    return values
  }

  private static func booleans(
    _ page: DataPage, into output: UnsafeMutablePointer<UInt8>, count: Int
  ) throws(FormatError) {
    guard count > 0 else { return }
    let short = ParquetFault.damaged("a page has fewer values than declared")
    guard let base = page.values.baseAddress else { throw short }
    switch page.encoding {
    case .plain:
      guard page.values.count >= (count + 7) / 8 else { throw short }
      BitUnpacking.unpack(base, bitWidth: 1, into: output, count: count)
    case .rle:
      guard page.values.count >= 4 else { throw short }
      let size = Int(UInt32(littleEndian: base.loadUnaligned(as: UInt32.self)))
      guard size <= page.values.count - 4 else { throw short }
      let runs = UnsafeRawBufferPointer(rebasing: page.values[4..<4 + size])
      guard HybridRuns.decode(runs, bitWidth: 1, into: output, count: count) else { throw short }
      var highest: UInt8 = 0
      for index in 0..<count { highest = max(highest, output[index]) }
      guard highest <= 1 else { throw ParquetFault.damaged("a boolean is neither 0 nor 1") }
    default: throw ParquetFault.unsupported("Parquet encoding \(page.encoding) of booleans")
    }
  }

  // MARK: Values of any length

  private mutating func variable() throws(FormatError) -> ColumnValues {
    try budget.take(rowCount + 1, width: 8)
    let decoder = VariableValues(rowCount: rowCount, budget: budget)
    var failure: FormatError?
    let offsets = [Int](unsafeUninitializedCapacity: rowCount + 1) { output, used in
      guard let base = output.baseAddress else { return }
      base[0] = 0
      do throws(FormatError) {
        try readPages { bytes, count throws(FormatError) in
          try decoder.setDictionary(bytes, count: count)
        } _: { page, row, present, levels throws(FormatError) in
          // Lengths become offsets after nulls have received the length 0.
          let lengths = base + row + 1
          try decoder.decode(page, lengths: lengths, count: present)
          levels.spread(lengths, count: page.valueCount, present: present, empty: 0)
          var end = base[row]
          for index in 0..<page.valueCount {
            end &+= lengths[index]
            lengths[index] = end
          }
        }
        used = rowCount + 1
      } catch { failure = error }
    }
    if let failure { throw failure }
    return .bytes(offsets: offsets, bytes: [UInt8](decoder.bytes.prefix(decoder.used)))
  }
}
