import PlumbCore
import PlumbIO

/// The rows of a part of a block of delimited text.
public struct DelimitedPart: Sendable {
  /// The range of the part's bytes in its block.
  public let range: Range<Int>
  /// The part's rows in the block.
  public internal(set) var rows: Range<Int>
  /// The bad rows, in order. Good rows have as many fields as the header.
  public internal(set) var badRows: [BadRow] = []
  /// The number of newlines in the part.
  public internal(set) var lineCount = 0
  /// The first coordinate with a decimal comma, and its line in the part.
  public internal(set) var decimalComma: (line: Int, text: String)?
  /// The first WKT point whose SRID differs from the SRID of the columns, and its line in the part.
  public internal(set) var otherReference: (line: Int, srid: Int32)?

  /// A row without a valid point.
  public struct BadRow: Sendable {
    /// The row, counted from 0 in the part.
    public var row: Int
    /// The record's first line, counted from 0 at the part's start.
    public var line: Int
    /// The number of fields in the record.
    public var fieldCount: Int
    /// The reason why the row has no point.
    public var fault: PointFault
  }

  /// Parses the records of a part. Blank lines are skipped.
  ///
  /// - Parameter rows: the indices in `memory` for the rows. The number of indices is the result of
  ///   `RowMemory.limit(of:)`.
  init(
    _ block: DelimitedBlock, _ range: Range<Int>, columnCount: Int, columns: PointColumns,
    delimiter: UInt8, _ memory: RowMemory, at rows: Range<Int>
  ) {
    (self.range, self.rows) = (range, rows)
    let text = UnsafePointer(block.bytes.base)
    let bytes = UnsafeBufferPointer(start: text + range.lowerBound, count: range.count)
    var parser = DelimitedPartParser(
      text, columnCount: columnCount, columns: columns, delimiter: delimiter, memory, at: rows)
    if delimiter == DelimitedHeader.space {
      parser.parseSpaced(into: &self)
    } else if RecordScanner(bytes, delimiter: delimiter).hasQuotes {
      parser.parseRecords(from: range.lowerBound, into: &self)
    } else {
      parser.parsePlain(into: &self)
    }
    self.rows = rows.prefix(parser.count)
  }
}
