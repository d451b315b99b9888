/// Accumulates signed areas for the cells of a window, edge by edge.
///
/// For each cell that an edge crosses, `cover` is the height of the edge within the cell, positive
/// downwards. `area` is the area of the part of the cell to the right of the edge, within this
/// height. The covered fraction of a cell is its `area` plus the `cover` of all cells to the left.
struct CellSums {
  private struct Sum {
    var cover = 0.0
    var area = 0.0
  }

  /// A cell of a large window that an edge crosses.
  private struct Entry {
    /// The index of the cell in the window, row by row.
    var index: Int
    var sum: Sum
  }

  /// The maximum number of cells in a window for which the sums of all cells are stored.
  private static let denseLimit = 1 << 14
  /// A fraction that differs from 0 or 1 by less than this counts as 0 or 1, because sums have
  /// rounding errors.
  private static let tolerance = 1e-12
  /// The greatest fraction of a crossed cell that rounding errors alone may cause.
  private static let roundingError = 1e-14
  /// A fraction that is below 0 or above 1 by more than this shows that rings overlap.
  private static let overlap = 1e-6

  private var window = CellWindow(column: 0, row: 0, width: 0, height: 0)
  private var isDense = true
  /// The sums of the window's cells, row by row. They are all zero between areas.
  private var dense: [Sum] = []
  private var sparse: [Entry] = []
  /// The number of entries at which the entries of the same cell are merged.
  private var sparseLimit = Self.leastSparseLimit
  private static let leastSparseLimit = 1 << 21
  /// The fraction up to which a crossed cell counts as not covered.
  private var leastFraction = Self.roundingError

  /// Begins an area.
  mutating func begin(_ window: CellWindow) {
    self.window = window
    // The product of two 31-bit numbers fits.
    let count = window.width * window.height
    isDense = count <= Self.denseLimit
    if isDense, dense.count < count {
      dense += Array(repeating: Sum(), count: count - dense.count)
    }
    sparse.removeAll(keepingCapacity: true)
    sparseLimit = Self.leastSparseLimit
    leastFraction = Self.roundingError
  }

  /// Sets the fraction of the only cell of the window.
  mutating func setOnly(_ fraction: Double) {
    dense[0] = Sum(cover: 0, area: fraction)
    leastFraction = 0
  }

  // MARK: Edges

  /// Adds an edge.
  ///
  /// - Parameters:
  ///   - start: the first point, in cells from the window's upper left corner.
  ///   - end: the last point.
  ///   - sign: 1, or -1 for rings of the opposite orientation.
  mutating func add(_ start: SIMD2<Double>, _ end: SIMD2<Double>, _ sign: Double) {
    guard start.y != end.y else { return }
    let isDown = start.y < end.y
    let (low, high) = isDown ? (start, end) : (end, start)
    let sign = isDown ? sign : -sign
    let (width, height) = (Double(window.width), Double(window.height))
    guard low.y < height, high.y > 0 else { return }
    var (a, b) = (low, high)
    if a.y < 0 { a = SIMD2(Self.x(low, high, at: 0), 0) }
    if b.y > height { b = SIMD2(Self.x(low, high, at: height), height) }
    // An edge that is not within the window's columns is split at the window's left and right
    // sides.
    if a.x >= 0, a.x <= width, b.x >= 0, b.x <= width { return addInside(a, b, sign) }
    addClipped(a, b, width, sign)
  }

