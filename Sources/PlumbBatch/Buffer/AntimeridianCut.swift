import PlumbCore
import PlumbGeometry

/// Cuts areas in degrees whose edges cross ±180°.
struct AntimeridianCut {
  private let reference: SpatialReference
  /// The width of a full circle of longitude, 360°, in the CRS's unit.
  private let period: Double

  /// - Parameter reference: a geographic CRS.
  package init(_ reference: SpatialReference) {
    self.reference = reference
    period = 2 * .pi / reference.unit.factor
  }

  /// Cuts an area along ±180° and returns the parts on both sides.
  ///
  /// Each edge is assumed to take the shorter direction around the globe.
  /// - Returns: nil if the area cannot be cut, because it surrounds a pole, or because an edge or a
  ///   ring is so long that its direction is ambiguous.
  package func areas(_ area: Polygon) throws(GeometryError) -> Polygon? {
    let rings = area.rings
    var pieces = Pieces()
    for part in area.parts where !part.isEmpty {
      var xy: [SIMD2<Double>] = []
      var ends: [Int] = []
      var outer: (west: Double, east: Double)?
      for index in part {
        guard var ring = unrolled(area.vertices.xy[rings[index]]) else { return nil }
        let (west, east) = Self.span(ring)
        if let outer {
          guard let shift = shift(west, east, into: outer) else { return nil }
          for vertex in ring.indices { ring[vertex].x += shift }
        } else {
          guard east - west < period else { return nil }
          outer = (west, east)
        }
        xy += ring
        ends.append(xy.count)
      }
      guard let outer else { continue }
      try cut(Polygon(VertexList(xy), ringEnds: ends), outer, &pieces)
    }
    return Polygon(
      VertexList(pieces.xy), ringEnds: pieces.ringEnds, partEnds: pieces.partEnds,
      spatialReference: reference)
  }

  /// Returns the ring with longitudes that continue beyond ±180° instead of jumping; nil if the
  /// resulting ring does not close, or if an edge is too long.
  private func unrolled(_ ring: ArraySlice<SIMD2<Double>>) -> [SIMD2<Double>]? {
    var result: [SIMD2<Double>] = []
    result.reserveCapacity(ring.count)
    for point in ring {
      guard let last = result.last else {
        result.append(point)
        continue
      }
      let step = (point.x - last.x).remainder(dividingBy: period)
      // The direction of an edge that spans about half a period is ambiguous.
      guard step.magnitude < 0.45 * period else { return nil }
      result.append(SIMD2(last.x + step, point.y))
    }
    guard let first = result.first, let last = result.last,
      (last.x - first.x).magnitude < 0.5 * period
    else { return nil }
    result[result.count - 1] = first
    return result
  }

  private static func span(_ ring: [SIMD2<Double>]) -> (west: Double, east: Double) {
    ring.reduce((.infinity, -.infinity)) { (min($0.0, $1.x), max($0.1, $1.x)) }
  }

  /// Returns the shift, in whole periods, that moves a hole into its exterior ring; nil if no shift
  /// or more than one shift does so.
  private func shift(
    _ west: Double, _ east: Double, into outer: (west: Double, east: Double)
  ) -> Double? {
    let tolerance = 1e-9 * period
    let fitting = [-2.0, -1, 0, 1, 2].map { $0 * period }.filter {
      west + $0 >= outer.west - tolerance && east + $0 <= outer.east + tolerance
    }
    return fitting.count == 1 ? fitting[0] : nil
  }

  /// Cuts a part along ±180°, and adds the pieces, shifted to longitudes from -180° to 180°.
  private func cut(
    _ part: Polygon, _ span: (west: Double, east: Double), _ pieces: inout Pieces
  ) throws(GeometryError) {
    let half = period / 2
    let first = ((span.west + half) / period).rounded(.down)
    let last = ((span.east + half) / period).rounded(.up)
    guard let (low, high) = part.vertices.bounds() else { return }
    for world in stride(from: first, to: last, by: 1) {
      let window = Envelope(
        xMin: world * period - half, yMin: low.y, xMax: world * period + half, yMax: high.y)
      let piece = try GeometryEngine.clip(.polygon(part), to: window)
      guard case .polygon(let piece)? = piece else { continue }
      pieces.add(piece, shift: -world * period)
    }
  }

  /// The areas collected so far.
  private struct Pieces {
    var xy: [SIMD2<Double>] = []
    var ringEnds: [Int] = []
    var partEnds: [Int] = []

    mutating func add(_ area: Polygon, shift: Double) {
      let (vertices, rings) = (xy.count, ringEnds.count)
      xy += area.vertices.xy.map { SIMD2($0.x + shift, $0.y) }
      ringEnds += area.ringEnds.map { $0 + vertices }
      partEnds += area.partEnds.map { $0 + rings }
    }
  }
}
