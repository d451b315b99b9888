import PlumbCore
import PlumbIO

/// Decodes one column of a record batch. The values and buffers of a record batch are stored in the order
/// of the schema.
struct ArrowDecoder {
  /// The indices of the next column, buffer and number of view buffers in a record batch.
  struct Position: Sendable {
    var node = 0
    var buffer = 0
    var view = 0

    /// Skips a column.
    mutating func skip(_ column: ArrowColumn, _ batch: ArrowBatch) throws(FormatError) {
      node += column.nodeCount
      buffer += column.bufferCount
      for _ in 0..<column.viewCount {
        buffer += try batch.viewBufferCount(view)
        view += 1
      }
    }
  }

  private let batch: ArrowBatch
  private let dictionaries: ArrowDictionaries
  private var position: Position
  private lazy var zstd = batch.compression == .zstd ? ZstdDecoder() : nil

  init(_ batch: ArrowBatch, _ dictionaries: ArrowDictionaries, at position: Position) {
    (self.batch, self.dictionaries, self.position) = (batch, dictionaries, position)
  }

  /// Decodes a column whose type is supported.
  ///
  /// - Parameter outer: the rows in which the structure around the column is not null; nil for all rows.
  mutating func column(
    _ column: ArrowColumn, count: Int, in outer: [UInt8]? = nil
  ) throws(FormatError) -> ValueColumn {
    let node = try batch.node(position.node)
    guard node.count == count else {
      throw ArrowFault.damaged("it has \(node.count) values for \(count) rows")
    }
    position.node += 1
    var result = ValueColumn(
      field: column.field, values: .booleans([]), validity: nil, count: count)
    switch column.storage {
    case .null:
      try batch.budget.take(count, width: 4)
      result.values = .int32([Int32](repeating: 0, count: count))
      result.validity = [UInt8](repeating: 0, count: (count + 7) / 8)
      return result
    case .runEnds: return try runs(column, count, outer)
    default: result.validity = ColumnValidity.intersection(try validity(node), outer)
    }
    switch column.storage {
    case .bits: result.values = .booleans(try booleans(count, result.validity))
    case .fixed(let width):
      let values = try buffer()
      guard count <= values.bytes.count / width else { throw Self.short }
      try batch.budget.take(count, width: width)
      result.values = try values.withBytes { bytes throws(FormatError) in
        try ArrowFixedValues(bytes: bytes, count: count, validity: result.validity).values(
          column.field.kind, width: width)
      }
    case .offsets(let width): result.values = try texts(count, width, result.validity)
    case .views: result.values = try views(count, result.validity)
    case .structure:
      var members: [ValueColumn] = []
      for child in column.children {
        members.append(try self.column(child, count: count, in: result.validity))
      }
      result.values = .structure(members)
    case .fixedList(let length) where column.field.kind == .geometry(.points):
      result.values = try coordinates(column, length, count)
    case .fixedList(let length): return try lists(column, length, result)
    case .list(let width, let isView): return try lists(column, width, isView, result)
    case .map: return try lists(column, 4, false, result)
    case .dictionary(let id, let index):
      let rows = try indices(index, count, result.validity)
      let values = try dictionaries.values(id, isNeeded: rows.contains { $0 != ColumnRows.none })
      return try taken(rows, from: values, column.field, result.validity)
    case .null, .runEnds, .union:
      throw ArrowFault.damaged("its type differs from the type in the schema")
    }
    return result
  }

  private static var short: FormatError {
    ArrowFault.damaged("it has fewer values than its record batch")
  }

  private mutating func buffer() throws(FormatError) -> ArrowBuffer {
    let buffer = try batch.buffer(position.buffer, zstd)
    position.buffer += 1
    return buffer
  }

  private mutating func validity(_ node: ArrowBatch.Node) throws(FormatError) -> [UInt8]? {
    let bits = try buffer()
    if node.nullCount == 0 { return nil }
    guard bits.bytes.count >= (node.count + 7) / 8 else {
      throw ArrowFault.damaged("it has nulls, but does not say which rows are null")
    }
    return bits.withBytes { ColumnValidity.copy($0, count: node.count) }
  }

  private mutating func booleans(
    _ count: Int, _ validity: [UInt8]?
  ) throws(FormatError) -> [Bool] {
    let bits = try buffer()
    guard bits.bytes.count >= (count + 7) / 8 else { throw Self.short }
    try batch.budget.take(count)
    var values = bits.withBytes { bits in
      [Bool](unsafeUninitializedCapacity: count) { output, used in
        for row in 0..<count {
          output[row] = bits[row >> 3] >> UInt8(truncatingIfNeeded: row & 7) & 1 == 1
        }
        used = count
      }
    }
    if let validity {
      ColumnValidity.forEachNull(validity, count: count) { values[$0] = false }
    }
    return values
  }

