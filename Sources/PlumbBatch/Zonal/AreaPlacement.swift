import PlumbCore
import PlumbGeometry
import PlumbRaster

/// Places areas on the grid of a raster. Areas are transformed to the raster's CRS. If x is a
/// longitude, areas are also copied to all longitudes, shifted by multiples of 360°, at which they
/// are on the grid.
package final class AreaPlacement: Sendable {
  /// The reason why an area cannot be placed.
  package enum Fault: Error, Sendable, Hashable {
    /// The area has no size, or a coordinate is not finite.
    case badArea
    /// A point cannot be transformed to the raster's CRS, or an edge crosses a discontinuity of
    /// this CRS.
    case transformFailed
  }

  private let transformations: WorkerStates<Transformation>?
  private let grid: GridTransform
  private let size: TileGrid
  private let period: Double?
  /// The poles in the CRS of the areas; empty unless the raster's coordinates are longitudes and
  /// latitudes, and the coordinates of the areas are not.
  private let poles: [Pole]

  /// Whether areas may be around a pole of the raster's coordinates.
  var hasPoles: Bool { !poles.isEmpty }

  /// The maximum deviation of a projected edge, in cells. It is half of the intended limit of 0.1,
  /// because the deviation may be greatest between the points that are compared.
  private static let deviation = 0.05
  /// The maximum number of vertices of a projected area.
  private static let vertexLimit = 4_000_000
  /// The maximum number of times that an edge is halved.
  private static let halvingLimit = 40

  /// - Parameters:
  ///   - cells: the raster's cells.
  ///   - source: the CRS of the areas; nil if unknown.
  ///   - target: the raster's CRS; nil if unknown.
  /// - Throws: if PROJ finds no transformation.
  package init(
    _ cells: ZonalGrid, from source: SpatialReference?, to target: SpatialReference?,
    workers: Workers
  ) throws(PlumbError) {
    (grid, size, period) = (cells.transform, cells.grid, cells.longitudePeriod)
    guard let source, let target, !source.isEquivalent(to: target) else {
      (transformations, poles) = (nil, [])
      return
    }
    poles = period.map { Pole.poles(in: source, of: target, period: $0) } ?? []
    do {
      transformations = try WorkerStates(count: workers.count) { () throws(GeometryError) in
        try Transformation(from: source, to: target)
      }
    } catch {
      throw PlumbError(error)
    }
  }

  /// Returns an area in the raster's CRS.
  ///
  /// - Parameter worker: the number of the calling worker.
  package func place(_ polygon: Polygon, worker: Int) throws(Fault) -> Polygon {
    guard !polygon.isEmpty,
      polygon.vertices.xy.allSatisfy({ $0.x.isFinite && $0.y.isFinite })
    else { throw .badArea }
    guard let transformations else { return polygon }
    return try projected(polygon, transformations[worker])
  }

  /// Returns lines in the raster's CRS.
  package func place(_ lines: Polyline, worker: Int) throws(Fault) -> Polyline {
    guard !lines.isEmpty else { throw .badArea }
    var points: [SIMD2<Double>] = []
    var ends: [Int] = []
    for part in lines.parts {
      var line = Array(lines.vertices.xy[part])
      guard line.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else { throw .badArea }
      if let transformations {
        line = try densified(line, transformations[worker]) { unwrap(&$0) }
      }
      points += line
      ends.append(points.count)
      if points.count > Self.vertexLimit { throw .transformFailed }
    }
    return Polyline(VertexList(points), partEnds: ends)
  }

  /// Returns lines with a copy of each part at every longitude, shifted by a multiple of 360°, at
  /// which the part is on the grid.
  package func turned(_ lines: Polyline) throws(Fault) -> Polyline {
    guard let period else { return lines }
    var points: [SIMD2<Double>] = []
    var ends: [Int] = []
    for part in lines.parts {
      for shift in try shifts(of: lines.vertices.bounds(part), period, longitudes) {
        points += lines.vertices.xy[part].map { SIMD2($0.x + shift, $0.y) }
        ends.append(points.count)
      }
    }
    return Polyline(VertexList(points), partEnds: ends)
  }

  /// Returns points in the raster's CRS, shifted by multiples of 360° of longitude onto the grid if
  /// possible.
  package func place(
    points: [SIMD2<Double>], worker: Int
  ) throws(Fault) -> [SIMD2<Double>] {
    guard !points.isEmpty, points.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else {
      throw .badArea
    }
    var placed = points
    if let transformations { placed = try project(points, transformations[worker]) }
    return placed.map(turned)
  }

  /// Returns a point shifted by a multiple of 360° of longitude onto the grid, or the point itself
  /// if no shift does so.
  func turned(_ point: SIMD2<Double>) -> SIMD2<Double> {
    guard let period, point.x.isFinite, abs(point.x) < 1e6 * period else { return point }
    let (west, east) = longitudes
    if point.x >= west, point.x < east { return point }
    let shifted = point.x + ((west - point.x) / period).rounded(.up) * period
    return shifted < east ? SIMD2(shifted, point.y) : point
  }

  // MARK: Projection

  private func projected(
    _ polygon: Polygon, _ transformation: Transformation
  ) throws(Fault) -> Polygon {
    var points: [SIMD2<Double>] = []
    var (ends, partEnds): ([Int], [Int]) = ([], [])
    let rings = polygon.rings
    for part in polygon.parts {
      var placed: [PolarArea.Ring] = []
      var shell: SIMD2<Double>?
      for index in part {
        var ring = try projected(Array(polygon.vertices.xy[rings[index]]), transformation)
        if let (low, high) = VertexList(ring.points).bounds() {
          let centre = low + (high - low) / 2
          if let shell, period != nil, ring.pole == nil {
            // Shifts the hole by a multiple of 360°, so that it is near its shell.
            let shift = near(centre, shell) - centre
            ring.points = ring.points.map { $0 + shift }
          }
          shell = shell ?? centre
        }
        placed.append(ring)
      }
      if let period, placed.contains(where: { $0.pole != nil }) {
        let area = try PolarArea(west: longitudes.west, period: period).polygon(placed)
        ends += area.ringEnds.map { $0 + points.count }
        points += area.vertices.xy
        partEnds += area.partEnds.map { $0 + ends.count - area.ringEnds.count }
      } else {
        for ring in placed {
          points += ring.points
          ends.append(points.count)
        }
        partEnds.append(ends.count)
      }
      if points.count > Self.vertexLimit { throw .transformFailed }
    }
    return Polygon(VertexList(points), ringEnds: ends, partEnds: partEnds)
  }

  /// Returns a ring in the raster's CRS, and the pole that the ring encloses.
  private func projected(
    _ ring: [SIMD2<Double>], _ transformation: Transformation
  ) throws(Fault) -> PolarArea.Ring {
    let poles = poles.filter { $0.isInside(ring) }
    guard poles.count < 2 else { throw .transformFailed }
    let points: [SIMD2<Double>]
    if let (rotated, pole) = try startingAtPole(ring) {
      // In the raster's CRS, the pole is a parallel, and the ring follows this parallel.
      points = try densified(rotated, transformation) { points in
        points[0] = SIMD2(points[1].x, pole.latitude)
        unwrap(&points)
        points[points.count - 1] = SIMD2(points[points.count - 2].x, pole.latitude)
      }
      return PolarArea.Ring(points: points)
    }
    points = try densified(ring, transformation) { unwrap(&$0) }
    guard let period, let first = points.first, let last = points.last else {
      return PolarArea.Ring(points: points)
    }
    // The longitudes at the start and the end of a ring around a pole differ by 360°.
    let turns = ((last.x - first.x) / period).rounded()
    guard abs(turns) == Double(poles.count) else { throw .transformFailed }
    return PolarArea.Ring(points: points, pole: poles.first)
  }

  /// Returns a ring that starts and ends at a pole; nil if no vertex of the ring is at a pole.
  private func startingAtPole(
    _ ring: [SIMD2<Double>]
  ) throws(Fault) -> (ring: [SIMD2<Double>], pole: Pole)? {
    for pole in poles {
      let vertices = ring.dropLast()
      let found = vertices.indices.filter { pole.isNear(vertices[$0]) }
      guard let index = found.first, vertices.count > 2 else { continue }
      guard found.count == 1 else { throw .transformFailed }
      return (Array(vertices[index...] + vertices[..<index] + [vertices[index]]), pole)
    }
    return nil
  }

  /// Returns a projected line. Vertices are inserted until the edges of the result deviate little
  /// from the projected edges of the original line.
  ///
  /// - Parameter adjust: changes the projected vertices, for example by multiples of 360° of
  ///   longitude.
  private func densified(
    _ line: [SIMD2<Double>], _ transformation: Transformation,
    _ adjust: (inout [SIMD2<Double>]) -> Void
  ) throws(Fault) -> [SIMD2<Double>] {
    var before = line
    var after = try project(before, transformation)
    adjust(&after)
    // Whether the edge that ends at a vertex deviates little.
    var isDone = [Bool](repeating: false, count: before.count)
    if !isDone.isEmpty { isDone[0] = true }
    var halvings = 0
    while isDone.contains(false) {
      // An edge across a discontinuity of the projection deviates regardless of its length.
      halvings += 1
      if halvings > Self.halvingLimit { throw .transformFailed }
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

  /// Returns whether projected points of an edge are farther than allowed from the line between the
  /// edge's ends. Returns false if all of the edge is off the grid on the same side, where its
  /// shape does not matter.
  private func deviates(
    _ start: SIMD2<Double>, _ end: SIMD2<Double>, _ points: ArraySlice<SIMD2<Double>>
  ) -> Bool {
    var farthest = 0.0
    var low = pointwiseMin(cells(start), cells(end))
    var high = pointwiseMax(cells(start), cells(end))
    for (index, point) in points.enumerated() {
      let line = start + (end - start) * (Double(index + 1) / 4)
      let place = near(point, line)
      let off = cells(place) - cells(line)
      farthest = max(farthest, (off * off).sum())
      low = pointwiseMin(low, cells(place))
      high = pointwiseMax(high, cells(place))
    }
    guard farthest > Self.deviation * Self.deviation else { return false }
    // An edge across a discontinuity is never nearly straight. It is detected on any side of the
    // grid.
    let chord = cells(end) - cells(start)
    guard farthest < 0.04 * (chord * chord).sum() else { return true }
    if high.y < -1 || low.y > Double(size.height) + 1 { return false }
    // With a period, a copy of the edge may be on the grid.
    return period != nil || high.x >= -1 && low.x <= Double(size.width) + 1
  }

  private func cells(_ point: SIMD2<Double>) -> SIMD2<Double> {
    let (column, row) = grid.gridPosition(x: point.x, y: point.y)
    return SIMD2(column, row)
  }

  // MARK: Longitudes

  /// Returns a point whose x is shifted by whole periods to be near the x of another point.
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

  /// Returns an area with a copy of each part at every longitude, shifted by a multiple of 360°, at
  /// which the part is on the grid. A part that is never on the grid is not shifted.
  ///
  /// - Throws: `badArea` for a part that spans more than 360° of longitude.
  package func turned(_ polygon: Polygon) throws(Fault) -> Polygon {
    guard let period else { return polygon }
    return try turned(polygon, period, longitudes)
  }

  /// Returns the union of an area's copies, clipped to the 360° of longitude that start at the
  /// western edge of the grid; nil if x is not a longitude, or if the area cannot be joined.
  func oneTurn(of polygon: Polygon) -> Polygon? {
    guard let period else { return nil }
    let (west, east) = (longitudes.west, longitudes.west + period)
    guard let copies = try? turned(polygon, period, (west, east)),
      let joined = try? GeometryEngine.repaired(copies), let bounds = joined.vertices.bounds()
    else { return nil }
    let turn = Envelope(xMin: west, yMin: bounds.low.y - 1, xMax: east, yMax: bounds.high.y + 1)
    let parts = try? GeometryEngine.intersections(.polygon(joined), .polygon(turn.polygon))
    guard case .polygon(let part)? = parts?.first(where: { $0.dimension == 2 }) else { return nil }
    return part
  }

  private func turned(
    _ polygon: Polygon, _ period: Double, _ range: (west: Double, east: Double)
  ) throws(Fault) -> Polygon {
    var points: [SIMD2<Double>] = []
    var (ends, partEnds): ([Int], [Int]) = ([], [])
    let rings = polygon.rings
    for part in polygon.parts {
      guard let first = part.first, let last = part.last else { continue }
      let vertices = rings[first].lowerBound..<rings[last].upperBound
      for shift in try shifts(of: polygon.vertices.bounds(vertices), period, range) {
        let start = points.count - vertices.lowerBound
        points += polygon.vertices.xy[vertices].map { SIMD2($0.x + shift, $0.y) }
        ends += part.map { rings[$0].upperBound + start }
        partEnds.append(ends.count)
      }
    }
    return Polygon(VertexList(points), ringEnds: ends, partEnds: partEnds)
  }

  /// The minimum and the maximum x of the grid.
  private var longitudes: (west: Double, east: Double) {
    let (a, b) = (
      grid.coordinates(column: 0, row: 0).x,
      grid.coordinates(column: Double(size.width), row: Double(size.height)).x
    )
    return (min(a, b), max(a, b))
  }

  /// Returns the shifts of x, in whole periods, that move an extent into a range of longitudes; 0
  /// if no shift does so.
  private func shifts(
    of bounds: (low: SIMD2<Double>, high: SIMD2<Double>)?, _ period: Double,
    _ range: (west: Double, east: Double)
  ) throws(Fault) -> [Double] {
    guard let (low, high) = bounds else { return [] }
    guard high.x - low.x <= period * (1 + 1e-9), abs(low.x) < 1e6 * period else { throw .badArea }
    let (west, east) = range
    let first = ((west - high.x) / period).rounded(.up)
    let last = ((east - low.x) / period).rounded(.down)
    guard first <= last else { return [0] }
    let shifts = stride(from: first, through: last, by: 1).map { $0 * period }
      // A copy that only touches the grid has no cells.
      .filter { high.x + $0 > west && low.x + $0 < east }
    return shifts.isEmpty ? [0] : shifts
  }
}
