import CKernels

/// Finds the cell of a point that lies outside a raster at its own longitude but inside one or more periods
/// away.
struct PeriodicLocator {
  private let locator: CellLocator
  private let period: Double
  /// The range of the raster's cells in x.
  private let low: Double
  private let high: Double
  /// x of the first column's first edge.
  private let left: Double
  private let cellWidth: Double
  /// Whether the raster is one period wide, so that its right edge meets its left edge.
  let isClosed: Bool

  /// The maximum distance of a point in periods; beyond it a double cannot distinguish cells.
  static let farthest = 1e6
  /// The fraction of a cell by which a raster may be wider or narrower than its period, because of rounded
  /// cell sizes.
  private static let slack = 0.01

  /// - Returns: nil if x has no period, or the raster's extent is beyond any longitude.
  init?(_ profile: RasterProfile) {
    guard let placement = profile.mapping.placement, let period = profile.longitudePeriod,
      period > 0
    else { return nil }
    let grid = profile.grid
    self.init(
      CellLocator(width: grid.width, height: grid.height, placement: placement), period: period)
  }

  init?(_ locator: CellLocator, period: Double) {
    let placement = locator.placement
    let (low, high) = Self.range(of: locator)
    guard low.magnitude < Self.farthest * period, high.magnitude < Self.farthest * period else {
      return nil
    }
    self.locator = locator
    self.period = period
    self.low = low
    self.high = high
    let start = placement.coordinates(column: 0, row: 0).x
    (left, cellWidth) = (start, Self.width(of: locator))
    isClosed =
      placement.isSeparable && (high - low - period).magnitude <= cellWidth * Self.slack
  }

  /// The range of the cells in x.
  private static func range(of locator: CellLocator) -> (Double, Double) {
    switch locator.placement {
    case .affine(let transform):
      let (right, down) = (
        Double(locator.width) * transform.columnX, Double(locator.height) * transform.rowX
      )
      return (
        transform.originX + min(0, right) + min(0, down),
        transform.originX + max(0, right) + max(0, down)
      )
    case .axes(let axes):
      let range = (axes.isTransposed ? axes.rows : axes.columns).range
      return (range.lowerBound, range.upperBound)
    }
  }

  /// The width of the narrower of the two cells where the edges meet.
  private static func width(of locator: CellLocator) -> Double {
    switch locator.placement {
    case .affine(let transform): return transform.columnX.magnitude
    case .axes(let axes):
      let (first, last) = (axes.columns.edges(of: 0), axes.columns.edges(of: locator.width - 1))
      return min((first.end - first.start).magnitude, (last.end - last.start).magnitude)
    }
  }

  /// Returns the cell and the x at which the raster contains it; nil if it does not contain the point.
  func find(x: Double, y: Double) -> (column: Int32, row: Int32, x: Double)? {
    guard (x / period).magnitude < Self.farthest else { return nil }
    let fewest = ((low - x) / period - 1e-6).rounded(.up)
    let most = ((high - x) / period + 1e-6).rounded(.down)
    // The nearest first; no real raster spans more than a few.
    let (first, step) = fewest > 0 ? (fewest, 1.0) : (most, -1.0)
    let count = plumb_truncate(min(most - fewest + 1, 4))
    for number in 0..<max(0, count) {
      let shift = first + Double(number) * step
      if shift == 0 { continue }
      let shifted = x + shift * period
      if let cell = cell(x: shifted, y: y) { return (cell.column, cell.row, shifted) }
    }
    guard isClosed else { return nil }
    // In the gap between the meeting edges that rounded cell sizes leave.
    let distance = ((x - left) / period - ((x - left) / period).rounded()).magnitude * period
    guard distance <= 2 * Self.slack * cellWidth, let cell = cell(x: left, y: y) else { return nil }
    return (cell.column, cell.row, left)
  }

  private func cell(x: Double, y: Double) -> (column: Int32, row: Int32)? {
    var (x, y) = (x, y)
    var cell: (column: Int32, row: Int32) = (0, 0)
    locator.locate(x: &x, y: &y, count: 1, columns: &cell.column, rows: &cell.row)
    return cell.column >= 0 ? cell : nil
  }
}
