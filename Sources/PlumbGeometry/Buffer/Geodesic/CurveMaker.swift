import PlumbCore

/// Creates the curves between the vertices of a geometry.
struct CurveMaker {
  let geodesic: Geodesic
  let kind: GeodesicCurve
  let base: GeographicBase
  /// The vertices in the geometry's CRS.
  let points: [SIMD2<Double>]

  /// A curve between two vertices.
  struct Curve {
    /// The number of equal parts with which the approximation of the curve begins.
    var steps: Int
    /// A function that returns the longitude and latitude in degrees at a fraction from 0 to 1.
    var point: (Double) -> SIMD2<Double>
  }

  /// - Parameter degrees: the longitudes and latitudes of all vertices.
  func curve(from start: Int, to end: Int, _ degrees: [SIMD2<Double>]) -> Curve {
    let (a, b) = (degrees[start], degrees[end])
    guard kind == .shapePreserving else {
      let edge = CurveEdge(from: a, to: b, curve: kind, geodesic: geodesic)
      return Curve(steps: edge.pieceCount(maxSegmentLength: 2_000_000)) { edge.point(at: $0) }
    }
    let (from, to) = (points[start], points[end])
    let base = self.base
    let span = max((b.x - a.x).magnitude, (b.y - a.y).magnitude)
    return Curve(steps: 1 + Int(min(span, 3600) / 30)) { share in
      let point = from + (to - from) * share
      return (try? base.toDegrees([point]).first) ?? SIMD2(.nan, .nan)
    }
  }

  /// The vertices of a part, with vertices inserted so that the geodesics between neighbouring
  /// vertices are within a tolerance of the curves.
  ///
  /// - Parameter limit: the maximum number of vertices.
  func path(
    _ range: Range<Int>, _ degrees: [SIMD2<Double>], tolerance: Double, limit: Int
  ) throws(GeometryError) -> [SIMD2<Double>] {
    guard kind != .geodesic, range.count > 1 else { return Array(degrees[range]) }
    var splitter = CurveSplitter(geodesic: geodesic, tolerance: tolerance, limit: limit)
    splitter.points = [degrees[range.lowerBound]]
    for index in range.dropLast() {
      if kind == .shapePreserving {
        try splitter.follow(curve(from: index, to: index + 1, degrees), to: degrees[index + 1])
      } else {
        let edge = CurveEdge(
          from: degrees[index], to: degrees[index + 1], curve: kind, geodesic: geodesic)
        splitter.points += edge.points(maxDeviation: tolerance).dropFirst().dropLast()
        splitter.points.append(degrees[index + 1])
      }
      try splitter.check()
    }
    return splitter.points.map(DegreePlane.normal)
  }
}

/// Approximates an edge, which is a straight line in the geometry's CRS, by geodesic edges.
private struct CurveSplitter {
  let geodesic: Geodesic
  let tolerance: Double
  let limit: Int
  var points: [SIMD2<Double>] = []

  mutating func follow(
    _ curve: CurveMaker.Curve, to end: SIMD2<Double>
  ) throws(GeometryError) {
    guard var last = points.last else { return }
    let steps = Double(curve.steps)
    for step in 0..<curve.steps {
      let (from, to) = (Double(step) / steps, Double(step + 1) / steps)
      let next = step == curve.steps - 1 ? end : curve.point(to)
      try split(curve, from, last, to, next, depth: 40)
      last = next
    }
  }

  private mutating func split(
    _ curve: CurveMaker.Curve, _ from: Double, _ start: SIMD2<Double>, _ to: Double,
    _ end: SIMD2<Double>, depth: Int
  ) throws(GeometryError) {
    let half = (from + to) / 2
    let middle = curve.point(half)
    let way = geodesic.inverse(from: start, to: end)
    var isOff = try self.isOff(middle, way, from: start)
    // The quarter points are tested too, because a curve may cross the geodesic in the middle.
    for share in [(from + half) / 2, (half + to) / 2] where !isOff {
      isOff = try self.isOff(curve.point(share), way, from: start)
    }
    if depth > 0, isOff, way.distance > tolerance / 10 {
      try split(curve, from, start, half, middle, depth: depth - 1)
      try split(curve, half, middle, to, end, depth: depth - 1)
    } else {
      points.append(end)
    }
    try check()
  }

  /// Whether a point of the curve is to the side of the geodesic, before its start or beyond its end.
  private func isOff(
    _ point: SIMD2<Double>, _ way: Geodesic.Inverse, from start: SIMD2<Double>
  ) throws(GeometryError) -> Bool {
    guard point.x.isFinite, point.y.isFinite else {
      throw GeometryError("an edge leaves the valid area of the CRS")
    }
    let part = geodesic.inverse(from: start, to: point)
    let angle = DegreePlane.shorter(part.startAzimuth - way.startAzimuth)
    let across = part.distance * sineAndCosine(ofDegrees: angle).sine.magnitude
    return across > tolerance || angle.magnitude > 90 && part.distance > tolerance
  }

  func check() throws(GeometryError) {
    guard points.count <= limit else { throw DegreePlane.tooManyVertices(limit) }
  }
}
