import PlumbRaster

/// The corners of a grid of longitudes and latitudes in a GRIB message, and the distances between its
/// cells, in degrees.
///
/// If a message omits one or both distances, GDAL uses wrong distances. GDAL also misplaces edition 2 grids
/// with negative longitudes, and grids that span 360 degrees of longitude without a column at -180 degrees.
struct GRIBCorners {
  enum Kind {
    case regular
    /// The latitudes of the rows are not evenly spaced.
    case gaussian
    /// Longitudes and latitudes refer to another pole.
    case rotated
  }

  let kind: Kind
  let columns: Int
  let rows: Int
  /// The longitude and the latitude of the centre of the first cell and of the last cell.
  let first: SIMD2<Double>
  let last: SIMD2<Double>
  /// The distances between columns and between rows in the message; nil if missing.
  let increments: (column: Double?, row: Double?)

  /// The largest difference between two distances that are considered equal, because messages contain rounded
  /// distances. GDAL uses the same tolerance.
  private static let tolerance = 0.002

  /// The distance between two columns, computed from the corners; nil for a single column.
  private var columnStep: Double? {
    guard columns > 1 else { return nil }
    let span = (last.x - first.x).truncatingRemainder(dividingBy: 360)
    // If the grid spans 360 degrees, the message may contain the longitude of the first column as the
    // longitude of the last column.
    if span.magnitude < Self.tolerance, let increment = increments.column,
      (increment * Double(columns) - 360).magnitude < increment / 2
    {
      return increment
    }
    return (span > 0 ? span : span + 360) / Double(columns - 1)
  }

  /// The distance between two rows, computed from the corners; nil for a single row, and for rows that are
  /// not evenly spaced.
  private var rowStep: Double? {
    rows > 1 && kind != .gaussian ? (last.y - first.y).magnitude / Double(rows - 1) : nil
  }

  /// Whether a distance in the message differs from the distance that is computed from the corners.
  var contradictIncrements: Bool {
    Self.differ(columnStep, increments.column) || Self.differ(rowStep, increments.row)
  }

  /// Whether two known distances differ by more than the tolerance; false if one is unknown.
  private static func differ(_ a: Double?, _ b: Double?) -> Bool {
    guard let a, let b else { return false }
    return (a - b).magnitude > tolerance
  }

  /// Whether the first cells of two grids, and their last cells, have the same coordinates apart from the
  /// rounding of coordinates in GRIB messages.
  func areNear(_ other: GRIBCorners) -> Bool {
    func isNear(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Bool {
      let turns = ((a.x - b.x) / 360).rounded()
      return (a.x - b.x - 360 * turns).magnitude < Self.tolerance
        && (a.y - b.y).magnitude < Self.tolerance
    }
    return isNear(first, other.first) && isNear(last, other.last)
  }

  /// Returns GDAL's transform if it agrees with the corners, otherwise a transform that is computed from the
  /// corners.
  ///
  /// - Parameter known: GDAL's transform; nil if it cannot be inverted.
  /// - Returns: nil for a single column or row without a distance.
  func transform(_ known: GridTransform?) -> GridTransform? {
    let span = (last.y - first.y).magnitude
    // `GaussianGrid` computes the latitudes of a Gaussian grid.
    let gaussianStep = kind == .gaussian ? span / Double(max(1, rows - 1)) : nil
    guard let x = columnStep ?? increments.column, let y = rowStep ?? gaussianStep ?? increments.row
    else { return nil }
    var west = first.x
    if let known, let moved = movedColumns(known) { west += Double(moved) * x }
    if west >= 180 { west -= 360 }
    let north = max(first.y, last.y)
    if let known, agrees(known, west: west, north: north, x, y) { return known }
    return GridTransform(coefficients: [west - x / 2, x, 0, north + y / 2, 0, -y])
  }

  /// The number of columns that GDAL moves from the start of each row to its end, so that the columns
  /// begin at -180 degrees; nil if it moves none.
  private func movedColumns(_ known: GridTransform) -> Int? {
    let west = known.originX + known.columnX / 2
    guard kind == .regular, (west + 180).magnitude < 1e-6, known.columnX > 0,
      (0..<180).contains(first.x)
    else { return nil }
    let count = ((180 - first.x) / known.columnX).rounded(.up)
    return count > 0 && count < Double(columns) ? Int(count) : nil
  }

  /// Whether GDAL's transform places all cells within a tenth of a cell of their positions. The rows of a
  /// Gaussian grid are not compared.
  private func agrees(
    _ known: GridTransform, west: Double, north: Double, _ x: Double, _ y: Double
  ) -> Bool {
    let shift = known.originX + known.columnX / 2 - west
    let turns = (shift / 360).rounded()
    guard known.isSeparable, (shift - 360 * turns).magnitude < x / 10,
      (known.columnX - x).magnitude * Double(columns) < x / 10
    else { return false }
    if kind == .gaussian { return true }
    return (known.originY + known.rowY / 2 - north).magnitude < y / 10
      && (-known.rowY - y).magnitude * Double(rows) < y / 10
  }
}
