import PlumbRaster

/// The corners of a grid of longitudes and latitudes in a GRIB message, and the distances between its
/// cells, in degrees.
///
/// Messages may leave out the distances, or one of them. GDAL then uses a wrong distance. It also misplaces
/// grids with negative longitudes in edition 2, and the columns of a full circle that do not include -180
/// degrees.
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

  /// The difference of two distances from which on they are not the same distance, rounded. It is that of
  /// GDAL.
  private static let tolerance = 0.002

  /// The distance between two columns that follows from the corners; nil for a single column.
  private var columnStep: Double? {
    guard columns > 1 else { return nil }
    let span = (last.x - first.x).truncatingRemainder(dividingBy: 360)
    // The last column of a full circle may be given as the first one.
    if span.magnitude < Self.tolerance, let increment = increments.column,
      (increment * Double(columns) - 360).magnitude < increment / 2
    {
      return increment
    }
    return (span > 0 ? span : span + 360) / Double(columns - 1)
  }

  /// The distance between two rows that follows from the corners; nil for a single row, and for uneven
  /// rows.
  private var rowStep: Double? {
    rows > 1 && kind != .gaussian ? (last.y - first.y).magnitude / Double(rows - 1) : nil
  }

  /// Whether a distance in the message is not that which follows from the corners.
  var contradictIncrements: Bool {
    Self.differ(columnStep, increments.column) || Self.differ(rowStep, increments.row)
  }

  /// Whether both distances are known, and are not the same.
  private static func differ(_ a: Double?, _ b: Double?) -> Bool {
    guard let a, let b else { return false }
    return (a - b).magnitude > tolerance
  }

  /// Whether the first cells and the last cells of two grids are at the same places, as far as the
  /// editions of GRIB can express them.
  func areNear(_ other: GRIBCorners) -> Bool {
    func isNear(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Bool {
      let turns = ((a.x - b.x) / 360).rounded()
      return (a.x - b.x - 360 * turns).magnitude < Self.tolerance
        && (a.y - b.y).magnitude < Self.tolerance
    }
    return isNear(first, other.first) && isNear(last, other.last)
  }

  /// Returns GDAL's transform if it agrees with the corners, otherwise the transform that follows from
  /// them.
  ///
  /// - Parameter known: GDAL's transform; nil if it cannot be inverted.
  /// - Returns: nil for a single column or row without a distance.
  func transform(_ known: GridTransform?) -> GridTransform? {
    let span = (last.y - first.y).magnitude
    // The latitudes of a Gaussian grid are computed elsewhere.
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

  /// Whether all cells of GDAL's transform are at their places, to a tenth of a cell.
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
