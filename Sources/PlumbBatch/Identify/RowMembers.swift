import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbSources

/// Writes the columns of rows as members of a JSON object.
struct RowMembers: Sendable {
  package let fields: [Field]
  /// `"name":` of each column.
  private let keys: TextPieces

  package init(_ fields: [Field]) {
    self.fields = fields
    var builder = TextPieces.Builder()
    for field in fields { _ = builder.add { $0.append(key: field.name) } }
    keys = builder.pieces
  }

  /// Calls `body` for each row of a range. The closure `appendMembers` appends the members of the
  /// row, separated by commas, and returns whether the row has any members.
  ///
  /// - Throws: the errors of `body`, or an error if a field of delimited text does not match its
  ///   column's type.
  package func forEach(
    of rows: Range<Int>, in batch: PointBatch, to text: TextBuffer,
    _ body: (_ row: Int, _ appendMembers: () throws -> Bool) throws -> Void
  ) throws {
    switch batch.rows {
    case .delimited(let records):
      for row in rows {
        try body(row) { try append(records.record(row), records.delimiter, batch, row, to: text) }
      }
    case .geoJSON(let features):
      for row in rows {
        try body(row) { append(features.fields(at: row), to: text) }
      }
    case .vector(let features):
      for row in rows { try body(row) { append(features.values(at: row), to: text) } }
    case .columnar(let table):
      for row in rows { try body(row) { append(table.values(at: row)[...], to: text) } }
    }
  }

  private func append(_ values: ArraySlice<FieldValue>, to text: TextBuffer) -> Bool {
    for (index, value) in values.enumerated() {
      appendKey(index, to: text)
      text.append(json: value)
    }
    return !fields.isEmpty
  }

  private func append(
    _ members: [(name: String, value: FieldValue)], to text: TextBuffer
  ) -> Bool {
    for (index, member) in members.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text.append(key: member.name)
      text.append(json: member.value)
    }
    return !members.isEmpty
  }

  /// Appends the name of a member. A field without a column in the header is named by its number,
  /// counted from 1.
  private func appendKey(_ index: Int, to text: TextBuffer) {
    if index > 0 { text.append(UInt8(ascii: ",")) }
    guard index >= fields.count else { return keys.append(index, to: text) }
    text.append(UInt8(ascii: "\""))
    text.append(unsigned: UInt64(index + 1))
    text.append(literal: "\":")
  }

  /// Appends the members of a record of delimited text.
  private func append(
    _ bytes: UnsafeBufferPointer<UInt8>, _ delimiter: UInt8, _ batch: PointBatch, _ row: Int,
    to text: TextBuffer
  ) throws -> Bool {
    guard let record = bytes.baseAddress else { return false }
    let count = bytes.count
    let isSpaced = delimiter == DelimitedHeader.space
    var position = 0
    var index = 0
    while true {
      if isSpaced {
        while position < count, record[position] == 0x20 || record[position] == 0x09 {
          position += 1
        }
        if position >= count { return index > 0 }
      }
      let field = DelimitedField(
        record, at: position, limit: count, delimiter: delimiter,
        other: isSpaced ? 0x09 : delimiter, lineEnd: delimiter)
      appendKey(index, to: text)
      try append(field, of: record, index, batch, row, to: text)
      if field.next >= count { return true }
      position = field.next + 1
      index += 1
    }
  }

  private func append(
    _ field: DelimitedField, of record: UnsafePointer<UInt8>, _ index: Int, _ batch: PointBatch,
    _ row: Int, to text: TextBuffer
  ) throws {
    let content = field.content
    let bytes = UnsafeBufferPointer(start: record + content.lowerBound, count: content.count)
    guard field.quote < 0 || !bytes.contains(UInt8(ascii: "\"")) else {
      let unquoted = field.text(in: record)
      return try unquoted.withUnsafeBufferPointer {
        try append($0, index, batch, row, to: text)
      }
    }
    try append(bytes, index, batch, row, to: text)
  }

  private func append(
    _ bytes: UnsafeBufferPointer<UInt8>, _ index: Int, _ batch: PointBatch, _ row: Int,
    to text: TextBuffer
  ) throws {
    let kind = index < fields.count ? fields[index].kind : .text
    switch (kind, kind == .text ? .text : FieldForm(bytes)) {
    case (.text, _):
      guard UTF8Text.isValid(bytes) else {
        _ = try batch.value(
          Array(bytes), Field(name: "\(index + 1)", kind: .text), row, isJSON: true)
        return
      }
      text.append(json: bytes)
    case (_, .empty): text.append(literal: "null")
    case (.integer, .integer), (.real, .integer), (.real, .real):
      // The text is already a JSON number, and is written unchanged.
      if let start = bytes.baseAddress { text.append(start, bytes.count) }
    default:
      text.append(json: try batch.value(Array(bytes), fields[index], row, isJSON: true))
    }
  }
}