  private mutating func addClipped(
    _ a: SIMD2<Double>, _ b: SIMD2<Double>, _ width: Double, _ sign: Double
  ) {
    func y(at x: Double) -> Double {
      let share = (x - a.x) / (b.x - a.x)
      return min(b.y, max(a.y, a.y * (1 - share) + b.y * share))
    }
    if max(a.x, b.x) <= 0 {
      return addInside(SIMD2(0, a.y), SIMD2(0, b.y), sign)
    }
    if min(a.x, b.x) >= width { return }
    let left = min(a.x, b.x) < 0 ? y(at: 0) : nil
    let right = max(a.x, b.x) > width ? y(at: width) : nil
    var (first, last) = (a, b)
    if a.x < b.x {
      if let left {
        addInside(SIMD2(0, a.y), SIMD2(0, left), sign)
        first = SIMD2(0, left)
      }
      if let right { last = SIMD2(width, right) }
    } else {
      if let right { first = SIMD2(width, right) }
      if let left {
        addInside(SIMD2(0, left), SIMD2(0, b.y), sign)
        last = SIMD2(0, left)
      }
    }
    addInside(first, last, sign)
  }

  /// The x coordinate of an edge at a y coordinate.
  private static func x(_ low: SIMD2<Double>, _ high: SIMD2<Double>, at y: Double) -> Double {
    let share = (y - low.y) / (high.y - low.y)
    let x = low.x * (1 - share) + high.x * share
    return min(max(low.x, high.x), max(min(low.x, high.x), x))
  }

  /// Adds an edge within the window, row by row.
  private mutating func addInside(_ a: SIMD2<Double>, _ b: SIMD2<Double>, _ sign: Double) {
    guard a.y < b.y else { return }
    let first = Int(a.y)
    let last = max(first, Int(b.y.rounded(.up)) - 1)
    if first == last { return addInRow(first, a.x, b.x, (b.y - a.y) * sign) }
    let slope = (b.x - a.x) / (b.y - a.y)
    let (least, greatest) = a.x < b.x ? (a.x, b.x) : (b.x, a.x)
    var x = a.x
    for row in first..<last {
      let border = Double(row + 1)
      let next = min(greatest, max(least, a.x + (border - a.y) * slope))
      addInRow(row, x, next, row == first ? (border - a.y) * sign : sign)
      x = next
    }
    addInRow(last, x, b.x, (b.y - Double(last)) * sign)
  }

  /// Adds the part of an edge in one row.
  ///
  /// - Parameter height: the height of the part, positive if it adds to the coverage of the cells
  ///   on the right.
  private mutating func addInRow(_ row: Int, _ a: Double, _ b: Double, _ height: Double) {
    let (left, right) = a < b ? (a, b) : (b, a)
    let first = Int(left)
    guard first < window.width else { return }
    let start = row * window.width
    let from = left - Double(first)
    if right <= Double(first + 1) {
      let to = right - Double(first)
      return add(start + first, height, height * (1 - (from + to) / 2))
    }
    let last = Int(right.rounded(.up)) - 1
    let perColumn = height / (right - left)
    let part = perColumn * (1 - from)
    add(start + first, part, part * (1 - from) / 2)
    for column in first + 1..<last { add(start + column, perColumn, perColumn / 2) }
    // The last cell gets the remainder, so that the sum of the parts is the height.
    let rest = height - part - perColumn * Double(last - first - 1)
    add(start + last, rest, rest * (1 - (right - Double(last)) / 2))
  }

  @inline(__always)
  private mutating func add(_ index: Int, _ cover: Double, _ area: Double) {
    if isDense {
      dense[index].cover += cover
      dense[index].area += area
    } else {
      sparse.append(Entry(index: index, sum: Sum(cover: cover, area: area)))
      if sparse.count >= sparseLimit { mergeSparse() }
    }
  }

  /// Merges the entries of the same cell.
  private mutating func mergeSparse() {
    sparse.sort { $0.index < $1.index }
    var last = 0
    for position in sparse.indices.dropFirst() {
      if sparse[position].index == sparse[last].index {
        sparse[last].sum.cover += sparse[position].sum.cover
        sparse[last].sum.area += sparse[position].sum.area
      } else {
        last += 1
        sparse[last] = sparse[position]
      }
    }
    sparse.removeSubrange((last + 1)...)
    sparseLimit = max(Self.leastSparseLimit, sparse.count * 2)
  }

