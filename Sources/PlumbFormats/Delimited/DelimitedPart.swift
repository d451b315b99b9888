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

  /// Forgets the points, for whoever has taken them over.
  package mutating func releasePoints() { (x, y, status) = ([], [], []) }
}
