import PlumbCore
import PlumbIO

/// The points of consecutive records, and the position of each record in the block.
public struct DelimitedPart: Sendable {
  /// The range of the part's bytes in its block.
  public var range: Range<Int>
  /// The start of each row's record in the block.
  public var starts: [UInt32] = []
  /// The end of each row's record in the block, without the line end.
  public var ends: [UInt32] = []
  /// The easting or longitude of each row; NaN in bad rows.
  public var x: [Double] = []
  /// The northing or latitude of each row; NaN in bad rows.
  public var y: [Double] = []
  /// `SampleStatus` raw values: `ok` or `badPoint`.
  public var status: [UInt8] = []
  /// The bad rows, in order. Good rows have as many fields as the header.
  public var badRows: [BadRow] = []
  /// The number of newlines in the part.
  public var lineCount = 0
  /// The first coordinate with a decimal comma, and its line in the part.
  public var decimalComma: (line: Int, text: String)?
  /// The first WKT point whose SRID differs from the SRID of the columns, and its line in the part.
  public var otherReference: (line: Int, srid: Int32)?

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

  /// The number of rows.
  public var count: Int { starts.count }

  /// Parses the records of one part. Blank lines are skipped.
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
    let bytes = UnsafeBufferPointer(start: text + range.lowerBound, count: range.count)
    var parser = DelimitedPartParser(
      text, columnCount: columnCount, columns: columns, delimiter: delimiter)
    if delimiter == DelimitedHeader.space {
      parser.parseSpaced(into: &self)
    } else if RecordScanner(bytes, delimiter: delimiter).hasQuotes {
      parser.parseRecords(from: range.lowerBound, into: &self)
    } else {
      parser.parsePlain(into: &self)
    }
    parser.flush(into: &self)
  }

  /// Releases the arrays of points, which the caller no longer needs.
  package mutating func releasePoints() { (x, y, status) = ([], [], []) }
}
