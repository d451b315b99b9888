/// The affine map from grid space (column, row; the corner of the first cell is 0, 0) to the
/// raster's own coordinates, with GDAL's six coefficients:
///
///     x = c[0] + column * c[1] + row * c[2]
///     y = c[3] + column * c[4] + row * c[5]
public struct GridTransform: Sendable, Hashable {
  /// GDAL's six coefficients, in the order of the formulas above.
  public let coefficients: [Double]

  /// Grid space itself: x is the column, y the row, downward.
  public static let identity = GridTransform(coefficients: [0, 1, 0, 0, 0, 1])!

  /// - Returns: nil unless there are six finite coefficients that can be inverted.
  public init?(coefficients: [Double]) {
    guard coefficients.count == 6, coefficients.allSatisfy(\.isFinite) else { return nil }
    let c = coefficients
    let determinant = c[1] * c[5] - c[2] * c[4]
    guard determinant != 0, determinant.isFinite else { return nil }
    self.coefficients = c
  }

  /// Whether columns follow x and rows follow y alone.
  public var isSeparable: Bool { coefficients[2] == 0 && coefficients[4] == 0 }

  /// The coordinates of a grid position; whole numbers are the corners of cells.
  public func coordinates(column: Double, row: Double) -> (x: Double, y: Double) {
    let c = coefficients
    if isSeparable { return (c[0] + column * c[1], c[3] + row * c[5]) }
    return (c[0] + column * c[1] + row * c[2], c[3] + column * c[4] + row * c[5])
  }

  /// The grid position of coordinates, unrounded.
  public func gridPosition(x: Double, y: Double) -> (column: Double, row: Double) {
    let c = coefficients
    let (dx, dy) = (x - c[0], y - c[3])
    if isSeparable { return (dx / c[1], dy / c[5]) }
    let determinant = c[1] * c[5] - c[2] * c[4]
    return ((dx * c[5] - dy * c[2]) / determinant, (dy * c[1] - dx * c[4]) / determinant)
  }
}

/// How points become grid positions.
public enum GridMapping: Sendable, Hashable {
  /// By an affine map.
  case affine(GridTransform)
  /// Ground control points, rational polynomials or location arrays: the source's reader knows.
  case source
}
