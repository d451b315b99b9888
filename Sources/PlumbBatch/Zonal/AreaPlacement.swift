import PlumbCore
import PlumbGeometry
import PlumbRaster

/// Places areas on the grid of a raster: in its CRS, with all copies that whole turns of longitude bring onto
/// the grid, and with rings that do not cross.
package final class AreaPlacement: Sendable {
  /// An area on the grid.
  package struct Placed: Sendable {
    /// The area, or several copies of it.
    package var polygon: Polygon
    /// The number of copies in `polygon`.
    package var copies = 1
    /// Whether the rings crossed and were repaired.
    package var isRepaired = false
  }

  /// The reason why an area cannot be placed.
  package enum Fault: Error, Sendable, Hashable {
    /// The area has no size, or a coordinate is not finite.
    case badArea
    /// A point has no counterpart in the raster's CRS, or the area encloses a pole.
    case transformFailed
  }

  private let transformations: WorkerStates<Transformation>?
  private let grid: GridTransform
  private let size: TileGrid
  private let period: Double?

  /// The maximum deviation of a projected edge, in cells: a tenth, less a reserve for edges whose deviation is
  /// greatest between the points that are compared.
  private static let deviation = 0.05
  /// The maximum number of vertices of a projected area.
  private static let vertexLimit = 20_000_000

  /// - Parameters:
  ///   - profile: the raster's grid and CRS.
  ///   - source: the CRS of the areas; nil if unknown.
  ///   - target: the raster's CRS; nil if unknown.
  /// - Throws: if there is no transformation.
  package init(
    _ profile: RasterProfile, from source: SpatialReference?, to target: SpatialReference?,
    workers: Workers
  ) throws(PlumbError) {
    guard case .affine(let transform) = profile.mapping else {
      throw PlumbError("the raster's cells differ in size", code: .unsupported)
    }
    (grid, size, period) = (transform, profile.grid, profile.longitudePeriod)
    guard let source, let target, !source.isEquivalent(to: target) else {
      transformations = nil
      return
    }
    do {
      transformations = try WorkerStates(count: workers.count) { () throws(GeometryError) in
        try Transformation(from: source, to: target)
      }
    } catch {
      throw PlumbError(error)
    }
  }

  /// Places an area.
  ///
  /// - Parameter worker: the number of the calling worker.
  package func place(_ polygon: Polygon, worker: Int) throws(Fault) -> Placed {
    guard !polygon.isEmpty,
      polygon.vertices.xy.allSatisfy({ $0.x.isFinite && $0.y.isFinite })
    else { throw .badArea }
    var placed = Placed(polygon: polygon)
    if let transformations {
      placed.polygon = try projected(polygon, transformations[worker])
    }
    if let period { try turn(&placed, period) }
    return placed
  }

  // MARK: Projection

  private func projected(
    _ polygon: Polygon, _ transformation: Transformation
  ) throws(Fault) -> Polygon {
    var points: [SIMD2<Double>] = []
    var ends: [Int] = []
    for ring in polygon.rings {
      points += try projected(Array(polygon.vertices.xy[ring]), transformation)
      ends.append(points.count)
      if points.count > Self.vertexLimit { throw .transformFailed }
    }
    return Polygon(VertexList(points), ringEnds: ends, partEnds: polygon.partEnds)
  }

  /// Returns a ring with as many more vertices as its edges need to deviate little from the projected edges.
  private func projected(
    _ ring: [SIMD2<Double>], _ transformation: Transformation
  ) throws(Fault) -> [SIMD2<Double>] {
    var before = ring
    var after = try project(before, transformation)
    unwrap(&after)
    // Whether the edge that ends at a vertex deviates little.
    var isDone = [Bool](repeating: false, count: before.count)
    if !isDone.isEmpty { isDone[0] = true }
    while isDone.contains(false) {
      let open = isDone.indices.filter { !isDone[$0] }
      var probes: [SIMD2<Double>] = []
      for end in open {
        let step = before[end] - before[end - 1]
        for share in [0.25, 0.5, 0.75] { probes.append(before[end - 1] + step * share) }
      }
      let found = try project(probes, transformation)
      var next = (before: [SIMD2<Double>](), after: [SIMD2<Double>](), isDone: [Bool]())
      var position = 0
      for index in before.indices {
        if !isDone[index] {
          let probe = position * 3
          position += 1
          if deviates(after[index - 1], after[index], found[probe..<probe + 3]) {
            next.before.append(probes[probe + 1])
            next.after.append(near(found[probe + 1], after[index - 1]))
            next.isDone.append(false)
          } else {
            isDone[index] = true
          }
        }
        next.before.append(before[index])
        next.after.append(after[index])
        next.isDone.append(isDone[index])
      }
      (before, after, isDone) = next
      if before.count > Self.vertexLimit { throw .transformFailed }
    }
    return after
  }

  private func project(
    _ points: [SIMD2<Double>], _ transformation: Transformation
  ) throws(Fault) -> [SIMD2<Double>] {
    var x = points.map(\.x)
    var y = points.map(\.y)
    transformation.apply(x: &x, y: &y, count: points.count)
    let found = zip(x, y).map { SIMD2($0, $1) }
    guard found.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else { throw .transformFailed }
    return found
  }

  /// Whether the projected points of an edge are farther from the line between its ends than allowed.
  private func deviates(
    _ start: SIMD2<Double>, _ end: SIMD2<Double>, _ points: ArraySlice<SIMD2<Double>>
  ) -> Bool {
    for (index, point) in points.enumerated() {
      let line = start + (end - start) * (Double(index + 1) / 4)
      let off = near(point, line) - line
      let origin = grid.gridPosition(x: 0, y: 0)
      let moved = grid.gridPosition(x: off.x, y: off.y)
      let cells = SIMD2(moved.column - origin.column, moved.row - origin.row)
      if (cells * cells).sum() > Self.deviation * Self.deviation,
        (off * off).sum() > (line * line).sum() * 1e-30
      {
        return true
      }
    }
    return false
  }

  // MARK: Longitudes

  /// Returns a point whose x is shifted by whole periods to be near another's.
  private func near(_ point: SIMD2<Double>, _ other: SIMD2<Double>) -> SIMD2<Double> {
    guard let period else { return point }
    return SIMD2(point.x - ((point.x - other.x) / period).rounded() * period, point.y)
  }

  private func unwrap(_ points: inout [SIMD2<Double>]) {
    guard period != nil else { return }
    for index in points.indices.dropFirst() {
      points[index] = near(points[index], points[index - 1])
    }
  }

  /// Replaces an area by its copies on the grid.
  private func turn(_ placed: inout Placed, _ period: Double) throws(Fault) {
    let polygon = placed.polygon
    for ring in polygon.rings {
      // A ring around a pole does not end at its start.
      guard let first = ring.first, let last = ring.last,
        abs(polygon.vertices.xy[first].x - polygon.vertices.xy[last].x) < period / 2
      else { throw .transformFailed }
    }
    guard let (low, high) = polygon.vertices.bounds() else { return }
    let (a, b) = (
      grid.coordinates(column: 0, row: 0).x,
      grid.coordinates(column: Double(size.width), row: Double(size.height)).x
    )
    let (west, east) = (min(a, b), max(a, b))
    let first = ((west - high.x) / period).rounded(.up)
    let last = ((east - low.x) / period).rounded(.down)
    guard first <= last, abs(first) < 1e6, abs(last) < 1e6 else { return }
    var points: [SIMD2<Double>] = []
    var (ends, partEnds): ([Int], [Int]) = ([], [])
    for shift in stride(from: first, through: last, by: 1) {
      let (pointCount, ringCount) = (points.count, ends.count)
      points += polygon.vertices.xy.map { SIMD2($0.x + shift * period, $0.y) }
      ends += polygon.ringEnds.map { $0 + pointCount }
      partEnds += polygon.partEnds.map { $0 + ringCount }
    }
    placed.copies = Int(last - first) + 1
    placed.polygon = Polygon(VertexList(points), ringEnds: ends, partEnds: partEnds)
  }
}
