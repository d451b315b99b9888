/// The placement of a grid's cells in the raster's coordinates.
public enum GridPlacement: Sendable, Hashable {
  /// Cells of equal shape.
  case affine(GridTransform)
  /// Cells that are aligned to x and y and whose width or height varies.
  case axes(GridAxes)

  /// The affine transform; nil for axes.
  public var transform: GridTransform? {
    if case .affine(let transform) = self { transform } else { nil }
  }

  /// The coordinates of a grid position; whole numbers are the corners of cells.
  public func coordinates(column: Double, row: Double) -> (x: Double, y: Double) {
    switch self {
    case .affine(let transform): transform.coordinates(column: column, row: row)
    case .axes(let axes): axes.coordinates(column: column, row: row)
    }
  }

  /// The grid position of a point's coordinates, unrounded.
  public func gridPosition(x: Double, y: Double) -> (column: Double, row: Double) {
    switch self {
    case .affine(let transform): transform.gridPosition(x: x, y: y)
    case .axes(let axes): axes.gridPosition(x: x, y: y)
    }
  }

  /// The position relative to the cells' centres, for interpolation weights.
  func tapPosition(x: Double, y: Double) -> (column: Double, row: Double) {
    switch self {
    case .affine(let transform): transform.gridPosition(x: x, y: y)
    case .axes(let axes): axes.tapPosition(x: x, y: y)
    }
  }

  /// Whether columns depend on x only and rows on y only.
  public var isSeparable: Bool {
    switch self {
    case .affine(let transform): transform.isSeparable
    case .axes(let axes): !axes.isTransposed
    }
  }

  /// The corners of a cell, in order around the cell: the start of its column and row, the end of
  /// the column at the start of the row, the end of both, and the start of the column at the end of
  /// the row.
  public func corners(column: Int, row: Int) -> (x: SIMD4<Double>, y: SIMD4<Double>) {
    switch self {
    case .affine(let transform):
      let (left, top) = (Double(column), Double(row))
      let corners = (
        transform.coordinates(column: left, row: top),
        transform.coordinates(column: left + 1, row: top),
        transform.coordinates(column: left + 1, row: top + 1),
        transform.coordinates(column: left, row: top + 1)
      )
      return (
        SIMD4(corners.0.x, corners.1.x, corners.2.x, corners.3.x),
        SIMD4(corners.0.y, corners.1.y, corners.2.y, corners.3.y)
      )
    case .axes(let axes): return axes.corners(column: column, row: row)
    }
  }

  /// The change of x from column to column; nil if it varies, or if y also changes from column to
  /// column.
  public var columnStep: Double? {
    switch self {
    case .affine(let transform): transform.isSeparable ? transform.columnX : nil
    case .axes(let axes):
      if case .even(_, let step, _) = axes.columns, !axes.isTransposed { step } else { nil }
    }
  }

  /// The corners of a whole grid, in the same order as the corners of a cell.
  public func corners(of grid: TileGrid) -> [(x: Double, y: Double)] {
    let (width, height) = (Double(grid.width), Double(grid.height))
    return [(0, 0), (width, 0), (width, height), (0, height)].map {
      coordinates(column: $0.0, row: $0.1)
    }
  }

  /// The centre of a cell.
  public func centre(column: Int, row: Int) -> (x: Double, y: Double) {
    coordinates(column: Double(column) + 0.5, row: Double(row) + 0.5)
  }
}

/// The axes of the columns and rows of a grid.
public struct GridAxes: Sendable, Hashable {
  /// The axis of the columns.
  public let columns: GridAxis
  /// The axis of the rows.
  public let rows: GridAxis
  /// Whether columns depend on y and rows on x.
  public let isTransposed: Bool

  /// Creates a pair of axes; columns depend on x and rows on y, or the reverse if `isTransposed` is
  /// true.
  public init(columns: GridAxis, rows: GridAxis, isTransposed: Bool = false) {
    (self.columns, self.rows, self.isTransposed) = (columns, rows, isTransposed)
  }

  func coordinates(column: Double, row: Double) -> (x: Double, y: Double) {
    let (along, down) = (columns.coordinate(at: column), rows.coordinate(at: row))
    return isTransposed ? (down, along) : (along, down)
  }

  func gridPosition(x: Double, y: Double) -> (column: Double, row: Double) {
    let (along, down) = isTransposed ? (y, x) : (x, y)
    return (columns.position(of: along), rows.position(of: down))
  }

  func tapPosition(x: Double, y: Double) -> (column: Double, row: Double) {
    let (along, down) = isTransposed ? (y, x) : (x, y)
    return (columns.positionAmongCentres(of: along), rows.positionAmongCentres(of: down))
  }

  func corners(column: Int, row: Int) -> (x: SIMD4<Double>, y: SIMD4<Double>) {
    let (along, down) = (columns.edges(of: column), rows.edges(of: row))
    let columnEdges = SIMD4(along.start, along.end, along.end, along.start)
    let rowEdges = SIMD4(down.start, down.start, down.end, down.end)
    return isTransposed ? (rowEdges, columnEdges) : (columnEdges, rowEdges)
  }

  @inline(__always)
  func locate(
    x: UnsafePointer<Double>, y: UnsafePointer<Double>, count: Int,
    columns: UnsafeMutablePointer<Int32>, rows: UnsafeMutablePointer<Int32>
  ) {
    self.columns.locate(isTransposed ? y : x, count, into: columns)
    self.rows.locate(isTransposed ? x : y, count, into: rows)
  }
}
