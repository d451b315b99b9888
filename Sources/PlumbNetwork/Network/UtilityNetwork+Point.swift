import PlumbCore
import PlumbGeometry

extension UtilityNetwork {
  /// Returns the location nearest to a point: a junction if one is within the tolerance, otherwise
  /// the nearest point along an edge. At equal distance, the first in element order is returned.
  ///
  /// A device with several terminals is returned without a terminal, which the caller has to choose. The
  /// first call builds an index of all shapes.
  ///
  /// - Parameters:
  ///   - point: x and y in the network's coordinates.
  ///   - tolerance: the maximum distance, in the unit of the coordinates; 0 for the exact point.
  /// - Returns: nil if no element is within the tolerance.
  public func nearest(to point: SIMD2<Double>, tolerance: Double) -> TraceLocation? {
    guard point.x.isFinite, point.y.isFinite, tolerance >= 0, tolerance.isFinite else { return nil }
    let window = Envelope(
      xMin: point.x - tolerance, yMin: point.y - tolerance, xMax: point.x + tolerance,
      yMax: point.y + tolerance)
    typealias Hit = (distance: Double, rank: UInt32, location: TraceLocation)
    var junction: Hit?
    var edge: Hit?
    func consider(_ hit: Hit, _ best: inout Hit?) {
      guard hit.distance <= tolerance else { return }
      if let known = best,
        (known.distance, known.rank) <= (hit.distance, hit.rank)
      {
        return
      }
      best = hit
    }
    for item in pointIndex().items(intersecting: window) {
      let element = NetworkElement(index: UInt32(item))
      let rank = unsafe index.ranks.base[item]
      if let other = self.point(of: element) {
        consider((Planar.distance(other, point), rank, TraceLocation(element)), &junction)
      } else {
        let (distance, fraction) = nearestFraction(vertices(of: element), point)
        consider(
          (distance, rank, TraceLocation(element, fractionAlongEdge: fraction)), &edge)
      }
    }
    return (junction ?? edge)?.location
  }

  /// Returns the connectable element nearest to a point; at equal distance, the first in element
  /// order.
  func nearest(
    to point: SIMD2<Double>, tolerance: Double, leavingOut others: Set<NetworkElement>
  ) -> (NetworkElement, distance: Double)? {
    let window = Envelope(
      xMin: point.x - tolerance, yMin: point.y - tolerance, xMax: point.x + tolerance,
      yMax: point.y + tolerance)
    var best: (distance: Double, rank: UInt32, element: NetworkElement)?
    for item in pointIndex().items(intersecting: window) {
      let element = NetworkElement(index: UInt32(item))
      if others.contains(element) { continue }
      if catalog.sources[typeInfo(item).source].usage.isStructural { continue }
      let distance =
        self.point(of: element).map { Planar.distance($0, point) }
        ?? nearestFraction(vertices(of: element), point).distance
      guard distance <= tolerance else { continue }
      let rank = unsafe index.ranks.base[item]
      if let best, (best.distance, best.rank) <= (distance, rank) { continue }
      best = (distance, rank, element)
    }
    return best.map { ($0.element, $0.distance) }
  }

  /// An element near a point.
  package struct NearElement: Sendable {
    package var element: NetworkElement
    /// The nearest point of the element, in the network's coordinates.
    package var point: SIMD2<Double>
    /// The distance, in the unit of the scaled coordinates.
    package var distance: Double
  }

  /// Returns the element nearest to a point: a device within the tolerance, otherwise another
  /// junction, otherwise an edge. Structures are ignored. At equal distance, the first element in
  /// element order is returned.
  ///
  /// - Parameters:
  ///   - point: x and y in the network's coordinates.
  ///   - scale: the factors by which differences of x and of y are multiplied, so that distances are measured
  ///     on the ground.
  ///   - tolerance: the largest distance, in the unit of the scaled coordinates.
  /// - Returns: nil when no element is within the tolerance.
  package func nearest(
    to point: SIMD2<Double>, scale: SIMD2<Double>, tolerance: Double
  ) -> NearElement? {
    let radius = tolerance / scale
    guard point.x.isFinite, point.y.isFinite, radius.x.isFinite, radius.y.isFinite else {
      return nil
    }
    let window = Envelope(
      xMin: point.x - radius.x, yMin: point.y - radius.y, xMax: point.x + radius.x,
      yMax: point.y + radius.y)
    var best: (class: Int, rank: UInt32, found: NearElement)?
    for (number, item) in pointIndex().items(intersecting: window).enumerated() {
      // The result of cancelled work is never used.
      if number.isMultiple(of: 1024), WorkCancellation.isCurrentCancelled { break }
      let element = NetworkElement(index: UInt32(item))
      let usage = catalog.sources[typeInfo(item).source].usage
      guard !usage.isStructural, usage != .subnetLine else { continue }
      let networkPoint: SIMD2<Double>
      if let junction = self.point(of: element) {
        networkPoint = junction
      } else if let along = nearestPoint(of: vertices(of: element), point, scale) {
        networkPoint = along
      } else {
        continue
      }
      let distance = Planar.distance((networkPoint - point) * scale, .zero)
      guard distance <= tolerance else { continue }
      let kind = isEdge(element) ? 2 : usage == .device ? 0 : 1
      let rank = unsafe index.ranks.base[item]
      if let best, (best.class, best.found.distance, best.rank) <= (kind, distance, rank) {
        continue
      }
      best = (kind, rank, NearElement(element: element, point: networkPoint, distance: distance))
    }
    return best?.found
  }

