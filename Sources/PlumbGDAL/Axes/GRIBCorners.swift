import PlumbRaster

/// The corners of a grid of longitudes and latitudes in a GRIB message, and the distances between its
/// cells, in degrees.
///
/// Messages may leave out the distances, or one of them. GDAL then reads a wrong distance, and places all
/// cells but the first one wrongly.
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

  /// Whether the cells of GDAL's transform have other sizes than those that follow from the corners.
  func differ(from transform: GridTransform?) -> Bool {
    guard let transform else { return true }
    return Self.differ(columnStep, transform.columnX) || Self.differ(rowStep, -transform.rowY)
  }

  /// The transform that follows from the corners.
  ///
  /// - Parameter known: GDAL's transform, for a grid of a single column or row without a distance.
  func transform(_ known: GridTransform?) -> GridTransform? {
    let span = (last.y - first.y).magnitude
    // The latitudes of a Gaussian grid are computed elsewhere.
    let gaussianStep = kind == .gaussian && rows > 1 ? span / Double(rows - 1) : nil
    guard let x = columnStep ?? increments.column ?? known?.columnX,
      let y = rowStep ?? gaussianStep ?? increments.row ?? known.map({ -$0.rowY })
    else { return nil }
    let west = first.x > 180 ? first.x - 360 : first.x
    return GridTransform(
      coefficients: [west - x / 2, x, 0, max(first.y, last.y) + y / 2, 0, -y])
  }
}
