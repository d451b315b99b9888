import PlumbRaster

/// How far each row of a tile is needed: all that a decoder has to undo.
///
/// - Invariant: no row is needed further than it goes.
struct NeededCells: ~Copyable {
  /// For each row how many of its first cells are needed.
  private let counts: UnsafeMutableBufferPointer<Int32>
  /// How many of the first rows have a needed cell.
  private(set) var rows = 0
  private let width: Int
  private let divisor: FastDivisor

  /// - Parameters:
  ///   - width: columns of a tile.
  ///   - height: rows of a tile.
  init(width: Int, height: Int) {
    self.width = width
    divisor = FastDivisor(width)
    counts = .allocate(capacity: height)
    counts.initialize(repeating: 0)
  }

  deinit { counts.deallocate() }

  /// How many of a row's first cells are needed.
  subscript(row: Int) -> Int { Int(counts[row]) }

  /// Takes in all cells of the first rows.
  mutating func fill(rows: Int) {
    for row in 0..<rows { counts[row] = Int32(width) }
    for row in rows..<counts.count { counts[row] = 0 }
    self.rows = rows
  }

  /// Takes in the cells of the entries and those to their left.
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