  /// The coordinates of points that are stored one point after the other.
  private mutating func coordinates(
    _ column: ArrowColumn, _ dimensions: Int, _ count: Int
  ) throws(FormatError) -> ColumnValues {
    guard let child = column.children.first, (2...4).contains(dimensions) else {
      throw ArrowFault.damaged("it has points of \(dimensions) coordinates")
    }
    let all = try self.column(child, count: count * dimensions)
    guard case .double(let values) = all.values else {
      throw ArrowFault.damaged("it has coordinates that are not numbers")
    }
    try batch.budget.take(count, width: 8 * dimensions)
    return .structure(
      zip(["x", "y", "z", "m"], 0..<dimensions).map { name, dimension in
        ValueColumn(
          field: ColumnField(name: name, kind: .float(bits: 64), isNullable: all.validity != nil),
          values: .double((0..<count).map { values[$0 * dimensions + dimension] }),
          validity: all.validity == nil
            ? nil : Self.bits(count) { !all.isNull($0 * dimensions + dimension) },
          count: count)
      })
  }

  private static func bits(_ count: Int, _ isSet: (Int) -> Bool) -> [UInt8] {
    var bits = [UInt8](repeating: 0, count: (count + 7) / 8)
    for row in 0..<count where isSet(row) { bits[row >> 3] |= 1 << UInt8(row & 7) }
    return bits
  }

  // MARK: Values of any length

  private mutating func texts(
    _ count: Int, _ width: Int, _ validity: [UInt8]?
  ) throws(FormatError) -> ColumnValues {
    let (offsets, values) = (try buffer(), try buffer())
    // A column without rows may have no offsets at all.
    if count == 0 { return .bytes(offsets: [0], bytes: []) }
    guard offsets.bytes.count / width > count else { throw Self.short }
    try batch.budget.take(count + 1, width: 8)
    return try offsets.withBytes { offsets throws(FormatError) in
      try values.withBytes { values throws(FormatError) in
        let texts = ArrowTexts(bytes: values, count: count, validity: validity)
        return width == 4
          ? try texts.values(offsets, Int32.self, batch.budget)
          : try texts.values(offsets, Int64.self, batch.budget)
      }
    }
  }

  private mutating func views(
    _ count: Int, _ validity: [UInt8]?
  ) throws(FormatError) -> ColumnValues {
    let views = try buffer()
    guard views.bytes.count / 16 >= count else { throw Self.short }
    var parts: [ArrowBuffer] = []
    for _ in 0..<(try batch.viewBufferCount(position.view)) { parts.append(try buffer()) }
    position.view += 1
    try batch.budget.take(count + 1, width: 8)
    return try views.withBytes { views throws(FormatError) in
      try ArrowViews(bytes: views, parts: parts, count: count, validity: validity).values(
        batch.budget)
    }
  }

  // MARK: Lists

  /// All values of the next column; the record batch specifies their number.
  private mutating func elements(_ column: ArrowColumn) throws(FormatError) -> ValueColumn {
    guard let child = column.children.first else { throw Self.short }
    let count = try batch.node(position.node).count
    guard (0...Int(Int32.max)).contains(count) else {
      throw ArrowFault.damaged("it has lists of \(count) values")
    }
    return try self.column(child, count: count)
  }

  /// Lists of one length as JSON text.
  private mutating func lists(
    _ column: ArrowColumn, _ length: Int, _ rows: ValueColumn
  ) throws(FormatError) -> ValueColumn {
    let elements = try elements(column)
    let (count, overflow) = rows.count.multipliedReportingOverflow(by: length)
    guard !overflow, count == elements.count else { throw Self.short }
    var texts = ListTexts(elements, isMap: false, batch.budget)
    return try texts.column(column.field, count: rows.count, validity: rows.validity) {
      $0 * length..<($0 + 1) * length
    }
  }

  /// Lists and maps as JSON text.
  ///
  /// - Parameters:
  ///   - width: the size in bytes of offsets.
  ///   - isView: whether each list has an offset and a size.
  private mutating func lists(
    _ column: ArrowColumn, _ width: Int, _ isView: Bool, _ rows: ValueColumn
  ) throws(FormatError) -> ValueColumn {
    let starts = try offsets(isView || rows.count == 0 ? rows.count : rows.count + 1, width)
    let sizes = isView ? try offsets(rows.count, width) : []
    let elements = try elements(column)
    let ranges = try ranges(starts, sizes, isView, rows, elements.count)
    var texts = ListTexts(elements, isMap: column.storage == .map, batch.budget)
    return try texts.column(column.field, count: rows.count, validity: rows.validity) {
      ranges[$0]
    }
  }

