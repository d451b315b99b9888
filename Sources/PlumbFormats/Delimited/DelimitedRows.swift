import PlumbCore
import PlumbIO

/// The rows of a block of delimited text: the record and the point of each.
public final class DelimitedRows: Sendable {
  /// The text of the records.
  public let block: DelimitedBlock
  /// The delimiter between fields, or `DelimitedHeader.space`.
  public let delimiter: UInt8
  /// The parts of the block, in order.
  public let parts: [DelimitedPart]
  /// The number of rows.
  public let count: Int
  private let memory: RowMemory

  /// Parses the records of a block. Blank lines are skipped.
  ///
  /// - Parameters:
  ///   - block: the text of the records.
  ///   - columnCount: the number of fields of a valid row.
  ///   - columns: the columns of the coordinates.
  ///   - delimiter: the delimiter between fields, or `DelimitedHeader.space`.
  ///   - workers: the threads that parse the parts of the block.
  public init(
    _ block: DelimitedBlock, columnCount: Int, columns: PointColumns, delimiter: UInt8,
    workers: Workers
  ) {
    (self.block, self.delimiter) = (block, delimiter)
    // A line contains at most one row, so all parts can be parsed into the same memory.
    let limits = workers.map(block.parts.count) { _, job in
      let range = block.parts[job]
      return RowMemory.limit(
        of: UnsafeBufferPointer(start: block.bytes.base + range.lowerBound, count: range.count))
    }
    let firsts = limits.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
    let memory = RowMemory(count: firsts[limits.count])
    var parts = workers.map(block.parts.count) { _, job in
      DelimitedPart(
        block, block.parts[job], columnCount: columnCount, columns: columns, delimiter: delimiter,
        memory, at: firsts[job]..<firsts[job + 1])
    }
    var count = 0
    for job in parts.indices {
      // Blank lines and line ends within fields leave memory unused.
      memory.move(parts[job].rows, to: count)
      parts[job].rows = count..<count + parts[job].rows.count
      count = parts[job].rows.upperBound
    }
    (self.parts, self.memory, self.count) = (parts, memory, count)
  }

  /// The easting or longitude of each row; NaN in bad rows.
  public var x: TrivialBuffer<Double> { memory.x }
  /// The northing or latitude of each row; NaN in bad rows.
  public var y: TrivialBuffer<Double> { memory.y }
  /// The `SampleStatus` raw value of each row: `ok` or `badPoint`.
  public var status: TrivialBuffer<UInt8> { memory.status }

  /// The range of a row's record in the block, without the line end.
  public func range(of row: Int) -> Range<Int> {
    Int(memory.starts.base[row])..<Int(memory.ends.base[row])
  }

  /// The text of a row's record, without the line end; valid while this object lives.
  public func record(_ row: Int) -> UnsafeBufferPointer<UInt8> {
    let range = range(of: row)
    return UnsafeBufferPointer(
      start: UnsafePointer(block.bytes.base + range.lowerBound), count: range.count)
  }
}

/// The memory of the rows of a block.
struct RowMemory: Sendable {
  let starts: TrivialBuffer<UInt32>
  let ends: TrivialBuffer<UInt32>
  let x: TrivialBuffer<Double>
  let y: TrivialBuffer<Double>
  let status: TrivialBuffer<UInt8>

  init(count: Int) {
    (starts, ends) = (TrivialBuffer(count: count), TrivialBuffer(count: count))
    (x, y, status) = (
      TrivialBuffer(count: count), TrivialBuffer(count: count), TrivialBuffer(count: count)
    )
  }

  /// The largest possible number of rows in the bytes of `text`. A row has at least one byte and,
  /// except for the last row, a line end.
  static func limit(of text: UnsafeBufferPointer<UInt8>) -> Int {
    min(text.lineFeedCount, text.count / 2) + 1
  }

  /// Moves rows towards the start.
  func move(_ rows: Range<Int>, to first: Int) {
    if rows.lowerBound == first { return }
    func move<Element>(_ buffer: TrivialBuffer<Element>) {
      (buffer.base + first).update(from: buffer.base + rows.lowerBound, count: rows.count)
    }
    move(starts)
    move(ends)
    move(x)
    move(y)
    move(status)
  }
}
