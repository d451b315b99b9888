import PlumbCore
import PlumbGeometry
import PlumbRaster
import Synchronization

/// Transforms points from their CRS to each of the rasters' CRSs, on all workers.
///
/// Large numbers of points are transformed by polynomials instead of PROJ where the polynomials'
/// error cannot change the cell. A point that is nearer to a cell's border than the error is
/// transformed by PROJ.
///
/// Several threads may use a projector; their batches are transformed sequentially.
package final class PointProjector: Sendable {
  private enum Route: Sendable {
    /// No transformation: the raster uses the coordinates of the points.
    case same
    case transform(WorkerStates<Transformation>, Shortcut?)
  }

  /// The data for replacing PROJ with polynomials in one CRS.
  struct Shortcut: Sendable {
    /// The side of a patch, in the points' units.
    var patchSize: Double
    /// The grids in which the cells of points are determined.
    var grids: [GridTransform]
    /// The period of x in the grids' CRS; nil if there is none.
    var period: Double?

    /// The maximum error as a fraction of a cell. The fraction is so small that few points are
    /// within the error of a border.
    static let largestShare = 1e-4
    /// The maximum number of grids to check; checking more grids takes longer than PROJ.
    static let maximumGrids = 4

    /// - Returns: nil if the result depends on more than the cells, there are more than
    ///   `maximumGrids` grids, or a grid is not aligned to x and y.
    init?(grids: [GridTransform]?, isGeographic: Bool, period: Double?) {
      guard let grids, !grids.isEmpty, grids.count <= Self.maximumGrids,
        grids.allSatisfy(\.isSeparable)
      else { return nil }
      self.grids = grids
      self.period = period
      patchSize = isGeographic ? 1 : 100_000
    }

    /// The maximum error in the rasters' units.
    var largestBound: Double {
      grids.reduce(Double.infinity) { bound, grid in
        min(bound, grid.columnX.magnitude, grid.rowY.magnitude)
      } * Self.largestShare
    }

    /// Whether all points within `bound` of a point are certain to be in the same cell of every grid.
    @inline(__always)
    func isSettled(_ point: SIMD2<Double>, bound: Double) -> Bool {
      for grid in grids {
        let column = (point.x - grid.originX) / grid.columnX
        if Self.nearBorder(column, bound / grid.columnX.magnitude) { return false }
        if let period {
          // A point outside the grid may be inside the grid after a shift by a period.
          let columns = period / grid.columnX.magnitude
          let shifts = (column / columns).rounded(.down)
          if shifts != 0, Self.nearBorder(column - shifts * columns, bound / grid.columnX.magnitude)
          {
            return false
          }
        }
        let row = (point.y - grid.originY) / grid.rowY
        if Self.nearBorder(row, bound / grid.rowY.magnitude) { return false }
      }
      return true
    }

    @inline(__always)
    private static func nearBorder(_ position: Double, _ bound: Double) -> Bool {
      // The position is outside a grid of any size.
      if position < -1 || position > 4e9 { return false }
      // Adding and subtracting 1.5 × 2^52 rounds to an integer. Large positions always count as
      // near a border, because their rounding errors are too large.
      let whole = (position + 6_755_399_441_055_744) - 6_755_399_441_055_744
      return !((position - whole).magnitude > bound + 1e-9) || position > 1e6
    }
  }

  private let routes: [Route]
  private let workers: Workers
  /// Locked while a batch is transformed, because the transformations can be used for one batch at a time.
  private let lock = Mutex(())

  /// - Parameters:
  ///   - source: the CRS of the points; nil if the points are in each raster's own coordinates.
  ///   - targets: the rasters' CRSs; nil for none.
  ///   - grids: for each target, the grids of its rasters if only the cells of points are needed; nil if
  ///     exact coordinates are needed.
  init(
    from source: SpatialReference?, to targets: [SpatialReference?],
    grids: [[GridTransform]?] = [], workers: Workers
  ) throws {
    self.workers = workers
    routes = try targets.enumerated().map { index, target in
      guard let source, let target, target.isGeoreferenced, !source.isEquivalent(to: target)
      else { return .same }
      let shortcut = Shortcut(
        grids: index < grids.count ? grids[index] : nil, isGeographic: source.isGeographic,
        period: target.period)
      return .transform(
        try WorkerStates(count: workers.count) { () throws(GeometryError) in
          try Transformation(from: source, to: target)
        }, shortcut)
    }
  }

  /// A batch of points in one CRS, valid for the lifetime of this object.
  package final class Columns: Sendable {
    package let x: TrivialBuffer<Double>
    package let y: TrivialBuffer<Double>
    package let status: TrivialBuffer<UInt8>

    package init(count: Int) {
      x = TrivialBuffer(count: count)
      y = TrivialBuffer(count: count)
      status = TrivialBuffer(count: count)
    }

    /// The points, valid for the lifetime of these columns.
    package var coordinates: PointCoordinates {
      unsafe PointCoordinates(x: x.base, y: y.base, status: status.base, count: x.count)
    }
  }

  /// Returns the points in the target CRS with the given index; nil if the target uses the
  /// coordinates of the points.
  func columns(of points: PointCoordinates, in target: Int) -> Columns? {
    guard case .transform(let transformations, let shortcut) = routes[target] else { return nil }
    return lock.withLock { _ in transform(points, with: transformations, shortcut) }
  }

  /// Calls `body` with the points in each target CRS.
  func project<Result>(
    _ points: PointCoordinates, _ body: ([PointCoordinates]) throws -> Result
  ) rethrows -> Result {
    var kept: [Columns] = []
    let coordinates = routes.indices.map { target in
      guard let columns = columns(of: points, in: target) else { return points }
      kept.append(columns)
      return columns.coordinates
    }
    return try withExtendedLifetime(kept) { try body(coordinates) }
  }

  private func transform(
    _ points: PointCoordinates, with transformations: WorkerStates<Transformation>,
    _ shortcut: Shortcut?
  ) -> Columns {
    let columns = Columns(count: points.count)
    let (ok, failed) = (SampleStatus.ok.rawValue, SampleStatus.transformFailed.rawValue)
    let patches = shortcut.flatMap { shortcut in
      unsafe SmoothPatches(
        x: points.x, y: points.y, count: points.count, size: shortcut.patchSize,
        largestBound: shortcut.largestBound, transformation: transformations[0])
    }
    workers.runRanges(points.count, grain: 1 << 14) { worker, range in
      if WorkCancellation.isCurrentCancelled {
        unsafe (columns.x.base + range.lowerBound).update(repeating: .nan, count: range.count)
        unsafe (columns.y.base + range.lowerBound).update(repeating: .nan, count: range.count)
      } else if let patches, let shortcut {
        transform(
          points, range, into: columns, patches, shortcut, with: transformations[worker])
      } else {
        let (x, y) = unsafe (columns.x.base + range.lowerBound, columns.y.base + range.lowerBound)
        unsafe x.update(from: points.x + range.lowerBound, count: range.count)
        unsafe y.update(from: points.y + range.lowerBound, count: range.count)
        unsafe transformations[worker].apply(x: x, y: y, count: range.count)
      }
      for i in range {
        let isMapped = unsafe columns.x.base[i].isFinite && columns.y.base[i].isFinite
        let pointStatus = unsafe points.status?[i] ?? ok
        unsafe columns.status.base[i] = pointStatus != ok || isMapped ? pointStatus : failed
      }
    }
    return columns
  }

  /// Transforms points by polynomials where their error cannot change the cell, and all other
  /// points together by PROJ.
  private func transform(
    _ points: PointCoordinates, _ range: Range<Int>, into columns: Columns,
    _ patches: SmoothPatches, _ shortcut: Shortcut, with transformation: Transformation
  ) {
    var left: [Int] = []
    for i in range {
      if let (point, bound) = unsafe patches.apply(points.x[i], points.y[i]),
        shortcut.isSettled(point, bound: bound)
      {
        unsafe columns.x.base[i] = point.x
        unsafe columns.y.base[i] = point.y
      } else {
        left.append(i)
      }
    }
    guard !left.isEmpty else { return }
    var x = left.map { unsafe points.x[$0] }
    var y = left.map { unsafe points.y[$0] }
    unsafe transformation.apply(x: &x, y: &y, count: left.count)
    for (position, i) in left.enumerated() {
      unsafe columns.x.base[i] = x[position]
      unsafe columns.y.base[i] = y[position]
    }
  }
}