  // MARK: Fractions

  /// Adds the covered cells to a store.
  ///
  /// - Returns: whether all fractions are from 0 to 1.
  mutating func finish(into store: inout CoverageStore) -> Bool {
    var writer = RowWriter(window, leastFraction)
    if isDense {
      dense.withUnsafeMutableBufferPointer { dense in
        for row in 0..<window.height {
          writer.begin(row)
          let start = row * window.width
          for column in 0..<window.width {
            let sum = dense[start + column]
            if sum.cover == 0, sum.area == 0 { continue }
            dense[start + column] = Sum()
            writer.add(column, sum.cover, sum.area, &store)
          }
          writer.end(&store)
        }
      }
    } else {
      sparse.sort { $0.index < $1.index }
      var position = 0
      while position < sparse.count {
        let row = sparse[position].index / window.width
        let end = (row + 1) * window.width
        writer.begin(row)
        while position < sparse.count, sparse[position].index < end {
          let index = sparse[position].index
          var sum = Sum()
          while position < sparse.count, sparse[position].index == index {
            sum.cover += sparse[position].sum.cover
            sum.area += sparse[position].sum.area
            position += 1
          }
          writer.add(index - row * window.width, sum.cover, sum.area, &store)
        }
        writer.end(&store)
      }
    }
    return writer.isConsistent
  }

  /// Writes the cells of a row from left to right.
  private struct RowWriter {
    private let window: CellWindow
    private(set) var isConsistent = true
    private var row: Int32 = 0
    /// The covered fraction of the following cells that no edge crosses.
    private var fraction = 0.0
    /// The next column of the window.
    private var next = 0
    /// The first column of the current run; nil outside of runs.
    private var runStart: Int?

    private let leastFraction: Double

    init(_ window: CellWindow, _ leastFraction: Double) {
      (self.window, self.leastFraction) = (window, leastFraction)
    }

    mutating func begin(_ row: Int) {
      self.row = Int32(window.row + row)
      (fraction, next, runStart) = (0, 0, nil)
    }

    /// Writes a crossed cell, after the cells to the left of it that are not written yet.
    mutating func add(
      _ column: Int, _ cover: Double, _ area: Double, _ store: inout CoverageStore
    ) {
      fill(to: column, &store)
      let covered = fraction + area
      fraction += cover
      if abs(fraction) < CellSums.tolerance { fraction = 0 }
      put(column, covered, &store)
      next = column + 1
    }

    mutating func end(_ store: inout CoverageStore) {
      fill(to: window.width, &store)
      close(window.width, &store)
    }

    /// Writes cells that no edge crosses.
    private mutating func fill(to end: Int, _ store: inout CoverageStore) {
      guard next < end else { return }
      let whole = fraction.rounded()
      if abs(fraction - whole) < CellSums.tolerance {
        if whole == 1 {
          if runStart == nil { runStart = next }
          return
        }
        close(next, &store)
        if whole != 0 { isConsistent = false }
        return
      }
      for column in next..<end { put(column, fraction, &store) }
    }

    private mutating func put(_ column: Int, _ fraction: Double, _ store: inout CoverageStore) {
      if fraction > 1 - CellSums.tolerance {
        if fraction > 1 + CellSums.overlap { isConsistent = false }
        if runStart == nil { runStart = column }
        return
      }
      close(column, &store)
      if fraction > leastFraction {
        store.cells.append(
          CoverageStore.Cell(
            row: row, column: Int32(window.column + column), fraction: fraction))
      } else if fraction < -CellSums.overlap {
        isConsistent = false
      }
    }

    private mutating func close(_ end: Int, _ store: inout CoverageStore) {
      guard let start = runStart else { return }
      runStart = nil
      store.runs.append(
        CoverageStore.Run(
          row: row, start: Int32(window.column + start), end: Int32(window.column + end)))
    }
  }
}
