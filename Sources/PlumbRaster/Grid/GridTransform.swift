/// The affine transform from grid space to the coordinates of the raster. A position in grid space
/// is (column, row), and the corner of the first cell is (0, 0):
///
///     x = originX + column * columnX + row * rowX
///     y = originY + column * columnY + row * rowY
public struct GridTransform: Sendable, Hashable {
  /// x of the first cell's corner.
  public let originX: Double
  /// The change of x from column to column.
  public let columnX: Double
  /// The change of x from row to row; 0 if columns depend on x only.
  public let rowX: Double
  /// y of the first cell's corner.
  public let originY: Double
  /// The change of y from column to column; 0 if rows depend on y only.
  public let columnY: Double
  /// The change of y from row to row; negative if the first row is the northernmost.
  public let rowY: Double

  /// GDAL's six coefficients: `originX`, `columnX`, `rowX`, `originY`, `columnY`, `rowY`. Each call
  /// creates an array.
  public var coefficients: [Double] { [originX, columnX, rowX, originY, columnY, rowY] }

  /// The identity transform, with which x is the column and y is the row.
  public static let identity = GridTransform(coefficients: [0, 1, 0, 0, 0, 1])!

  /// - Parameter coefficients: the coefficients in GDAL's order, as in `coefficients`.
  /// - Returns: nil unless there are six finite coefficients and the transform is invertible.
  public init?(coefficients: [Double]) {
    guard coefficients.count == 6, coefficients.allSatisfy(\.isFinite) else { return nil }
    let c = coefficients
    (originX, columnX, rowX) = (c[0], c[1], c[2])
    (originY, columnY, rowY) = (c[3], c[4], c[5])
    guard determinant != 0, determinant.isFinite else { return nil }
  }

  /// The placement of the grid whose first cell's corner is at the given grid position.
  func moved(column: Double, row: Double) -> GridTransform {
    guard column != 0 || row != 0 else { return self }
    let (x, y) = coordinates(column: column, row: row)
    return GridTransform(coefficients: [x, columnX, rowX, y, columnY, rowY]) ?? self
  }

  /// Whether columns depend on x only and rows on y only.
  public var isSeparable: Bool { rowX == 0 && columnY == 0 }

  /// The corners of a cell, clockwise in grid space from its first corner.
  package func corners(column: Int, row: Int) -> [SIMD2<Double>] {
    [(0, 0), (1, 0), (1, 1), (0, 1)].map { across, down in
      let (x, y) = coordinates(column: Double(column + across), row: Double(row + down))
      return SIMD2(x, y)
    }
  }

  /// The signed area of a cell, negative if y decreases from row to row.
  package var determinant: Double { columnX * rowY - rowX * columnY }

  /// The coordinates of a grid position; whole numbers are the corners of cells.
  public func coordinates(column: Double, row: Double) -> (x: Double, y: Double) {
    if isSeparable { return (originX + column * columnX, originY + row * rowY) }
    return (
      originX + column * columnX + row * rowX, originY + column * columnY + row * rowY
    )
  }

  /// The grid position of a point's coordinates, unrounded.
  public func gridPosition(x: Double, y: Double) -> (column: Double, row: Double) {
    let (dx, dy) = (x - originX, y - originY)
    if isSeparable { return (dx / columnX, dy / rowY) }
    return (
      (dx * rowY - dy * rowX) / determinant, (dy * columnX - dx * columnY) / determinant
    )
  }
}

/// The mapping from points to grid positions.
public enum GridMapping: Sendable, Hashable {
  /// An affine transform.
  case affine(GridTransform)
  /// The edges of columns and rows whose sizes vary.
  case axes(GridAxes)
  /// Ground control points, rational polynomials or location arrays, evaluated by the source's
  /// reader.
  case source
  /// There is no mapping, because the file is not georeferenced. The reason completes "the raster
  /// is not georeferenced: …".
  case none(reason: String)

  /// The placement of the cells; nil if only the source's reader can map points, or if there is no
  /// mapping.
  public var placement: GridPlacement? {
    switch self {
    case .affine(let transform): .affine(transform)
    case .axes(let axes): .axes(axes)
    case .source, .none: nil
    }
  }
}
