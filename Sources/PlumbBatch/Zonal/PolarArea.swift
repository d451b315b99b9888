import PlumbCore
import PlumbGeometry

/// A pole as a point of a CRS whose coordinates are not longitudes and latitudes.
struct Pole: Sendable {
  /// The latitude in the unit of the raster's CRS.
  let latitude: Double
  private let point: SIMD2<Double>
  /// The distance within which a vertex is considered to be at the pole.
  private let tolerance: Double

  /// Returns the poles that are points of a CRS.
  ///
  /// - Parameters:
  ///   - source: the CRS of the points.
  ///   - target: a geographic CRS.
  ///   - period: 360° in the unit of `target`.
  static func poles(
    in source: SpatialReference, of target: SpatialReference, period: Double
  ) -> [Pole] {
    guard !source.isGeographic, let back = try? Transformation(from: target, to: source),
      let forth = try? Transformation(from: source, to: target)
    else { return [] }
    return [-period / 4, period / 4].compactMap { latitude in
      // If the pole is a point of the CRS, the transformed points of all longitudes are the same
      // point.
      let longitudes = (0..<8).map { period * (Double($0) / 8 - 0.5) }
      var (x, y) = (longitudes, longitudes.map { _ in latitude })
      back.apply(x: &x, y: &y, count: x.count)
      let points = zip(x, y).map { SIMD2($0, $1) }
      guard points.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else { return nil }
      // The tolerance is a millimetre.
      let tolerance = 1e-3 / source.unit.factor
      guard points.allSatisfy({ ($0 - points[0]).isShorter(than: tolerance) }) else { return nil }
      var (longitude, found) = ([points[0].x], [points[0].y])
      forth.apply(x: &longitude, y: &found, count: 1)
      guard abs(found[0] - latitude) < 1e-6 * period else { return nil }
      return Pole(latitude: latitude, point: points[0], tolerance: tolerance)
    }
  }

  func isNear(_ vertex: SIMD2<Double>) -> Bool { (vertex - point).isShorter(than: tolerance) }

  /// Returns whether a closed ring contains the pole in its interior, and not as a vertex.
  func isInside(_ ring: [SIMD2<Double>]) -> Bool {
    var isInside = false
    for (a, b) in zip(ring, ring.dropFirst()) {
      if isNear(a) { return false }
      guard (a.y > point.y) != (b.y > point.y) else { continue }
      let x = a.x + (b.x - a.x) * ((point.y - a.y) / (b.y - a.y))
      if x > point.x { isInside.toggle() }
    }
    return isInside
  }
}

extension SIMD2<Double> {
  fileprivate func isShorter(than length: Double) -> Bool { (self * self).sum() < length * length }
}

/// An area around a pole, in the plane of longitudes and latitudes. In this plane, a ring around
/// the pole is a line from west to east.
struct PolarArea {
  /// A ring, or the line from west to east if the ring encloses a pole.
  struct Ring {
    var points: [SIMD2<Double>]
    /// The pole that the ring encloses.
    var pole: Pole?
  }

  /// The longitude at which rings are cut.
  let west: Double
  /// 360° in the unit of the CRS.
  let period: Double

  /// Returns the polygon of an exterior ring and its holes, restricted to the 360° from `west`.
  func polygon(_ rings: [Ring]) throws(AreaPlacement.Fault) -> Polygon {
    guard let shell = rings.first, shell.pole != nil else { throw .transformFailed }
    do throws(GeometryError) {
      guard var area = try oneTurn(closed(shell)) else { throw GeometryError("an empty area") }
      var holes: [Geometry] = []
      for ring in rings.dropFirst() {
        if let hole = try oneTurn(closed(ring)) { holes.append(hole) }
      }
      if let hole = try GeometryEngine.union(holes, workers: Workers(count: 1)) {
        guard let rest = try GeometryEngine.difference(area, hole) else {
          throw GeometryError("an empty area")
        }
        area = rest
      }
      guard case .polygon(let polygon) = area else { throw GeometryError("not an area") }
      return polygon
    } catch {
      throw .transformFailed
    }
  }

  /// Closes a ring that encloses a pole: its line is cut so that it extends from `west` to `west +
  /// period`, and the ends are connected along the latitude of the pole. Other rings are returned
  /// unchanged.
  private func closed(_ ring: Ring) -> [SIMD2<Double>] {
    guard let pole = ring.pole, let start = ring.points.first, let end = ring.points.last else {
      return ring.points
    }
    let line = start.x < end.x ? ring.points : ring.points.reversed()
    // If the line crosses the longitude of the cut at several points, it is cut at the point that is
    // nearest to the pole.
    var cut: (index: Int, point: SIMD2<Double>)?
    for (index, (a, b)) in zip(line, line.dropFirst()).enumerated() where a.x != b.x {
      let (low, high) = (min(a.x, b.x), max(a.x, b.x))
      let x = west + ((low - west) / period).rounded(.up) * period
      // Both ends of an edge are included, because the line may run along the cut between two edges.
      guard x <= high else { continue }
      let share = min(1, max(0, (x - a.x) / (b.x - a.x)))
      let point = SIMD2(x, a.y + (b.y - a.y) * share)
      if let cut, abs(cut.point.y - pole.latitude) <= abs(point.y - pole.latitude) { continue }
      cut = (index, point)
    }
    // Because coordinates are rounded, it is possible that a line that starts at the longitude of the
    // cut does not cross the cut.
    let (index, point) = cut ?? (0, line[0])
    let shift = SIMD2(west - point.x, 0)
    let turn = SIMD2(period, 0)
    var points = [SIMD2(west, point.y)]
    points += line[(index + 1)...].map { atCut($0 + shift) }
    points += line[1..<max(1, index + 1)].map { atCut($0 + shift + turn) }
    points += [
      SIMD2(west + period, point.y), SIMD2(west + period, pole.latitude),
      SIMD2(west, pole.latitude), SIMD2(west, point.y),
    ]
    return points
  }

  /// Returns a vertex. A vertex that is next to the cut only because of rounding errors is moved
  /// onto the cut.
  private func atCut(_ point: SIMD2<Double>) -> SIMD2<Double> {
    for x in [west, west + period] where abs(point.x - x) < 1e-12 * period {
      return SIMD2(x, point.y)
    }
    return point
  }

  /// Returns the part of an area within 360° from `west`; nil if the part is empty. Copies of the
  /// area that are shifted by multiples of 360° are included.
  private func oneTurn(_ ring: [SIMD2<Double>]) throws(GeometryError) -> Geometry? {
    guard let bounds = VertexList(ring).bounds() else { return nil }
    let polygon = Polygon(VertexList(ring))
    if bounds.low.x >= west, bounds.high.x <= west + period { return .polygon(polygon) }
    let first = Int(((west - bounds.high.x) / period).rounded(.up))
    let last = Int(((west + period - bounds.low.x) / period).rounded(.down))
    guard first <= last, last - first < 8 else {
      throw GeometryError("an area that extends over too many turns of 360°")
    }
    let copies = (first...last).map { turns in
      let shift = SIMD2(Double(turns) * period, 0)
      return Geometry.polygon(Polygon(VertexList(ring.map { $0 + shift })))
    }
    guard let union = try GeometryEngine.union(copies, workers: Workers(count: 1)) else {
      return nil
    }
    let turn = Envelope(
      xMin: west, yMin: bounds.low.y - 1, xMax: west + period, yMax: bounds.high.y + 1)
    return try GeometryEngine.clip(union, to: turn)
  }
}
