import CKernels

/// Converts points in a raster's own coordinates to cells.
///
/// The rule: a cell owns its top and left edge, where an edge is exactly what
/// `GridPlacement.coordinates` gives for it; the raster's right and bottom edge lie outside.
public struct CellLocator: Sendable {
  /// The column of a point outside the raster.
  public static let outside: Int32 = -1
  /// The column of a point for which the raster's own mapping failed.
  static let failed: Int32 = -2

  /// Columns of the raster.
  public let width: Int
  /// Rows of the raster.
  public let height: Int
  /// The placement of the cells.
  public let placement: GridPlacement

  /// Creates a locator for a grid of equal cells.
  public init(width: Int, height: Int, transform: GridTransform) {
    self.init(width: width, height: height, placement: .affine(transform))
  }

  /// Creates a locator for a grid whose cells may differ in size.
  public init(width: Int, height: Int, placement: GridPlacement) {
    self.width = width
    self.height = height
    self.placement = placement
  }

  /// Writes the cell of each point, or `outside` to both results if there is none. NaN is outside.
  ///
  /// - Complexity: O(`count`), without a branch on the data where the grid is not rotated.
  @inline(__always)
  public func locate(
    x: UnsafePointer<Double>, y: UnsafePointer<Double>, count: Int,
    columns: UnsafeMutablePointer<Int32>, rows: UnsafeMutablePointer<Int32>
  ) {
    switch placement {
    case .affine(let transform):
      locate(transform, x: x, y: y, count: count, columns: columns, rows: rows)
    case .axes(let axes):
      axes.locate(x: x, y: y, count: count, columns: columns, rows: rows)
    }
    for i in 0..<count {
      let missing = (columns[i] | rows[i]) >> 31
      columns[i] |= missing
      rows[i] |= missing
    }
  }

  @inline(__always)
  private func locate(
    _ t: GridTransform, x: UnsafePointer<Double>, y: UnsafePointer<Double>, count: Int,
    columns: UnsafeMutablePointer<Int32>, rows: UnsafeMutablePointer<Int32>
  ) {
    if t.isSeparable {
      plumb_locate_axis(
        x, count, t.originX, t.columnX, Int32(truncatingIfNeeded: width), columns)
      plumb_locate_axis(y, count, t.originY, t.rowY, Int32(truncatingIfNeeded: height), rows)
    } else if t.columnX == 0 && t.rowY == 0 {
      // Rotated by a quarter turn: columns follow y and rows follow x.
      plumb_locate_axis(
        y, count, t.originY, t.columnY, Int32(truncatingIfNeeded: width), columns)
      plumb_locate_axis(x, count, t.originX, t.rowX, Int32(truncatingIfNeeded: height), rows)
    } else {
      for i in 0..<count {
        let position = t.gridPosition(x: x[i], y: y[i])
        let slack = Self.slack(t, x[i], y[i])
        columns[i] = Self.cell(position.column, scale: slack, cells: width)
        rows[i] = Self.cell(position.row, scale: slack, cells: height)
      }
    }
  }

  /// The largest rounding error of a grid position in this rotated grid.
  private static func slack(_ t: GridTransform, _ x: Double, _ y: Double) -> Double {
    let extent = x.magnitude + y.magnitude + t.originX.magnitude + t.originY.magnitude
    let stretch = max(
      max(t.columnX.magnitude, t.rowX.magnitude), max(t.columnY.magnitude, t.rowY.magnitude))
    return 4 * Double.ulpOfOne * extent * stretch / t.determinant.magnitude
  }

  /// Returns the cell of a grid position. A position short of a border by rounding alone is on the border.
  static func cell(_ position: Double, scale: Double, cells: Int) -> Int32 {
    guard position.isFinite else { return outside }
    let nearest = position.rounded()
    let settled = (position - nearest).magnitude <= scale ? nearest : position.rounded(.down)
    guard settled >= 0, settled < Double(cells) else { return outside }
    return plumb_truncate(settled)
  }

  /// Computes the cells of grid positions from other mappings (ground control points and the like).
  static func cells(
    positions: UnsafePointer<Double>, count: Int, cells: Int,
    into result: UnsafeMutablePointer<Int32>
  ) {
    for i in 0..<count { result[i] = cell(positions[i], scale: 0, cells: cells) }
  }
}
