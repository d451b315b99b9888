import CKernels

/// Converts points in the coordinates of a raster to cells.
///
/// A cell includes its top and left edges; the raster's right and bottom edges are outside. The
/// position of an edge is exactly the coordinate that `GridPlacement.coordinates` returns.
public struct CellLocator: Sendable {
  /// The column of a point outside the raster.
  public static let outside: Int32 = -1
  /// The column of a point that the raster's mapping could not convert.
  static let failed: Int32 = -2

  /// The number of columns of the raster.
  public let width: Int
  /// The number of rows of the raster.
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

  /// Writes the column and row of each point's cell, or `outside` for both if no cell contains the
  /// point. NaN is outside.
  ///
  /// - Complexity: O(`count`), without data-dependent branches if the grid is not rotated.
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
      // The grid is rotated by 90°: columns depend on y and rows on x.
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

  /// The largest rounding error of the grid position of a point in a rotated grid.
  private static func slack(_ t: GridTransform, _ x: Double, _ y: Double) -> Double {
    let extent = x.magnitude + y.magnitude + t.originX.magnitude + t.originY.magnitude
    let stretch = max(
      max(t.columnX.magnitude, t.rowX.magnitude), max(t.columnY.magnitude, t.rowY.magnitude))
    return 4 * Double.ulpOfOne * extent * stretch / t.determinant.magnitude
  }

  /// Returns the cell of a grid position. If the position differs from a border only by a rounding
  /// error, it is on the border.
  static func cell(_ position: Double, scale: Double, cells: Int) -> Int32 {
    guard position.isFinite else { return outside }
    let nearest = position.rounded()
    let settled = (position - nearest).magnitude <= scale ? nearest : position.rounded(.down)
    guard settled >= 0, settled < Double(cells) else { return outside }
    return plumb_truncate(settled)
  }

  /// Computes the cells of grid positions that come from other mappings, such as ground control
  /// points.
  static func cells(
    positions: UnsafePointer<Double>, count: Int, cells: Int,
    into result: UnsafeMutablePointer<Int32>
  ) {
    for i in 0..<count { result[i] = cell(positions[i], scale: 0, cells: cells) }
  }
}
