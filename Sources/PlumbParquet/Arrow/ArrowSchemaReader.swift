import PlumbCore
import PlumbIO

/// Reads the description of the columns of an Arrow stream.
struct ArrowSchemaReader {
  /// Whether unions have a validity bitmap, as in old versions of the format.
  private let areUnionsNullable: Bool
  private var columnsLeft = ParquetLimits.schemaElements
  private var textLeft = ParquetLimits.footerBytes
  private(set) var keyValues: [(key: String, value: String)] = []
  private(set) var columns: [ArrowColumn] = []

  init(_ message: ArrowIncoming) throws(FormatError) {
    // 3 is the value of the metadata version V4, which precedes the current version V5.
    guard message.version >= 3 else {
      throw FormatError(
        "Arrow versions before 0.8 are not supported", code: .unsupported)
    }
    areUnionsNullable = message.version == 3
    let schema = message.header
    guard try schema.number(0, default: Int16(0)) == 0 else {
      throw FormatError(
        "big-endian Arrow is not supported", code: .unsupported,
        remedies: ["write it on a little-endian machine"])
    }
    keyValues = try pairs(schema, 2)
    for field in try schema.tables(1, limit: columnsLeft) {
      columns.append(try column(field, depth: 1))
    }
  }

  private mutating func text(_ bytes: UnsafeRawBufferPointer?) throws(FormatError) -> String {
    guard let bytes else { return "" }
    textLeft -= bytes.count
    guard textLeft >= 0 else { throw ArrowFault.tooLarge("the names of columns are too long") }
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func pairs(
    _ table: FlatBufferTable, _ field: Int
  ) throws(FormatError) -> [(key: String, value: String)] {
    var pairs: [(key: String, value: String)] = []
    for pair in try table.tables(field, limit: ParquetLimits.schemaElements) {
      // Only these keys are needed.
      let key = try text(pair.text(0))
      guard [ArrowExtension.nameKey, ArrowExtension.parametersKey, "geo"].contains(key) else {
        continue
      }
      pairs.append((key, try text(pair.text(1))))
    }
    return pairs
  }

  // MARK: Columns

  private mutating func column(
    _ table: FlatBufferTable, depth: Int
  ) throws(FormatError) -> ArrowColumn {
    columnsLeft -= 1
    guard columnsLeft >= 0 else { throw ArrowFault.tooLarge("the stream has too many columns") }
    guard depth <= ParquetLimits.schemaDepth else {
      throw ArrowFault.damaged("the schema is nested too deeply")
    }
    let name = try text(table.text(0))
    let isNullable: UInt8 = try table.number(1, default: 0)
    var column = ArrowColumn(
      field: ColumnField(name: name, kind: .binary, isNullable: isNullable != 0), storage: .null)
    for child in try table.tables(5, limit: columnsLeft) {
      column.children.append(try self.column(child, depth: depth + 1))
    }
    try setType(try table.number(2, default: UInt8(0)), try table.table(3), of: &column)
    let pairs = try pairs(table, 6)
    if let known = pairs.first(where: { $0.key == ArrowExtension.nameKey }) {
      let parameters = pairs.first { $0.key == ArrowExtension.parametersKey }?.value ?? ""
      try ArrowExtension(name: known.value, parameters: parameters).apply(to: &column)
    }
    guard let encoding = try table.table(4) else { return column }
    return try dictionary(encoding, of: column)
  }

  /// Returns a dictionary-encoded column. Its dictionary contains the values that `values` describes.
  private func dictionary(
    _ encoding: FlatBufferTable, of values: ArrowColumn
  ) throws(FormatError) -> ArrowColumn {
    var index = ArrowIndex(width: 4, isSigned: true)
    if let type = try encoding.table(1) {
      let bits: Int32 = try type.number(0, default: 0)
      guard [8, 16, 32, 64].contains(bits) else {
        throw ArrowFault.damaged("a dictionary has indices of \(bits) bits")
      }
      index = ArrowIndex(width: Int(bits) / 8, isSigned: try type.number(1, default: UInt8(0)) != 0)
    }
    var column = values
    column.storage = .dictionary(id: try encoding.number(0, default: 0), index: index)
    column.children = [values]
    return column
  }

  /// Sets how the values of a column are stored, and their kind.
  private func setType(
    _ type: UInt8, _ table: FlatBufferTable?, of column: inout ArrowColumn
  ) throws(FormatError) {
    switch type {
    case 1: (column.storage, column.field.kind) = (.null, .integer(bits: 32, isSigned: true))
    case 4: column.storage = .offsets(width: 4)
    case 5: (column.storage, column.field.kind) = (.offsets(width: 4), .text)
    case 6: (column.storage, column.field.kind) = (.bits, .boolean)
    case 12: try setLists(.list(width: 4, isView: false), &column)
    case 13: setStructure(&column)
    case 14:
      let isDense = try table?.number(0, default: Int16(0)) == 1
      column.storage = .union(bufferCount: (areUnionsNullable ? 2 : 1) + (isDense ? 1 : 0))
      column.refusal = "has unions"
    case 16:
      let length: Int32 = try table?.number(0, default: 0) ?? 0
      guard length >= 0 else { throw ArrowFault.damaged("a list has a negative length") }
      try setLists(.fixedList(length: Int(length)), &column)
    case 17: try setMaps(&column)
    case 19: column.storage = .offsets(width: 8)
    case 20: (column.storage, column.field.kind) = (.offsets(width: 8), .text)
    case 21: try setLists(.list(width: 8, isView: false), &column)
    case 22: try setRunEnds(&column)
    case 23: column.storage = .views
    case 24: (column.storage, column.field.kind) = (.views, .text)
    case 25, 26: try setLists(.list(width: type == 25 ? 4 : 8, isView: true), &column)
    default: try setFixedType(type, table, of: &column)
    }
  }

  private func setStructure(_ column: inout ArrowColumn) {
    column.storage = .structure
    column.refusal =
      column.children.isEmpty
      ? "has no members" : column.children.lazy.compactMap(\.refusal).first
    column.field.kind = .structure(column.children.map(\.field))
  }

  /// Sets the storage and the kind of a column of lists, which is read as JSON text.
  private func setLists(
    _ storage: ArrowStorage, _ column: inout ArrowColumn
  ) throws(FormatError) {
    guard column.children.count == 1 else {
      throw ArrowFault.damaged("a column of lists has no values")
    }
    (column.storage, column.field.kind) = (storage, .json)
    column.refusal = column.children[0].refusal
  }

  private func setMaps(_ column: inout ArrowColumn) throws(FormatError) {
    try setLists(.map, &column)
    guard column.children[0].storage == .structure, column.children[0].children.count == 2 else {
      throw ArrowFault.damaged("a column of maps has no keys and values")
    }
  }

  private func setRunEnds(_ column: inout ArrowColumn) throws(FormatError) {
    column.storage = .runEnds
    guard column.children.count == 2, case .fixed(2...8) = column.children[0].storage,
      case .integer(_, isSigned: true) = column.children[0].field.kind
    else { throw ArrowFault.damaged("a column of runs has no ends") }
    let values = column.children[1]
    (column.refusal, column.field.kind, column.crs) = (
      values.refusal, values.field.kind, values.crs
    )
    column.field.isNullable = column.field.isNullable || values.field.isNullable
  }

  /// Sets the storage and the kind of a column whose values all have the same size.
  private func setFixedType(
    _ type: UInt8, _ table: FlatBufferTable?, of column: inout ArrowColumn
  ) throws(FormatError) {
    guard let table else { throw ArrowFault.damaged("a type has no parameters") }
    let (kind, bits): (ColumnKind, Int)
    switch type {
    case 2:
      bits = Int(try table.number(0, default: Int32(0)))
      kind = .integer(bits: bits, isSigned: try table.number(1, default: UInt8(0)) != 0)
    case 3:
      guard let size = [0: 16, 1: 32, 2: 64][try table.number(0, default: Int16(0))] else {
        throw ArrowFault.damaged("a floating-point type has an unknown size")
      }
      (kind, bits) = (.float(bits: size), size)
    case 7:
      bits = Int(try table.number(2, default: Int32(128)))
      let precision = Int(try table.number(0, default: Int32(0)))
      let scale = Int(try table.number(1, default: Int32(0)))
      kind = .decimal(precision: precision, scale: scale)
      if !(1...76).contains(precision) || !(0...76).contains(scale) {
        column.refusal = "has decimals of \(precision) digits and the scale \(scale)"
      }
    case 8: (kind, bits) = (.date, try table.number(0, default: Int16(1)) == 0 ? 32 : 64)
    case 9:
      let unit = try Self.unit(try table.number(0, default: 1))
      bits = unit == .seconds || unit == .milliseconds ? 32 : 64
      kind = .time(unit)
    case 10:
      let zone = try table.text(1)
      kind = .timestamp(
        try Self.unit(try table.number(0, default: 0)), isUTC: zone.map { !$0.isEmpty } ?? false)
      bits = 64
    case 11:
      // The units are months in 32 bits (0), days and milliseconds in 64 bits (1), or months, days
      // and nanoseconds in 128 bits (2).
      bits = [1: 64, 2: 128][try table.number(0, default: Int16(0))] ?? 32
      (kind, column.refusal) = (.binary, "has intervals")
    case 15:
      let width = try table.number(0, default: Int32(0))
      if !(1...1 << 20).contains(width) { column.refusal = "has values of \(width) bytes" }
      (kind, bits) = (.fixed(width: Int(width)), 8 * Int(width))
    case 18:
      (kind, bits) = (.binary, 64)
      column.refusal = "has durations"
    default: throw FormatError("the Arrow type \(type) is not supported", code: .unsupported)
    }
    let isKnown =
      switch kind {
      case .integer: [8, 16, 32, 64].contains(bits)
      case .decimal: [32, 64, 128, 256].contains(bits)
      default: true
      }
    guard isKnown else { throw ArrowFault.damaged("a number has \(bits) bits") }
    (column.storage, column.field.kind) = (.fixed(width: bits / 8), kind)
  }

  private static func unit(_ number: Int16) throws(FormatError) -> TimeUnit {
    switch number {
    case 0: .seconds
    case 1: .milliseconds
    case 2: .microseconds
    case 3: .nanoseconds
    default: throw ArrowFault.damaged("a time has an unknown unit")
    }
  }
}
