import PlumbCore

extension GeometryEngine {
  /// A copy with fewer vertices, by the Douglas–Peucker algorithm: no removed vertex is farther
  /// than `maxDeviation` from the new edges. Remaining vertices keep z and m. Points and envelopes
  /// are unchanged.
  ///
  /// The resulting rings may touch or cross each other. A ring keeps its first vertex and the
  /// vertex that is farthest from the first vertex.
  ///
  /// - Parameters:
  ///   - geometry: the shape, in its own CRS.
  ///   - maxDeviation: the greatest deviation, in the unit of the CRS; 0 removes only vertices on
  ///     straight lines.
  ///   - removesDegenerateParts: whether lines that collapse to one point and rings that collapse
  ///     to an edge are removed; holes are removed with their exterior ring.
  /// - Throws: for a deviation that is negative or not finite, and for a coordinate that is not
  ///   finite.
  public static func generalize(
    _ geometry: Geometry, maxDeviation: Double, removesDegenerateParts: Bool = false
  ) throws(GeometryError) -> Geometry {
    guard maxDeviation >= 0, maxDeviation.isFinite else {
      throw GeometryError("the greatest deviation must be 0 or more, not \(maxDeviation)")
    }
    try checkFinite(geometry.vertices.xy)
    let vertices = geometry.vertices
    var output = InterpolatedVertices(vertices)
    switch geometry {
    case .point, .multipoint, .envelope: return geometry
    case .polyline(let line):
      var ends: [Int] = []
      for part in line.parts {
        let kept = Simplification(vertices.xy, maxDeviation).kept(ofLine: part)
        let isDegenerate = Set(kept.map { vertices.xy[$0] }).count < 2
        if removesDegenerateParts, isDegenerate { continue }
        kept.forEach { output.append($0) }
        ends.append(output.xy.count)
      }
      return .polyline(
        Polyline(output.vertices, partEnds: ends, spatialReference: line.spatialReference))
    case .polygon(let polygon):
      var ringEnds: [Int] = []
      var partEnds: [Int] = []
      let rings = polygon.rings
      for part in polygon.parts {
        for index in part {
          let kept = Simplification(vertices.xy, maxDeviation).kept(ofRing: rings[index])
          let isDegenerate = Set(kept.map { vertices.xy[$0] }).count < 3
          if removesDegenerateParts, isDegenerate {
            if index == part.lowerBound { break }
            continue
          }
          kept.forEach { output.append($0) }
          ringEnds.append(output.xy.count)
        }
        if ringEnds.count > partEnds.last ?? 0 { partEnds.append(ringEnds.count) }
      }
      return .polygon(
        Polygon(
          output.vertices, ringEnds: ringEnds, partEnds: partEnds,
          spatialReference: polygon.spatialReference))
    }
  }
}

/// The vertices that the Douglas–Peucker algorithm keeps.
private struct Simplification {
  private let xy: [SIMD2<Double>]
  private let maxDeviation: Double

  init(_ xy: [SIMD2<Double>], _ maxDeviation: Double) {
    (self.xy, self.maxDeviation) = (xy, maxDeviation)
  }

  /// The indices to keep, ascending.
  func kept(ofLine range: Range<Int>) -> [Int] {
    guard range.count > 2 else { return Array(range) }
    let last = range.upperBound - 1
    return [range.lowerBound] + between(range.lowerBound, last) + [last]
  }

  func kept(ofRing range: Range<Int>) -> [Int] {
    guard range.count > 4 else { return Array(range) }
    let (first, last) = (range.lowerBound, range.upperBound - 1)
    var far = first
    for index in range
    where (xy[index] - xy[first]).planarLength > (xy[far] - xy[first]).planarLength {
      far = index
    }
    guard far != first else { return [first, last] }
    return [first] + between(first, far) + [far] + between(far, last) + [last]
  }

  /// The vertices to keep between two kept vertices. Uses an explicit stack, because the recursion
  /// depth may equal the number of vertices.
  private func between(_ first: Int, _ last: Int) -> [Int] {
    var result: [Int] = []
    var tasks = [(first, last)]
    while let (a, b) = tasks.popLast() {
      var (far, distance) = (a, -1.0)
      for index in a..<b where index > a {
        let current = offset(xy[index], xy[a], xy[b])
        if current > distance { (far, distance) = (index, current) }
      }
      guard far > a, distance > maxDeviation else { continue }
      result.append(far)
      tasks.append((a, far))
      tasks.append((far, b))
    }
    return result.sorted()
  }

  /// The distance of a point from a straight edge.
  private func offset(
    _ point: SIMD2<Double>, _ a: SIMD2<Double>, _ b: SIMD2<Double>
  ) -> Double {
    let edge = b - a
    let length = edge.planarLength
    let way = point - a
    guard length > 0 else { return way.planarLength }
    let unit = edge / length
    let along = way.x * unit.x + way.y * unit.y
    if along <= 0 { return way.planarLength }
    if along >= length { return (point - b).planarLength }
    return (way.x * unit.y - way.y * unit.x).magnitude
  }
}
