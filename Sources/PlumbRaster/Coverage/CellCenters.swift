/// The cells whose centres are in an area.
///
/// An edge counts for a row if the row's centre line crosses the edge, including its upper end but
/// not its lower end. A centre is in the area if an odd number of these edges is at or to the left
/// of the centre.
struct CellCenters {
  /// An edge's crossing of a row's centre line.
  private struct Crossing {
    var row: Int
    /// The position of the crossing in columns.
    var x: Double
  }

  private var crossings: [Crossing] = []

  /// Begins an area.
  ///
  /// - Parameters:
  ///   - vertices: the vertices in columns and rows.
  ///   - ringEnds: the index after each ring's last vertex.
  ///   - rows: the rows of the grid that the area touches.
  mutating func begin(_ vertices: [SIMD2<Double>], _ ringEnds: [Int], rows: Range<Int>) {
    crossings.removeAll(keepingCapacity: true)
    var first = 0
    for end in ringEnds {
      for index in first..<max(first, end - 1) {
        add(vertices[index], vertices[index + 1], rows)
      }
      first = end
    }
    crossings.sort { ($0.row, $0.x) < ($1.row, $1.x) }
  }

  private mutating func add(
    _ start: SIMD2<Double>, _ end: SIMD2<Double>, _ rows: Range<Int>
  ) {
    let (low, high) = start.y < end.y ? (start, end) : (end, start)
    // Rows with low.y <= row + 0.5 < high.y.
    let (least, greatest) = (Double(rows.lowerBound), Double(rows.upperBound))
    let first = max(least, min(greatest, (low.y - 0.5).rounded(.up)))
    let last = max(least, min(greatest, (high.y - 0.5).rounded(.up)))
    guard first < last else { return }
    for row in Int(first)..<Int(last) {
      let y = Double(row) + 0.5
      let share = (y - low.y) / (high.y - low.y)
      // The limits place the crossing of a vertical edge exactly on the edge.
      let x = low.x + (high.x - low.x) * share
      crossings.append(
        Crossing(row: row, x: min(max(low.x, high.x), max(min(low.x, high.x), x))))
    }
  }

  /// Whether the centre of a cell is in the area.
  func contains(row: Int32, column: Int32) -> Bool {
    let (row, x) = (Int(row), Double(column) + 0.5)
    let start = firstIndex { $0.row < row }
    let end = firstIndex { $0.row < row || $0.row == row && $0.x <= x }
    return (end - start) % 2 == 1
  }

  /// The number of crossings for which a condition is true. The condition must be true up to some
  /// crossing and false after it.
  private func firstIndex(_ isBefore: (Crossing) -> Bool) -> Int {
    var (low, high) = (0, crossings.count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(crossings[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
