import PlumbCore
import PlumbGeometry
import PlumbRaster

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The cells of files whose grids coincide, and the distances from points to the centres of the
/// cells.
final class CellLattice: Sendable {
  /// A cell near a point.
  struct Candidate: Sendable {
    /// The distance from the point to the centre of the cell in micrometres.
    var distance: Int64
    var row: Int32
    var column: Int32
    /// The number of the lattice.
    var lattice: Int32

    /// Whether a cell is tried before another: the nearer cell or, at equal distances, the cell
    /// of the earlier lattice, then the cell with the smaller row, and then the smaller column.
    static func precedes(_ a: Candidate, _ b: Candidate) -> Bool {
      (a.distance, a.lattice, a.row, a.column) < (b.distance, b.lattice, b.row, b.column)
    }
  }

  /// The number of micrometres in a metre.
  static let precision = 1e6
  /// The largest number of cells around a point.
  private static let cellLimit = 1 << 20
  /// The number of directions in which the extent of a disc is computed, and the factor by which its radius
  /// is enlarged to cover the parts of the disc between these directions.
  private static let (directions, reach) = (16, 1.1)
  /// The radius in metres above which the whole grid is searched. In the raster's CRS, the edge of a larger
  /// disc may not enclose the disc.
  private static let largestDisc = 1e6

  private let name: String
  private let transform: GridTransform
  /// The ranges of columns and of rows that the files cover together.
  private let columns: ClosedRange<Int>
  private let rows: ClosedRange<Int>
  /// The number of columns in a full circle of longitudes; nil if x is not a longitude.
  private let period: Double?
  private let geodesic = Geodesic(.wgs84)
  /// The transformations to longitudes and latitudes and back, for each worker.
  private let toGrid: WorkerStates<Transformation>
  private let toDegrees: WorkerStates<Transformation>
  /// The transformations to the CRS of the points.
  private let toPoints: WorkerStates<Transformation>

  private init(
    _ name: String, _ transform: GridTransform, columns: ClosedRange<Int>, rows: ClosedRange<Int>,
    period: Double?, _ reference: SpatialReference, points: SpatialReference, _ workers: Workers
  ) throws {
    (self.name, self.transform, self.columns, self.rows) = (name, transform, columns, rows)
    self.period = period
    func states(
      _ source: SpatialReference, _ target: SpatialReference
    ) throws -> WorkerStates<Transformation> {
      try WorkerStates(count: workers.count) { () throws(GeometryError) in
        try Transformation(from: source, to: target)
      }
    }
    toGrid = try states(.wgs84, reference)
    toDegrees = try states(reference, .wgs84)
    toPoints = try states(reference, points)
  }

  /// The lattices of a raster.
  ///
  /// - Parameter points: the CRS of the points.
  /// - Throws: if a file has no CRS, or if its cells are not evenly spaced.
  static func list(
    of raster: Raster, points: SpatialReference, _ workers: Workers
  ) throws -> [CellLattice] {
    struct Part {
      var reference: String
      var transform: GridTransform
      var period: Double?
      var columns: ClosedRange<Int>
      var rows: ClosedRange<Int>
    }
    var parts: [Part] = []
    for member in raster.members {
      let profile = member.profile
      guard case .affine(let transform) = profile.mapping, let reference = profile.reference else {
        throw PlumbError(
          messageTemplate:
            "\(.search): \(member.path.printable) has no CRS or no evenly spaced cells",
          code: .unsupported)
      }
      let (width, height) = (profile.grid.width, profile.grid.height)
      let known = parts.firstIndex { part in
        part.reference == reference && offset(of: transform, in: part.transform) != nil
      }
      if let known, let (column, row) = offset(of: transform, in: parts[known].transform) {
        let part = parts[known]
        parts[known].columns =
          min(part.columns.lowerBound, column)...max(part.columns.upperBound, column + width - 1)
        parts[known].rows =
          min(part.rows.lowerBound, row)...max(part.rows.upperBound, row + height - 1)
      } else {
        parts.append(
          Part(
            reference: reference, transform: transform,
            period: profile.longitudePeriod.map { ($0 / transform.columnX).magnitude },
            columns: 0...width - 1, rows: 0...height - 1))
      }
    }
    return try parts.map {
      try CellLattice(
        raster.name, $0.transform, columns: $0.columns, rows: $0.rows, period: $0.period,
        SpatialReference($0.reference), points: points, workers)
    }
  }

  /// The position of a grid within another grid whose cells coincide with its cells; nil if they do
  /// not coincide.
  private static func offset(
    of transform: GridTransform, in other: GridTransform
  ) -> (column: Int, row: Int)? {
    let pairs = [
      (transform.columnX, other.columnX), (transform.rowX, other.rowX),
      (transform.columnY, other.columnY), (transform.rowY, other.rowY),
    ]
    let size = other.determinant.magnitude.squareRoot()
    guard pairs.allSatisfy({ ($0 - $1).magnitude <= 1e-9 * size }) else { return nil }
    let (column, row) = other.gridPosition(x: transform.originX, y: transform.originY)
    let (wholeColumn, wholeRow) = (column.rounded(), row.rounded())
    guard (column - wholeColumn).magnitude < 1e-3, (row - wholeRow).magnitude < 1e-3,
      wholeColumn.magnitude < 1e9, wholeRow.magnitude < 1e9
    else { return nil }
    return (Int(wholeColumn), Int(wholeRow))
  }

