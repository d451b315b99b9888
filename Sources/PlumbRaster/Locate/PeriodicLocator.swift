import CKernels

/// Finds the cell of a point that is outside a raster, but inside it after its longitude is shifted
/// by one or more periods.
struct PeriodicLocator {
  private let locator: CellLocator
  private let period: Double
  /// The range of x that the raster's cells cover.
  private let low: Double
  private let high: Double
  /// x of the first column's first edge.
  private let left: Double
  private let cellWidth: Double
  /// Whether the raster is one period wide, so that its right edge meets its left edge.
  let isClosed: Bool

  /// The maximum distance of a point from the raster in periods. At larger distances, a double
  /// cannot distinguish cells.
  static let farthest = 1e6
  /// The fraction of a cell by which the width of a raster may differ from the period, because cell
  /// sizes are rounded.
  private static let slack = 0.01

  /// - Returns: nil if x has no period, or if the raster's extent is far outside the range of
  ///   longitudes.
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

  /// The range of x that the cells cover.
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

  /// The width of the first or the last column, whichever is narrower.
  private static func width(of locator: CellLocator) -> Double {
    switch locator.placement {
    case .affine(let transform): return transform.columnX.magnitude
    case .axes(let axes):
      let (first, last) = (axes.columns.edges(of: 0), axes.columns.edges(of: locator.width - 1))
      return min((first.end - first.start).magnitude, (last.end - last.start).magnitude)
    }
  }

  /// Returns the cell and the shifted x at which the raster contains the point; nil if no shift
  /// moves the point into the raster.
  func find(x: Double, y: Double) -> (column: Int32, row: Int32, x: Double)? {
    guard (x / period).magnitude < Self.farthest else { return nil }
    let fewest = ((low - x) / period - 1e-6).rounded(.up)
    let maximum = ((high - x) / period + 1e-6).rounded(.down)
    // The nearest period is tried first. Real rasters span only a few periods.
    let (first, step) = fewest > 0 ? (fewest, 1.0) : (maximum, -1.0)
    let count = plumb_truncate(min(maximum - fewest + 1, 4))
    for number in 0..<max(0, count) {
      let shift = first + Double(number) * step
      if shift == 0 { continue }
      let shifted = x + shift * period
      if let cell = cell(x: shifted, y: y) { return (cell.column, cell.row, shifted) }
    }
    guard isClosed else { return nil }
    // The point may be in the gap that rounded cell sizes leave between the two edges.
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
