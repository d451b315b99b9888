import CKernels

/// The edges of the columns or rows of a grid whose columns depend on one coordinate and whose rows
/// depend on the other.
public enum GridAxis: Sendable, Hashable {
  /// Cells of equal size. `origin` is the first edge of the first cell, and `step` is the change of
  /// the coordinate from cell to cell.
  case even(origin: Double, step: Double, count: Int)
  /// Cells that differ in size.
  case uneven(UnevenAxis)

  /// The number of cells.
  public var count: Int {
    switch self {
    case .even(_, _, let count): count
    case .uneven(let axis): axis.count
    }
  }

  /// The coordinates of a cell's start and end, in the order of the grid.
  public func edges(of cell: Int) -> (start: Double, end: Double) {
    switch self {
    case .even(let origin, let step, _):
      (origin + Double(cell) * step, origin + Double(cell + 1) * step)
    case .uneven(let axis): axis.edges(of: cell)
    }
  }

  /// Returns the coordinate of a grid position; whole numbers are the edges of cells. Positions
  /// outside the grid are extrapolated with the size of the first or last cell.
  func coordinate(at position: Double) -> Double {
    switch self {
    case .even(let origin, let step, _): origin + position * step
    case .uneven(let axis): axis.coordinate(at: position)
    }
  }

  /// The unrounded grid position of a coordinate. This is the inverse of `coordinate(at:)`.
  func position(of coordinate: Double) -> Double {
    switch self {
    case .even(let origin, let step, _): (coordinate - origin) / step
    case .uneven(let axis): axis.position(of: coordinate)
    }
  }

  /// The position of a coordinate relative to the cells' centres, for interpolation: 0.5 is the
  /// centre of the first cell, 1.5 is the centre of the second cell, and so on.
  func positionAmongCentres(of coordinate: Double) -> Double {
    switch self {
    case .even(let origin, let step, _): (coordinate - origin) / step
    case .uneven(let axis): axis.positionAmongCentres(of: coordinate)
    }
  }

  /// Writes the cell of each coordinate; -1 if no cell contains the coordinate, including for NaN.
  @inline(__always)
  func locate(
    _ values: UnsafePointer<Double>, _ count: Int, into cells: UnsafeMutablePointer<Int32>
  ) {
    switch self {
    case .even(let origin, let step, let size):
      plumb_locate_axis(values, count, origin, step, Int32(truncatingIfNeeded: size), cells)
    case .uneven(let axis): axis.locate(values, count, into: cells)
    }
  }

  /// The minimum and maximum coordinate.
  var range: ClosedRange<Double> {
    let (first, last) = (edges(of: 0).start, edges(of: count - 1).end)
    return min(first, last)...max(first, last)
  }
}

/// The cells of an axis whose coordinates are not evenly spaced. A cell includes its first edge in
/// the order of the grid, but not its last edge.
public final class UnevenAxis: Sendable, Hashable {
  /// 1 if the coordinate increases along the grid, otherwise -1. The values below are multiplied by
  /// this sign, so that they are in ascending order.
  private let sign: Double
  private let starts: [Double]
  private let ends: [Double]
  private let centres: [Double]
  /// The axis is divided into `guide.count - 1` strips of equal width. For each strip, the first
  /// cell that begins in the strip or after it.
  private let guide: [Int32]
  private let stripsPerUnit: Double

  /// The number of cells.
  public var count: Int { starts.count }

  /// - Parameters:
  ///   - centres: the coordinate of each cell; the coordinates are finite and strictly increasing
  ///     or decreasing.
  ///   - bounds: the two edges of each cell, in any order; nil if the edges are the midpoints
  ///     between the coordinates, and the first and last cell are symmetric about their
  ///     coordinates.
  /// - Returns: nil if the coordinates or bounds are not monotonic or overlap, and for a single
  ///   coordinate without bounds.
  public init?(centres: [Double], bounds: [(Double, Double)]? = nil) {
    guard let first = centres.first, let last = centres.last, centres.allSatisfy(\.isFinite)
    else { return nil }
    var sign = last < first ? -1.0 : 1
    if let bounds, bounds.count == 1 { sign = bounds[0].1 < bounds[0].0 ? -1 : 1 }
    let ordered = centres.map { $0 * sign }
    guard zip(ordered, ordered.dropFirst()).allSatisfy({ $0 < $1 }) else { return nil }
    var (starts, ends): ([Double], [Double]) = ([], [])
    if let bounds {
      guard bounds.count == centres.count else { return nil }
      starts = bounds.map { min($0.0 * sign, $0.1 * sign) }
      ends = bounds.map { max($0.0 * sign, $0.1 * sign) }
    } else {
      guard ordered.count > 1 else { return nil }
      let middles = zip(ordered, ordered.dropFirst()).map { $0 + ($1 - $0) / 2 }
      starts = [ordered[0] - (middles[0] - ordered[0])] + middles
      let outer = ordered[ordered.count - 1]
      ends = middles + [outer + (outer - middles[middles.count - 1])]
    }
    guard (starts + ends).allSatisfy(\.isFinite), zip(starts, ends).allSatisfy({ $0 < $1 }) else {
      return nil
    }
    for cell in 1..<max(1, starts.count) {
      // The bounds of adjacent cells may differ by a rounding error.
      let slack = 1e-6 * min(ends[cell] - starts[cell], ends[cell - 1] - starts[cell - 1])
      if (ends[cell - 1] - starts[cell]).magnitude <= slack { ends[cell - 1] = starts[cell] }
      guard ends[cell - 1] <= starts[cell] else { return nil }
    }
    (self.sign, self.starts, self.ends, self.centres) = (sign, starts, ends, ordered)
    let strips = min(max(1, 4 * starts.count), 1 << 20)
    let width = ends[ends.count - 1] - starts[0]
    guard width.isFinite, (Double(strips) / width).isFinite else { return nil }
    stripsPerUnit = Double(strips) / width
    var guide = [Int32](repeating: 0, count: strips + 1)
    var cell = 0
    for strip in 0...strips {
      while cell < starts.count,
        Self.strip(of: starts[cell], starts[0], stripsPerUnit, strips) < strip
      {
        cell += 1
      }
      guide[strip] = Int32(truncatingIfNeeded: cell)
    }
    self.guide = guide
  }