  /// Returns the point of a line that is nearest to another point; nil for a line without vertices.
  private func nearestPoint(
    of vertices: ArraySlice<SIMD2<Double>>, _ point: SIMD2<Double>, _ scale: SIMD2<Double>
  ) -> SIMD2<Double>? {
    var best: (distance: Double, point: SIMD2<Double>)?
    for (a, b) in zip(vertices, vertices.dropFirst()) {
      let (side, toPoint) = ((b - a) * scale, (point - a) * scale)
      let square = (side * side).sum()
      let share = square > 0 ? min(max((side * toPoint).sum() / square, 0), 1) : 0
      let nearest = a + (b - a) * share
      let distance = Planar.distance((nearest - point) * scale, .zero)
      if distance < best?.distance ?? .infinity { best = (distance, nearest) }
    }
    return best?.point
  }

  private func pointIndex() -> SpatialIndex {
    pointIndexes.withLock { known in
      if let known { return known }
      let made = SpatialIndex(
        (0..<elementCount).map { item in
          let element = NetworkElement(index: UInt32(item))
          if let point = point(of: element) {
            return Envelope(xMin: point.x, yMin: point.y, xMax: point.x, yMax: point.y)
          }
          var (low, high) = (SIMD2(repeating: Double.infinity), SIMD2(repeating: -Double.infinity))
          for vertex in vertices(of: element) {
            low = pointwiseMin(low, vertex)
            high = pointwiseMax(high, vertex)
          }
          return Envelope(xMin: low.x, yMin: low.y, xMax: high.x, yMax: high.y)
        })
      known = made
      return made
    }
  }

  /// Returns the position on an edge that is nearest to a point, as a fraction of the edge's
  /// length, 0…1 from its first vertex; 0 for an edge without a shape and for a junction.
  public func fraction(along edge: NetworkElement, nearestTo point: SIMD2<Double>) -> Double {
    isEdge(edge) ? nearestFraction(vertices(of: edge), point).fraction : 0
  }

  /// Returns the distance from a point to the nearest point of a line, and the position of the
  /// nearest point as a fraction of the line's length.
  private func nearestFraction(
    _ vertices: ArraySlice<SIMD2<Double>>, _ point: SIMD2<Double>
  ) -> (distance: Double, fraction: Double) {
    var (best, along, length) = (Double.infinity, 0.0, 0.0)
    for (a, b) in zip(vertices, vertices.dropFirst()) {
      let size = Planar.distance(a, b)
      let unit = size > 0 ? (b - a) / size : SIMD2(0, 0)
      let position = min(max((unit * (point - a)).sum(), 0), size)
      let distance = Planar.distance(a + unit * position, point)
      if distance < best { (best, along) = (distance, length + position) }
      length += size
    }
    return (best, length > 0 ? min(1, along / length) : 0)
  }

  /// Returns the vertices of a part of an edge, with interpolated vertices at the ends of the part.
  func vertices(
    of element: NetworkElement, in part: ClosedRange<Double>
  ) -> [SIMD2<Double>] {
    let all = vertices(of: element)
    guard let first = all.first, part != 0...1 else { return Array(all) }
    let total = Planar.length(all)
    let (from, to) = (part.lowerBound * total, part.upperBound * total)
    var result: [SIMD2<Double>] = []
    var (before, length) = (first, 0.0)
    func at(_ position: Double, _ a: SIMD2<Double>, _ b: SIMD2<Double>, _ size: Double)
      -> SIMD2<Double>
    {
      let share = size > 0 ? min(1, max(0, (position - length) / size)) : 0
      return a + (b - a) * share
    }
    for vertex in all.dropFirst() {
      let size = Planar.distance(before, vertex)
      if result.isEmpty, from <= length + size { result.append(at(from, before, vertex, size)) }
      if !result.isEmpty {
        if to <= length + size {
          result.append(at(to, before, vertex, size))
          return result
        }
        result.append(vertex)
      }
      (before, length) = (vertex, length + size)
    }
    // Because of rounding errors, the end may be beyond the sum of lengths. In this case, the part
    // ends at the last vertex.
    if result.count < 2 { result.append(before) }
    if result.count < 2 { result.append(before) }
    return result
  }
}
