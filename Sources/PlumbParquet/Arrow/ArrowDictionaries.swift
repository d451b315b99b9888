import PlumbIO

/// The dictionaries of an Arrow stream.
struct ArrowDictionaries: Sendable {
  /// The columns of the values, by dictionary ID.
  private var columns: [Int64: ArrowColumn] = [:]
  private var known: [Int64: ValueColumn] = [:]

  init(_ columns: [ArrowColumn]) throws(FormatError) {
    for column in columns { try add(column) }
  }

  private mutating func add(_ column: ArrowColumn) throws(FormatError) {
    for child in column.children { try add(child) }
    guard case .dictionary(let id, _) = column.storage, let values = column.children.first else {
      return
    }
    if let other = columns[id] {
      guard other.storage == values.storage, other.field.kind == values.field.kind else {
        throw ArrowFault.damaged("columns of different types have the same dictionary")
      }
    }
    columns[id] = values
  }

  /// Reads a message with a dictionary, or with more values of a dictionary.
  mutating func read(_ message: ArrowIncoming) throws(FormatError) {
    let id: Int64 = try message.header.number(0, default: 0)
    guard let column = columns[id] else {
      throw ArrowFault.damaged("a dictionary belongs to no column")
    }
    if column.refusal != nil { return }
    guard let table = try message.header.table(1) else {
      throw ArrowFault.damaged("a dictionary has no values")
    }
    let batch = try ArrowBatch(table, body: message.body)
    var decoder = ArrowDecoder(batch, self, at: ArrowDecoder.Position())
    var values: ValueColumn
    do throws(FormatError) {
      values = try decoder.column(column, count: batch.rowCount)
    } catch {
      throw ParquetFault.at("the dictionary of column \(column.field.name.printable)", error)
    }
    if try message.header.number(2, default: UInt8(0)) != 0,
      var first = known.removeValue(forKey: id)
    {
      first.append(values)
      values = first
    }
    known[id] = values
    guard known.values.reduce(0, { $0 + $1.byteCount }) <= ParquetLimits.decodedBytes else {
      throw ArrowFault.tooLarge(
        "the dictionaries need more than \(ParquetLimits.decodedBytes >> 20) MB of memory")
    }
  }

  /// The values of a dictionary.
  ///
  /// - Parameter isNeeded: whether a row has a value of the dictionary; otherwise, the dictionary
  ///   may be missing.
  func values(_ id: Int64, isNeeded: Bool) throws(FormatError) -> ValueColumn {
    if let values = known[id] { return values }
    guard !isNeeded, let column = columns[id] else {
      throw ArrowFault.damaged("its dictionary is missing")
    }
    return column.emptyColumn
  }
}

extension ArrowColumn {
  /// The column without rows.
  fileprivate var emptyColumn: ValueColumn {
    let values: ColumnValues
    switch storage {
    case .null: values = .int32([])
    case .bits: values = .booleans([])
    case .fixed(let width):
      let none = ArrowFixedValues(
        bytes: UnsafeRawBufferPointer(start: nil, count: 0), count: 0, validity: nil)
      values = (try? none.values(field.kind, width: width)) ?? .fixed(width: width, bytes: [])
    case .structure: values = .structure(children.map(\.emptyColumn))
    case .fixedList(let length) where field.kind == .geometry(.points):
      values = .structure(
        (0..<length).map { _ in children.first?.emptyColumn }.compactMap { $0 })
    case .dictionary: return children.first?.emptyColumn ?? noValues
    case .runEnds: return children.last?.emptyColumn ?? noValues
    case .offsets, .views, .list, .map, .fixedList, .union: return noValues
    }
    return ValueColumn(field: field, values: values, validity: nil, count: 0)
  }

  private var noValues: ValueColumn {
    ValueColumn(field: field, values: .bytes(offsets: [0], bytes: []), validity: nil, count: 0)
  }
}
