/// The affine map from grid space (column, row; the corner of the first cell is 0, 0) to the
/// raster's own coordinates:
///
///     x = originX + column * columnX + row * rowX
///     y = originY + column * columnY + row * rowY
public struct GridTransform: Sendable, Hashable {
  /// x of the first cell's corner.
  public let originX: Double
  /// How far x goes from column to column.
  public let columnX: Double
  /// How far x goes from row to row; 0 where columns follow x alone.
  public let rowX: Double
  /// y of the first cell's corner.
  public let originY: Double
  /// How far y goes from column to column; 0 where rows follow y alone.
  public let columnY: Double
  /// How far y goes from row to row; negative where the first row is the northernmost.
  public let rowY: Double

  /// GDAL's six coefficients: `originX`, `columnX`, `rowX`, `originY`, `columnY`, `rowY`. An array is
  /// made at each call.
  public var coefficients: [Double] { [originX, columnX, rowX, originY, columnY, rowY] }

  /// Grid space itself: x is the column, y the row, downward.
  public static let identity = GridTransform(coefficients: [0, 1, 0, 0, 0, 1])!

  /// - Parameter coefficients: in GDAL's order, that of `coefficients`.
  /// - Returns: nil unless there are six finite coefficients that can be inverted.
  public init?(coefficients: [Double]) {
    guard coefficients.count == 6, coefficients.allSatisfy(\.isFinite) else { return nil }
    let c = coefficients
    (originX, columnX, rowX) = (c[0], c[1], c[2])
    (originY, columnY, rowY) = (c[3], c[4], c[5])
    guard determinant != 0, determinant.isFinite else { return nil }
  }

  /// Whether columns follow x and rows follow y alone.
  public var isSeparable: Bool { rowX == 0 && columnY == 0 }

  /// The area of a cell, negative where the rows go down.
  var determinant: Double { columnX * rowY - rowX * columnY }

  /// The coordinates of a grid position; whole numbers are the corners of cells.
  public func coordinates(column: Double, row: Double) -> (x: Double, y: Double) {
    if isSeparable { return (originX + column * columnX, originY + row * rowY) }
    return (
      originX + column * columnX + row * rowX, originY + column * columnY + row * rowY
    )
  }

  /// The grid position of coordinates, unrounded.
  public func gridPosition(x: Double, y: Double) -> (column: Double, row: Double) {
    let (dx, dy) = (x - originX, y - originY)
    if isSeparable { return (dx / columnX, dy / rowY) }
    return (
      (dx * rowY - dy * rowX) / determinant, (dy * columnX - dx * columnY) / determinant
    )
  }
}

/// How points become grid positions.
public enum GridMapping: Sendable, Hashable {
  /// By an affine map.
  case affine(GridTransform)
  /// By the edges of columns and rows that differ in size.
  case axes(GridAxes)
  /// Ground control points, rational polynomials or location arrays: the source's reader knows.
  case source
  /// Not at all: the file does not say where its cells lie. The reason completes "the raster is not
  /// georeferenced: …".
  case none(reason: String)

  /// Where the cells lie on a plane; nil where only the source's reader knows, or nothing does.
  public var placement: GridPlacement? {
    switch self {
    case .affine(let transform): .affine(transform)
    case .axes(let axes): .axes(axes)
    case .source, .none: nil
    }
  }
}
