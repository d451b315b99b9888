import PlumbCore
import PlumbIO

/// The points of some consecutive records, and where each record lies in the block.
public struct DelimitedPart: Sendable {
  /// The bytes of the part in its block.
  public var range: Range<Int>
  /// For each row where its record starts and ends, line end left out.
  public var starts: [UInt32] = []
  /// For each row the offset in the block behind its last byte, the line end left out.
  public var ends: [UInt32] = []
  /// Easting or longitude, one a row; NaN where the row is bad.
  public var x: [Double] = []
  /// Northing or latitude, likewise.
  public var y: [Double] = []
  /// `SampleStatus` raw values: `ok` or `badPoint`.
  public var status: [UInt8] = []
  /// Fields of each bad row, by row; a good row has as many as the header.
  public var badRows: [BadRow] = []
  /// Newlines in the part.
  public var lineCount = 0
  /// The first coordinate with a decimal comma, and its line in the part.
  public var decimalComma: (line: Int, text: String)?
  /// The first point in well-known text that names another reference than the columns do, and its
  /// line in the part.
  public var otherReference: (line: Int, srid: Int32)?

  /// Whether the last record's quote was never closed: what it holds cannot be determined.
  private var hasOpenQuote = false

  /// A row without a usable point.
  public struct BadRow: Sendable {
    /// The row, counted from 0 in the part.
    public var row: Int
    /// The record's first line, counted from 0 at the part's start.
    public var line: Int
    /// Fields that the record has.
    public var fieldCount: Int
    /// What is in the point's stead.
    public var fault: PointFault
  }

  /// How many rows there are.
  public var count: Int { starts.count }

  /// Parses the records of one part. Blank lines are not rows.
  public init(
    _ block: DelimitedBlock, _ range: Range<Int>, columnCount: Int, columns: PointColumns,
    delimiter: UInt8
  ) {
    self.range = range
    let estimate = range.count / 24 + 1
    starts.reserveCapacity(estimate)
    ends.reserveCapacity(estimate)
    x.reserveCapacity(estimate)
    y.reserveCapacity(estimate)
    status.reserveCapacity(estimate)
    let text = UnsafePointer(block.bytes.base)
    var position = range.lowerBound
    if delimiter == DelimitedHeader.space {
      while position < range.upperBound {
        position = parseSpacedRecord(text, position, columnCount: columnCount, columns: columns)
      }
      return
    }
    while position < range.upperBound {
      position = parseRecord(
        text, position, columnCount: columnCount, columns: columns, delimiter: delimiter)
    }
  }

  /// Forgets the points, for whoever has taken them over.
  package mutating func releasePoints() { (x, y, status) = ([], [], []) }

  /// Parses the record at `start`; returns where the next begins.
  private mutating func parseRecord(
    _ text: UnsafePointer<UInt8>, _ start: Int, columnCount: Int, columns: PointColumns,
    delimiter: UInt8
  ) -> Int {
    let limit = range.upperBound
    let line = lineCount
    var position = start
    var field = 0
    var xField = 0..<0
    var yField = 0..<0
    var contentEnd = limit
    while true {
      let span = DelimitedField(
        text, at: position, limit: limit, delimiter: delimiter, other: delimiter, lineEnd: 0x0A)
      if span.quote >= 0 { take(span) }
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
    if position < limit { lineCount += 1 }
    if contentEnd == start { return next }
    add(
      text, start..<contentEnd, line: line, fieldCount: field, columnCount: columnCount, columns,
      xField, yField)
    return next
  }

  /// Parses the record at `start`, whose fields stand between runs of spaces and tabs; returns
  /// where the next begins.
  private mutating func parseSpacedRecord(
    _ text: UnsafePointer<UInt8>, _ start: Int, columnCount: Int, columns: PointColumns
  ) -> Int {
    let limit = range.upperBound
    let line = lineCount
    var position = start
    var field = 0
    var xField = 0..<0
    var yField = 0..<0
    while true {
      while position < limit, text[position] == 0x20 || text[position] == 0x09 { position += 1 }
      if position >= limit || text[position] == 0x0A || text[position] == 0x0D { break }
      let span = DelimitedField(
        text, at: position, limit: limit, delimiter: 0x20, other: 0x09, lineEnd: 0x0A)
      if span.quote >= 0 { take(span) }
      position = span.end
      if field == columns.x { xField = span.start..<position }
      if field == columns.y { yField = span.start..<position }
      field += 1
    }
    let contentEnd = position
    while position < limit, text[position] != 0x0A { position += 1 }
    if position < limit {
      lineCount += 1
      position += 1
    }
    if field == 0 { return position }
    add(
      text, start..<contentEnd, line: line, fieldCount: field, columnCount: columnCount, columns,
      xField, yField)
    return position
  }

  @inline(__always)
  private mutating func add(
    _ text: UnsafePointer<UInt8>, _ record: Range<Int>, line: Int, fieldCount: Int,
    columnCount: Int, _ columns: PointColumns, _ xField: Range<Int>, _ yField: Range<Int>
  ) {
    starts.append(UInt32(truncatingIfNeeded: record.lowerBound))
    ends.append(UInt32(truncatingIfNeeded: record.upperBound))
    let isRagged = fieldCount != columnCount || hasOpenQuote
    var fault = PointFault.missing
    if columns.isWKT, !isRagged {
      do throws(WKTPoint.Failure) {
        let point = try WKTPoint(unquoted(text, xField))
        if let wanted = columns.srid, let own = point.srid, own != wanted, otherReference == nil {
          otherReference = (line, own)
        }
        return addGood(point.x, point.y)
      } catch {
        if case .fault(let kind) = error { fault = kind }
      }
    } else if !isRagged, let px = number(text, xField), let py = number(text, yField) {
      return addGood(px, py)
    }
    x.append(.nan)
    y.append(.nan)
    status.append(SampleStatus.badPoint.rawValue)
    badRows.append(BadRow(row: count - 1, line: line, fieldCount: fieldCount, fault: fault))
    if !isRagged, !columns.isWKT, decimalComma == nil {
      findDecimalComma(text, [xField, yField], line)
    }
  }

  @inline(__always)
  private mutating func addGood(_ px: Double, _ py: Double) {
    x.append(px)
    y.append(py)
    status.append(SampleStatus.ok.rawValue)
  }

  /// Counts the lines of a quoted field.
  private mutating func take(_ span: DelimitedField) {
    lineCount += span.lineCount
    hasOpenQuote = hasOpenQuote || span.isOpen
  }

  private func number(_ text: UnsafePointer<UInt8>, _ field: Range<Int>) -> Double? {
    NumberText.parse(unquoted(text, field))
  }

  private func unquoted(
    _ text: UnsafePointer<UInt8>, _ field: Range<Int>
  ) -> UnsafeBufferPointer<UInt8> {
    var (start, end) = (field.lowerBound, field.upperBound)
    if end - start >= 2, text[start] == UInt8(ascii: "\""), text[end - 1] == UInt8(ascii: "\"") {
      start += 1
      end -= 1
    }
    return UnsafeBufferPointer(start: text + start, count: end - start)
  }

  private mutating func findDecimalComma(
    _ text: UnsafePointer<UInt8>, _ fields: [Range<Int>], _ line: Int
  ) {
    for field in fields {
      let bytes = UnsafeBufferPointer(start: text + field.lowerBound, count: field.count)
      if NumberText.hasDecimalComma(bytes) {
        decimalComma = (line, String(decoding: bytes, as: UTF8.self))
        return
      }
    }
  }
}
