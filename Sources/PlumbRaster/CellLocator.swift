import CKernels

/// Turns points in a raster's own coordinates into cells.
///
/// The rule: a cell owns its top and left edge, where an edge is exactly what
/// `GridTransform.coordinates` gives for it; the raster's right and bottom edge lie outside.
public struct CellLocator: Sendable {
  /// The column of a point that lies on no cell.
  public static let outside: Int32 = -1
  /// The column of a point that the raster's own mapping could not be asked for.
  static let failed: Int32 = -2

  /// Columns of the raster.
  public let width: Int
  /// Rows of the raster.
  public let height: Int
  /// Where the cells lie.
  public let transform: GridTransform

  /// A locator of a grid of cells.
  public init(width: Int, height: Int, transform: GridTransform) {
    self.width = width
    self.height = height
    self.transform = transform
  }

  /// Writes the cell of each point; `outside` to both where there is none. NaN is outside.
  ///
  /// - Complexity: O(`count`), without a branch on the data where the grid is not rotated.
  public func locate(
    x: UnsafePointer<Double>, y: UnsafePointer<Double>, count: Int,
    columns: UnsafeMutablePointer<Int32>, rows: UnsafeMutablePointer<Int32>
  ) {
    let c = transform.coefficients
    if transform.isSeparable {
      plumb_locate_axis(x, count, c[0], c[1], Int32(truncatingIfNeeded: width), columns)
      plumb_locate_axis(y, count, c[3], c[5], Int32(truncatingIfNeeded: height), rows)
    } else if c[1] == 0 && c[5] == 0 {
      // Turned by a quarter: columns follow y and rows follow x.
      plumb_locate_axis(y, count, c[3], c[4], Int32(truncatingIfNeeded: width), columns)
      plumb_locate_axis(x, count, c[0], c[2], Int32(truncatingIfNeeded: height), rows)
    } else {
      for i in 0..<count {
        let position = transform.gridPosition(x: x[i], y: y[i])
        columns[i] = Self.cell(position.column, scale: slack(x[i], y[i]), cells: width)
        rows[i] = Self.cell(position.row, scale: slack(x[i], y[i]), cells: height)
      }
    }
    for i in 0..<count {
      let missing = (columns[i] | rows[i]) >> 31
      columns[i] |= missing
      rows[i] |= missing
    }
  }

  /// How far rounding may move a grid position of this rotated grid.
  private func slack(_ x: Double, _ y: Double) -> Double {
    let c = transform.coefficients
    let determinant = (c[1] * c[5] - c[2] * c[4]).magnitude
    let extent = x.magnitude + y.magnitude + c[0].magnitude + c[3].magnitude
    let stretch = max(max(c[1].magnitude, c[2].magnitude), max(c[4].magnitude, c[5].magnitude))
    return 4 * Double.ulpOfOne * extent * stretch / determinant
  }

  /// The cell of a grid position; one that rounding alone keeps short of a border is on it.
  static func cell(_ position: Double, scale: Double, cells: Int) -> Int32 {
    guard position.isFinite else { return outside }
    let nearest = position.rounded()
    let settled = (position - nearest).magnitude <= scale ? nearest : position.rounded(.down)
    guard settled >= 0, settled < Double(cells) else { return outside }
    return plumb_truncate(settled)
  }

  /// Cells of grid positions that somebody else computed (ground control points and the like).
  static func cells(
    positions: UnsafePointer<Double>, count: Int, cells: Int,
    into result: UnsafeMutablePointer<Int32>
  ) {
    for i in 0..<count { result[i] = cell(positions[i], scale: 0, cells: cells) }
  }
}
