import PlumbCore
import PlumbIO

/// Parses the records of a part of a block.
struct DelimitedPartParser {
  private let text: UnsafePointer<UInt8>
  private let columnCount: Int
  private let columns: PointColumns
  private let delimiter: UInt8
  private var rows: RowCursor
  /// Whether the last record has an unclosed quote, so that its content cannot be determined.
  private var hasOpenQuote = false

  /// - Parameters:
  ///   - text: the block's text, which has to outlive the parser.
  ///   - memory: the memory for the rows, which has to outlive the parser.
  ///   - rows: the indices in `memory` for the rows. Fewer rows may be parsed.
  init(
    _ text: UnsafePointer<UInt8>, columnCount: Int, columns: PointColumns, delimiter: UInt8,
    _ memory: RowMemory, at rows: Range<Int>
  ) {
    (self.text, self.columnCount, self.columns) = (text, columnCount, columns)
    (self.delimiter, self.rows) = (delimiter, RowCursor(memory, at: rows))
  }

  /// The number of rows so far.
  var count: Int { rows.count }

  /// Parses records whose fields may be quoted.
  mutating func parseRecords(from start: Int, into part: inout DelimitedPart) {
    var position = start
    while position < part.range.upperBound { position = parseRecord(position, into: &part) }
  }

  /// Parses records without quotes, in which every delimiter separates fields and every line feed
  /// ends a record.
  mutating func parsePlain(into part: inout DelimitedPart) {
    let separators = FieldSeparators(delimiter)
    let (start, limit) = (part.range.lowerBound, part.range.upperBound)
    var (record, field, number) = (start, start, 0)
    var (xField, yField) = (0..<0, 0..<0)
    var window = start
    while window < limit {
      let end = min(limit, window + FieldSeparators.window)
      for separator in separators.find(in: text, window..<end) {
        let position = window + Int(separator)
        let isLineEnd = text[position] == 0x0A
        let fieldEnd =
          isLineEnd ? DelimitedField.endOfLast(text, from: field, at: position) : position
        if number == columns.x { xField = field..<fieldEnd }
        if number == columns.y { yField = field..<fieldEnd }
        number += 1
        field = position + 1
        guard isLineEnd else { continue }
        let line = part.lineCount
        part.lineCount += 1
        if fieldEnd > record {
          add(record..<fieldEnd, line: line, fieldCount: number, xField, yField, to: &part)
        }
        (record, number, xField, yField) = (field, 0, 0..<0, 0..<0)
      }
      window = end
    }
    // The last record may not have a line end.
    parseRecords(from: record, into: &part)
  }

  /// Parses the record at `start`, and returns the start of the next record.
  private mutating func parseRecord(_ start: Int, into part: inout DelimitedPart) -> Int {
    let limit = part.range.upperBound
    let line = part.lineCount
    var position = start
    var field = 0
    var (xField, yField) = (0..<0, 0..<0)
    var contentEnd = limit
    while true {
      let span = DelimitedField(
        text, at: position, limit: limit, delimiter: delimiter, other: delimiter, lineEnd: 0x0A)
      if span.quote >= 0 { addQuoted(span, &part) }
      if field == columns.x { xField = span.start..<span.end }
      if field == columns.y { yField = span.start..<span.end }
      field += 1
      position = span.next
      if position >= limit || text[position] == 0x0A {
        contentEnd = span.end
        break
      }
      position += 1
    }
    let next = position < limit ? position + 1 : limit
    if position < limit { part.lineCount += 1 }
    if contentEnd > start {
      add(start..<contentEnd, line: line, fieldCount: field, xField, yField, to: &part)
    }
    return next
  }

  /// Parses records whose fields are separated by runs of spaces and tabs.
  mutating func parseSpaced(into part: inout DelimitedPart) {
    var position = part.range.lowerBound
    while position < part.range.upperBound { position = parseSpacedRecord(position, into: &part) }
  }