  // MARK: Cells

  /// The width of the cells near a point in metres: the greater of the distances to the next column and row; nil
  /// if the point is far outside.
  func cellWidth(at point: SIMD2<Double>) -> Double? {
    guard let (column, row) = position(of: point, worker: 0) else { return nil }
    var centres = [(0.0, 0.0), (1, 0), (0, 1)].map { across, down in
      let (x, y) = transform.coordinates(column: column + across, row: row + down)
      return SIMD2(x, y)
    }
    Self.apply(toDegrees[0], &centres)
    guard centres.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else { return nil }
    let width = max(
      geodesic.distance(from: centres[0], to: centres[1]),
      geodesic.distance(from: centres[0], to: centres[2]))
    return width.isFinite ? width : nil
  }

  /// The cells whose centres are farther from a point than one limit, and not farther than another
  /// limit, in any order.
  ///
  /// - Parameters:
  ///   - point: a longitude and a latitude.
  ///   - least: the excluded lower limit in micrometres.
  ///   - most: the included upper limit in micrometres.
  /// - Throws: if there are too many cells.
  func candidates(
    around point: SIMD2<Double>, farther least: Int64, within most: Int64, number: Int32,
    worker: Int, into candidates: inout [Candidate]
  ) throws(PlumbError) {
    let radius = Double(most) / Self.precision
    guard let extent = extent(point, radius, worker) else { return }
    let (columns, rows) = (extent.columns, extent.rows)
    let (count, isOver) = columns.count.multipliedReportingOverflow(by: rows.count)
    guard !isOver, count <= Self.cellLimit else {
      throw PlumbError(
        messageTemplate:
          "\(.search): more than \(Self.cellLimit) cells of \(name.printable) are within the distance "
          + "of a point", code: .limit)
    }
    let plane = plane(at: point, extent, radius, worker)
    var cells: [SIMD2<Int32>] = []
    var centres: [SIMD2<Double>] = []
    for row in rows {
      for column in columns {
        if let plane {
          let metres =
            plane.distance(column: Double(column) + 0.5, row: Double(row) + 0.5)
            * Self.precision
          guard metres <= Double(most) * (1 + Plane.error),
            metres >= Double(least) * (1 - Plane.error)
          else { continue }
        }
        let (x, y) = transform.coordinates(column: Double(column) + 0.5, row: Double(row) + 0.5)
        centres.append(SIMD2(x, y))
        cells.append(SIMD2(Int32(column), Int32(row)))
      }
    }
    Self.apply(toDegrees[worker], &centres)
    for (cell, centre) in zip(cells, centres) where centre.x.isFinite && centre.y.isFinite {
      let metres = geodesic.distance(from: point, to: centre)
      // The distance to a latitude beyond a pole is not a number.
      guard metres.isFinite else { continue }
      let distance = Int64((metres * Self.precision).rounded())
      guard distance > least, distance <= most else { continue }
      candidates.append(
        Candidate(distance: distance, row: cell.y, column: cell.x, lattice: number))
    }
  }

  /// A plane that approximates the ground around a point, to find the cells that are certainly
  /// nearer or farther than a limit.
  private struct Plane {
    /// The relative error of distances that the search allows for (`error`), and the maximum relative error
    /// at the edge of the disc (`edgeError`). The error is smaller within the disc.
    static let (error, edgeError) = (0.03, 0.01)

    /// The column and row of the point in the grid.
    var origin: SIMD2<Double>
    /// The steps to the east and north, in metres, from one column to the next, and from one row to
    /// the next.
    var across: SIMD2<Double>
    var down: SIMD2<Double>

    func distance(column: Double, row: Double) -> Double {
      let step = across * (column - origin.x) + down * (row - origin.y)
      return (step * step).sum().squareRoot()
    }
  }

  /// The plane around a point; nil if its error would be too large.
  private func plane(
    at point: SIMD2<Double>, _ extent: Extent, _ radius: Double, _ worker: Int
  ) -> Plane? {
    guard !extent.edge.isEmpty else { return nil }
    var corners = [(0.0, 0.0), (1, 0), (0, 1)].map { across, down in
      let (x, y) = transform.coordinates(
        column: extent.origin.x + across, row: extent.origin.y + down)
      return SIMD2(x, y)
    }
    Self.apply(toDegrees[worker], &corners)
    guard corners.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else { return nil }
    func step(_ corner: SIMD2<Double>) -> SIMD2<Double> {
      let path = geodesic.inverse(from: corners[0], to: corner)
      let azimuth = path.startAzimuth * .pi / 180
      return SIMD2(sin(azimuth), cos(azimuth)) * path.distance
    }
    let plane = Plane(
      origin: extent.origin, across: step(corners[1]), down: step(corners[2]))
    let reach = radius * Self.reach
    let isExact = extent.edge.allSatisfy {
      // The comparison is false if the distance is not a number.
      (plane.distance(column: $0.x, row: $0.y) - reach).magnitude <= Plane.edgeError * reach
    }
    return isExact ? plane : nil
  }