  /// The coordinate and edges of each cell, from which the axis can be recreated.
  package var cells: (centres: [Double], bounds: [(Double, Double)]) {
    (centres.map { $0 * sign }, zip(starts, ends).map { ($0 * sign, $1 * sign) })
  }

  /// The strip that contains a coordinate. The coordinate is already multiplied by the sign, and is
  /// not less than the first edge.
  @inline(__always)
  private static func strip(
    of value: Double, _ first: Double, _ perUnit: Double, _ count: Int
  ) -> Int {
    Int(plumb_truncate(min((value - first) * perUnit, Double(count - 1))))
  }

  /// The last cell that begins at or before a coordinate. The coordinate is already multiplied by
  /// the sign, and is not less than the first edge.
  @inline(__always)
  private static func cell(
    _ value: Double, _ starts: UnsafeBufferPointer<Double>, _ guide: UnsafeBufferPointer<Int32>,
    _ perUnit: Double
  ) -> Int {
    let strip = strip(of: value, starts[0], perUnit, guide.count - 1)
    // Cells before `low` begin before the strip; cells from `high` on begin after it.
    var low = Int(guide[strip])
    var high = Int(guide[strip + 1])
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] <= value { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }

  /// Writes the cell of each coordinate; -1 if no cell contains it.
  func locate(
    _ values: UnsafePointer<Double>, _ count: Int, into cells: UnsafeMutablePointer<Int32>
  ) {
    let (sign, perUnit) = (sign, stripsPerUnit)
    starts.withUnsafeBufferPointer { starts in
      ends.withUnsafeBufferPointer { ends in
        guide.withUnsafeBufferPointer { guide in
          let (first, last) = (starts[0], ends[ends.count - 1])
          for i in 0..<count {
            let value = values[i] * sign
            guard value >= first, value < last else {
              cells[i] = CellLocator.outside
              continue
            }
            let cell = Self.cell(value, starts, guide, perUnit)
            // There may be gaps between the bounds of adjacent cells.
            cells[i] =
              value < ends[cell] ? Int32(truncatingIfNeeded: cell) : CellLocator.outside
          }
        }
      }
    }
  }

  /// The coordinates of a cell's start and end, in the order of the grid.
  public func edges(of cell: Int) -> (start: Double, end: Double) {
    (starts[cell] * sign, ends[cell] * sign)
  }

  func coordinate(at position: Double) -> Double {
    guard position.isFinite else { return .nan }
    let last = count - 1
    let cell = min(max(position.rounded(.down), 0), Double(last))
    let index = Int(cell)
    return (starts[index] + (position - cell) * (ends[index] - starts[index])) * sign
  }

  func position(of coordinate: Double) -> Double {
    let value = coordinate * sign
    guard value.isFinite else { return .nan }
    let index = value < starts[0] ? 0 : cell(value)
    let share = (value - starts[index]) / (ends[index] - starts[index])
    return Double(index) + (index < count - 1 ? min(share, 1) : share)
  }

  func positionAmongCentres(of coordinate: Double) -> Double {
    let value = coordinate * sign
    guard value.isFinite else { return .nan }
    if value <= centres[0] { return 0.5 }
    if value >= centres[count - 1] { return Double(count) - 0.5 }
    // The point is between the centre of the cell that contains it and the centre of a neighbour.
    var left = cell(value)
    while left > 0, centres[left] > value { left -= 1 }
    while left < count - 2, centres[left + 1] <= value { left += 1 }
    return Double(left) + 0.5 + (value - centres[left]) / (centres[left + 1] - centres[left])
  }

  private func cell(_ value: Double) -> Int {
    starts.withUnsafeBufferPointer { starts in
      guide.withUnsafeBufferPointer { guide in
        value < starts[0] ? 0 : Self.cell(value, starts, guide, stripsPerUnit)
      }
    }
  }

  /// Whether the cells are equal.
  public static func == (a: UnevenAxis, b: UnevenAxis) -> Bool {
    a === b
      || a.sign == b.sign && a.starts == b.starts && a.ends == b.ends && a.centres == b.centres
  }

  /// Hashes the number of cells and the outer edges.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    hasher.combine(starts[0])
    hasher.combine(ends[count - 1])
  }
}