  /// Parses the record at `start`, and returns the start of the next record.
  private mutating func parseSpacedRecord(_ start: Int, into part: inout DelimitedPart) -> Int {
    let limit = part.range.upperBound
    let line = part.lineCount
    var position = start
    var field = 0
    var (xField, yField) = (0..<0, 0..<0)
    while true {
      while position < limit, text[position] == 0x20 || text[position] == 0x09 { position += 1 }
      if position >= limit || text[position] == 0x0A || text[position] == 0x0D { break }
      let span = DelimitedField(
        text, at: position, limit: limit, delimiter: 0x20, other: 0x09, lineEnd: 0x0A)
      if span.quote >= 0 { addQuoted(span, &part) }
      position = span.end
      if field == columns.x { xField = span.start..<position }
      if field == columns.y { yField = span.start..<position }
      field += 1
    }
    let contentEnd = position
    while position < limit, text[position] != 0x0A { position += 1 }
    if position < limit {
      part.lineCount += 1
      position += 1
    }
    if field > 0 {
      add(start..<contentEnd, line: line, fieldCount: field, xField, yField, to: &part)
    }
    return position
  }

  // MARK: Rows

  @inline(__always)
  private mutating func add(
    _ record: Range<Int>, line: Int, fieldCount: Int, _ xField: Range<Int>, _ yField: Range<Int>,
    to part: inout DelimitedPart
  ) {
    let isRagged = fieldCount != columnCount || hasOpenQuote
    var fault = PointFault.missing
    if hasOpenQuote {
      fault = .openQuote
    } else if fieldCount > columnCount {
      fault = .extraFields
    }
    if columns.isWKT, !isRagged {
      do throws(WKTPoint.Failure) {
        let point = try WKTPoint(unquoted(xField))
        if let wanted = columns.srid, let pointSRID = point.srid, pointSRID != wanted,
          part.otherReference == nil
        {
          part.otherReference = (line, pointSRID)
        }
        return rows.add(record, point.x, point.y, .ok)
      } catch {
        if case .fault(let kind) = error { fault = kind }
      }
    } else if !isRagged, let x = NumberText.parse(unquoted(xField)),
      let y = NumberText.parse(unquoted(yField))
    {
      return rows.add(record, x, y, .ok)
    }
    part.badRows.append(
      DelimitedPart.BadRow(
        row: rows.count, line: line, fieldCount: fieldCount, fault: fault))
    rows.add(record, .nan, .nan, .badPoint)
    if !isRagged, !columns.isWKT, part.decimalComma == nil {
      part.decimalComma = decimalComma([xField, yField]).map { (line, $0) }
    }
  }

  /// Adds the line ends within a quoted field to the part's line count.
  private mutating func addQuoted(_ span: DelimitedField, _ part: inout DelimitedPart) {
    part.lineCount += span.lineCount
    hasOpenQuote = hasOpenQuote || span.isOpen
  }

  @inline(__always)
  private func unquoted(_ field: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    var (start, end) = (field.lowerBound, field.upperBound)
    if end - start >= 2, text[start] == UInt8(ascii: "\""), text[end - 1] == UInt8(ascii: "\"") {
      start += 1
      end -= 1
    }
    return UnsafeBufferPointer(start: text + start, count: end - start)
  }

  private func decimalComma(_ fields: [Range<Int>]) -> String? {
    for field in fields {
      let bytes = UnsafeBufferPointer(start: text + field.lowerBound, count: field.count)
      if NumberText.hasDecimalComma(bytes) { return String(decoding: bytes, as: UTF8.self) }
    }
    return nil
  }
}

/// Writes rows to memory, one after the other.
private struct RowCursor {
  private let starts: UnsafeMutablePointer<UInt32>
  private let ends: UnsafeMutablePointer<UInt32>
  private let x: UnsafeMutablePointer<Double>
  private let y: UnsafeMutablePointer<Double>
  private let status: UnsafeMutablePointer<UInt8>
  private let limit: Int
  private(set) var count = 0

  init(_ memory: RowMemory, at rows: Range<Int>) {
    limit = rows.count
    let first = rows.lowerBound
    (starts, ends) = (memory.starts.base + first, memory.ends.base + first)
    (x, y, status) = (memory.x.base + first, memory.y.base + first, memory.status.base + first)
  }

  @inline(__always)
  mutating func add(_ record: Range<Int>, _ x: Double, _ y: Double, _ status: SampleStatus) {
    precondition(count < limit, "more rows than lines")
    starts[count] = UInt32(truncatingIfNeeded: record.lowerBound)
    ends[count] = UInt32(truncatingIfNeeded: record.upperBound)
    self.x[count] = x
    self.y[count] = y
    self.status[count] = status.rawValue
    count += 1
  }
}