  /// The centres of cells in the CRS of the points.
  func centres(of candidates: [Candidate], worker: Int) -> [SIMD2<Double>] {
    var centres = candidates.map { candidate in
      let (x, y) = transform.coordinates(
        column: Double(candidate.column) + 0.5, row: Double(candidate.row) + 0.5)
      return SIMD2(x, y)
    }
    Self.apply(toPoints[worker], &centres)
    return centres
  }

  /// The grid position of a point; nil if it cannot be transformed.
  private func position(
    of point: SIMD2<Double>, worker: Int
  ) -> (column: Double, row: Double)? {
    var points = [point]
    Self.apply(toGrid[worker], &points)
    guard points[0].x.isFinite, points[0].y.isFinite else { return nil }
    var (column, row) = transform.gridPosition(x: points[0].x, y: points[0].y)
    if let period {
      // The position that is nearest to the middle of the grid.
      let middle = Double(columns.lowerBound + columns.upperBound + 1) / 2
      column -= ((column - middle) / period).rounded() * period
    }
    guard column.magnitude < 1e9, row.magnitude < 1e9 else { return nil }
    return (column, row)
  }

  /// The columns and rows of a disc, clipped to the grid.
  private struct Extent {
    var columns: ClosedRange<Int>
    var rows: ClosedRange<Int>
    /// The column and row of the centre.
    var origin: SIMD2<Double>
    /// The columns and rows of points around the disc, at the radius times `reach`; empty if the whole grid is
    /// searched.
    var edge: [SIMD2<Double>] = []
  }

  /// The cells of a disc; nil if there are none.
  private func extent(
    _ point: SIMD2<Double>, _ radius: Double, _ worker: Int
  ) -> Extent? {
    guard let own = position(of: point, worker: worker) else { return nil }
    let origin = SIMD2(own.column, own.row)
    let whole = Extent(columns: columns, rows: rows, origin: origin)
    guard radius <= Self.largestDisc else { return whole }
    var around = (0..<Self.directions).map { number in
      geodesic.line(from: point, azimuth: 360 / Double(Self.directions) * Double(number))
        .point(at: radius * Self.reach).point
    }
    Self.apply(toGrid[worker], &around)
    let pole = SIMD2(point.x, point.y < 0 ? -90.0 : 90)
    let hasPole =
      period != nil && geodesic.distance(from: point, to: pole) <= radius * Self.reach
    var (low, high) = (origin, origin)
    var edge: [SIMD2<Double>] = []
    for place in around where !hasPole {
      guard place.x.isFinite, place.y.isFinite else { return whole }
      var (column, row) = transform.gridPosition(x: place.x, y: place.y)
      if let period { column -= ((column - own.column) / period).rounded() * period }
      let position = SIMD2(column, row)
      low = pointwiseMin(low, position)
      high = pointwiseMax(high, position)
      edge.append(position)
    }
    if hasPole { return whole }
    let (first, last) = (low - 1, high + 1)
    // A grid around the globe continues beyond its first and last column.
    let isWhole = period.map { Double(columns.count) > $0 - 0.5 && last.x - first.x < $0 } ?? false
    let across = isWhole ? -1_000_000_000...1_000_000_000 : columns
    guard first.x <= Double(across.upperBound), last.x >= Double(across.lowerBound),
      first.y <= Double(rows.upperBound), last.y >= Double(rows.lowerBound)
    else { return nil }
    func range(_ low: Double, _ high: Double, _ limits: ClosedRange<Int>) -> ClosedRange<Int> {
      let start = max(low.rounded(.down), Double(limits.lowerBound))
      let end = min(high.rounded(.down), Double(limits.upperBound))
      return Int(start)...max(Int(start), Int(end))
    }
    return Extent(
      columns: range(first.x, last.x, across), rows: range(first.y, last.y, rows), origin: origin,
      edge: edge)
  }

  private static func apply(_ transformation: Transformation, _ points: inout [SIMD2<Double>]) {
    // Key paths would be evaluated at run time here.
    var (x, y) = (points.map { $0.x }, points.map { $0.y })
    x.withUnsafeMutableBufferPointer { x in
      y.withUnsafeMutableBufferPointer { y in
        guard let left = x.baseAddress, let right = y.baseAddress else { return }
        transformation.apply(x: left, y: right, count: x.count)
      }
    }
    for index in points.indices { points[index] = SIMD2(x[index], y[index]) }
  }
}
