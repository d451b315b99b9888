import PlumbRaster

/// The cells of a tile that a decoder has to decode: in each row, the cells from its start up to the last
/// needed one.
///
/// - Invariant: the number of cells to decode in a row is at most the number of columns.
struct NeededCells: ~Copyable {
  /// For each row, the number of cells to decode, counted from the start of the row.
  private let counts: UnsafeMutableBufferPointer<Int32>
  /// The number of rows to decode: the index of the last row with a needed cell, plus one.
  private(set) var rows = 0
  private let width: Int
  private let divisor: FastDivisor

  /// - Parameters:
  ///   - width: the number of columns of a tile.
  ///   - height: the number of rows of a tile.
  init(width: Int, height: Int) {
    self.width = width
    divisor = FastDivisor(width)
    counts = .allocate(capacity: height)
    counts.initialize(repeating: 0)
  }

  deinit { counts.deallocate() }

  /// The number of cells to decode in a row, counted from its start.
  subscript(row: Int) -> Int { Int(counts[row]) }

  /// Marks all cells of the first rows as needed.
  mutating func fill(rows: Int) {
    for row in 0..<rows { counts[row] = Int32(width) }
    for row in rows..<counts.count { counts[row] = 0 }
    self.rows = rows
  }

  /// Marks the cells of the entries, and the cells to their left, as needed.
  mutating func fill(_ entries: UnsafeBufferPointer<PlanEntry>) {
    counts.update(repeating: 0)
    var last = -1
    for entry in entries {
      let (row, column) = divisor.divide(UInt64(entry.offset))
      let number = Int(truncatingIfNeeded: row)
      guard number < counts.count else { continue }
      counts[number] = max(counts[number], Int32(truncatingIfNeeded: column) + 1)
      last = max(last, number)
    }
    rows = last + 1
  }
}