  /// The elements of each row; none for null rows.
  private func ranges(
    _ starts: [Int], _ sizes: [Int], _ isView: Bool, _ rows: ValueColumn, _ count: Int
  ) throws(FormatError) -> [Range<Int>] {
    try batch.budget.take(rows.count, width: 16)
    var ranges: [Range<Int>] = []
    ranges.reserveCapacity(rows.count)
    for row in 0..<rows.count {
      if rows.isNull(row) {
        ranges.append(0..<0)
        continue
      }
      let start = starts[row]
      let (end, overflow) =
        isView ? start.addingReportingOverflow(sizes[row]) : (starts[row + 1], false)
      guard !overflow, start >= 0, start <= end, end <= count else {
        throw ArrowFault.damaged("it has a list outside its values")
      }
      ranges.append(start..<end)
    }
    return ranges
  }

  private mutating func offsets(_ count: Int, _ width: Int) throws(FormatError) -> [Int] {
    let values = try buffer()
    guard values.bytes.count / width >= count else { throw Self.short }
    try batch.budget.take(count, width: 8)
    return values.withBytes { bytes in
      (0..<count).map { index in
        width == 4
          ? Int(Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * index, as: Int32.self)))
          : Int(Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8 * index, as: Int64.self)))
      }
    }
  }

  // MARK: Indices

  /// The values at indices.
  private func taken(
    _ indices: [UInt32], from values: ValueColumn, _ field: ColumnField, _ validity: [UInt8]?
  ) throws(FormatError) -> ValueColumn {
    let rows = ColumnRows(indices, batch.budget)
    guard rows.areKnown(count: values.count) else {
      throw ArrowFault.damaged("it has an index outside its dictionary")
    }
    return try rows.taken(from: values, field: field, validity: validity)
  }

  /// The indices of the rows' values; `ColumnRows.none` for nulls.
  private mutating func indices(
    _ index: ArrowIndex, _ count: Int, _ validity: [UInt8]?
  ) throws(FormatError) -> [UInt32] {
    let values = try buffer()
    guard values.bytes.count / index.width >= count else { throw Self.short }
    try batch.budget.take(count, width: 4)
    var indices = values.withBytes { bytes in
      switch (index.width, index.isSigned) {
      case (1, true): Self.indices(bytes, Int8.self, count)
      case (1, false): Self.indices(bytes, UInt8.self, count)
      case (2, true): Self.indices(bytes, Int16.self, count)
      case (2, false): Self.indices(bytes, UInt16.self, count)
      case (4, true): Self.indices(bytes, Int32.self, count)
      case (4, false): Self.indices(bytes, UInt32.self, count)
      case (_, true): Self.indices(bytes, Int64.self, count)
      case (_, false): Self.indices(bytes, UInt64.self, count)
      }
    }
    if let validity {
      ColumnValidity.forEachNull(validity, count: count) { indices[$0] = ColumnRows.none }
    }
    return indices
  }

  /// Converts indices to 32 bits. Negative indices and indices that are too large become
  /// `ColumnRows.none - 1`, which is outside every dictionary.
  private static func indices<Number: FixedWidthInteger & BitwiseCopyable>(
    _ bytes: UnsafeRawBufferPointer, _: Number.Type, _ count: Int
  ) -> [UInt32] {
    [UInt32](unsafeUninitializedCapacity: count) { output, used in
      let size = MemoryLayout<Number>.size
      for row in 0..<count {
        let number = Number(
          littleEndian: bytes.loadUnaligned(fromByteOffset: row &* size, as: Number.self))
        output[row] = min(UInt32(exactly: number) ?? .max, ColumnRows.none - 1)
      }
      used = count
    }
  }

  /// Decodes runs of equal values.
  private mutating func runs(
    _ column: ArrowColumn, _ count: Int, _ outer: [UInt8]?
  ) throws(FormatError) -> ValueColumn {
    let runCount = try batch.node(position.node).count
    guard runCount >= 0, column.children.count == 2 else { throw Self.short }
    let ends = try self.column(column.children[0], count: runCount)
    let values = try self.column(column.children[1], count: runCount)
    try batch.budget.take(count, width: 4)
    var rows: [UInt32] = []
    rows.reserveCapacity(count)
    for (run, end) in Self.ends(ends.values).enumerated() {
      guard end >= rows.count else { throw ArrowFault.damaged("its runs are not in order") }
      let more = min(end, count) - rows.count
      rows.append(contentsOf: repeatElement(UInt32(truncatingIfNeeded: run), count: more))
      // The last run may end after the last row.
      if end >= count { break }
    }
    guard rows.count == count else { throw Self.short }
    if let outer { ColumnValidity.forEachNull(outer, count: count) { rows[$0] = ColumnRows.none } }
    return try taken(rows, from: values, column.field, outer)
  }

  private static func ends(_ values: ColumnValues) -> [Int] {
    switch values {
    case .int16(let list): list.map { Int($0) }
    case .int32(let list): list.map { Int($0) }
    case .int64(let list): list.map { Int($0) }
    default: []
    }
  }
}
