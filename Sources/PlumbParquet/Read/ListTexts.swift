import PlumbCore
import PlumbIO

/// Lists and maps as JSON text.
///
/// Lists become arrays. Structures and maps become objects. Map keys that are not text become text.
/// Values are written like the attribute values of a column. NaN and infinities become null.
struct ListTexts {
  private let elements: ValueColumn
  private let isMap: Bool
  private let budget: DecodeBudget
  private let text = TextBuffer(capacity: 1 << 12)
  /// The size of the text for which the budget has been used.
  private var granted = 0
  private var value: [FieldValue] = [.null]

  /// - Parameters:
  ///   - elements: the elements of all lists, or structures of a key and a value.
  ///   - isMap: whether the elements are keys with values.
  init(_ elements: ValueColumn, isMap: Bool, _ budget: DecodeBudget) {
    (self.elements, self.isMap, self.budget) = (elements, isMap, budget)
  }

  /// The lists of rows; null rows have no text.
  ///
  /// - Parameters:
  ///   - validity: the rows that are not null; nil if no row is null.
  ///   - range: the elements of a row.
  mutating func column(
    _ field: ColumnField, count: Int, validity: [UInt8]?, range: (_ row: Int) -> Range<Int>
  ) throws(FormatError) -> ValueColumn {
    try budget.take(count + 1, width: 8)
    var result = ValueColumn(
      field: field, values: .booleans([]), validity: validity, count: count)
    var offsets = [0]
    offsets.reserveCapacity(count + 1)
    for row in 0..<count {
      if !result.isNull(row) { try append(range(row)) }
      offsets.append(text.count)
    }
    try budget.take(text.count)
    result.values = .bytes(offsets: offsets, bytes: Array(text.bytes))
    return result
  }

  private mutating func append(_ range: Range<Int>) throws(FormatError) {
    text.append(UInt8(ascii: isMap ? "{" : "["))
    for index in range {
      if index > range.lowerBound { text.append(UInt8(ascii: ",")) }
      if isMap { try appendPair(index) } else { try append(elements, index) }
    }
    text.append(UInt8(ascii: isMap ? "}" : "]"))
  }

  /// Takes memory for the text of a value before the value is written.
  ///
  /// - Parameter count: the number of bytes of the value, each of which takes up to six bytes of text.
  private mutating func reserve(_ count: Int) throws(FormatError) {
    let needed = text.count + 6 * count + 64
    guard needed > granted else { return }
    let more = max(1 << 16, needed - granted)
    try budget.take(more)
    granted += more
  }

  private mutating func append(_ column: ValueColumn, _ row: Int) throws(FormatError) {
    guard !column.isNull(row) else { return text.append(literal: "null") }
    guard case .structure(let members) = column.values else {
      switch column.values {
      case .bytes(let offsets, _): try reserve(offsets[row + 1] - offsets[row])
      case .fixed(let width, _): try reserve(width)
      default: try reserve(0)
      }
      value[0] = .null
      column.write(row..<row + 1, into: &value, from: 0, step: 1)
      return text.append(json: value[0])
    }
    text.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      try reserve(member.field.name.utf8.count)
      text.append(key: member.field.name)
      try append(member, row)
    }
    text.append(UInt8(ascii: "}"))
  }

  /// Appends a key and its value.
  private mutating func appendPair(_ row: Int) throws(FormatError) {
    guard case .structure(let members) = elements.values, members.count == 2 else { return }
    let start = text.count
    try append(members[0], row)
    if text.count == start || text.bytes[start] != UInt8(ascii: "\"") {
      let key = String(decoding: text.bytes[start...], as: UTF8.self)
      text.removeAll(after: start)
      text.append(json: key)
    }
    text.append(UInt8(ascii: ":"))
    try append(members[1], row)
  }
}
