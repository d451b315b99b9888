import PlumbCore

/// Approximates curves on the ellipsoid by straight edges in longitude and latitude, with as few
/// edges as a tolerance allows.
struct BoundaryTracer {
  /// The traced vertices: longitude and latitude in degrees, not yet unwrapped. A vertex within
  /// `poleRadius` of a pole is moved to the pole.
  private(set) var points: [SIMD2<Double>] = []
  /// The greatest distance in metres of an edge from its curve.
  private let tolerance: Double
  private let metresPerDegree: Double
  /// The distance from a pole, in degrees, within which a point is treated as the pole.
  private let poleRadius: Double
  private let vertexLimit: Int

  init(ellipsoid: SpatialReference.Ellipsoid, tolerance: Double, vertexLimit: Int) {
    self.tolerance = tolerance
    // The length of the longest degree, so that no deviation is underestimated.
    let flattening = ellipsoid.flattening
    let widest =
      ellipsoid.semiMajorAxis / min(1 - flattening, (1 - flattening) * (1 - flattening))
    metresPerDegree = max(widest, ellipsoid.semiMajorAxis) * .pi / 180
    poleRadius = min(tolerance / 10, 1e-3) / metresPerDegree
    self.vertexLimit = vertexLimit
  }

  /// Removes all vertices.
  mutating func removeAll() { points.removeAll(keepingCapacity: true) }

  /// The nearest point on the grid of vertices, or the pole if the point is within `poleRadius` of
  /// the pole.
  func settled(_ point: SIMD2<Double>) -> SIMD2<Double> {
    var point = DegreePlane.settled(point)
    if point.y.magnitude >= 90 - poleRadius { point.y = point.y < 0 ? -90 : 90 }
    return point
  }

  /// - Parameter point: a point on the grid of vertices.
  mutating func add(_ point: SIMD2<Double>) { points.append(point) }

  /// Adds vertices along a curve, except its start.
  ///
  /// - Parameters:
  ///   - start: the point of the curve at parameter 0, on the grid of vertices; `end` is the point
  ///     at parameter 1.
  ///   - steps: the number of equal intervals into which the parameter's range is divided first.
  /// - Throws: if there are more vertices than the limit.
  mutating func follow(
    from start: SIMD2<Double>, to end: SIMD2<Double>, steps: Int,
    _ curve: (Double) -> SIMD2<Double>
  ) throws(GeometryError) {
    var last = start
    for step in 0..<max(1, steps) {
      let (from, to) = (Double(step) / Double(steps), Double(step + 1) / Double(steps))
      let next = step == steps - 1 ? end : settled(curve(to))
      try split(from, last, to, next, depth: 48, curve)
      last = next
    }
  }

  private mutating func split(
    _ from: Double, _ start: SIMD2<Double>, _ to: Double, _ end: SIMD2<Double>, depth: Int,
    _ curve: (Double) -> SIMD2<Double>
  ) throws(GeometryError) {
    let half = (from + to) / 2
    let middle = settled(curve(half))
    let (deviation, turn) = deviation(start, middle, end)
    if depth == 0 {
      add(end)
    } else if deviation <= tolerance && turn <= 90, isNear(from, start, to, end, curve) {
      add(end)
    } else if deviation <= 3 * tolerance && turn <= 1, isGentle(start, end) {
      // The deviation of each half of a gentle arc is a quarter of the deviation of the whole arc.
      add(middle)
      add(end)
    } else {
      try split(from, start, half, middle, depth: depth - 1, curve)
      try split(half, middle, to, end, depth: depth - 1, curve)
    }
    guard points.count <= vertexLimit else {
      throw DegreePlane.tooManyVertices(vertexLimit)
    }
    if WorkCancellation.isCurrentCancelled { throw .cancelled }
  }

  /// Whether an edge that is near its curve in the middle is also near the curve at one quarter and
  /// three quarters of its length. A curve that bends in one direction and then in the other, for
  /// example across the equator, may cross its edge in the middle.
  private func isNear(
    _ from: Double, _ start: SIMD2<Double>, _ to: Double, _ end: SIMD2<Double>,
    _ curve: (Double) -> SIMD2<Double>
  ) -> Bool {
    if isGentle(start, end) { return true }
    return [0.25, 0.75].allSatisfy { share in
      let point = settled(curve(from + (to - from) * share))
      return deviation(start, point, end).metres <= tolerance
    }
  }

  /// Whether an edge is so short that the curvature of its curve is nearly constant.
  private func isGentle(_ start: SIMD2<Double>, _ end: SIMD2<Double>) -> Bool {
    let scale = DegreePlane.cosine(
      ofDegrees: min(max(start.y.magnitude, end.y.magnitude), 90 - poleRadius))
    let x = DegreePlane.shorter(end.x - start.x) * scale
    let length = (x * x + (end.y - start.y) * (end.y - start.y)).squareRoot() * .pi / 180
    // Curvature changes by about 1/R² per metre, and by more towards the poles. The deviation of a
    // cubic arc is 1/125 of this change times the cube of the arc's length.
    let change = length * length * length * metresPerDegree * (180 / .pi) / 125
    return change <= tolerance * 0.05 * scale * scale
  }

  /// Returns the distance in metres of a point of the curve from its edge, measured perpendicular
  /// to the edge, and the degrees of longitude that the edge spans.
  private func deviation(
    _ start: SIMD2<Double>, _ middle: SIMD2<Double>, _ end: SIMD2<Double>
  ) -> (metres: Double, turn: Double) {
    var (start, middle, end) = (start, middle, end)
    // A pole takes the longitude of the adjacent vertex.
    if DegreePlane.isPole(start) { start.x = DegreePlane.isPole(end) ? middle.x : end.x }
    if DegreePlane.isPole(end) { end.x = start.x }
    let along = SIMD2(DegreePlane.shorter(end.x - start.x), end.y - start.y)
    let center = start + along / 2
    if DegreePlane.isPole(middle) { middle.x = center.x }
    let away = SIMD2(DegreePlane.shorter(middle.x - center.x), middle.y - center.y)
    let scale = SIMD2(DegreePlane.cosine(ofDegrees: center.y), 1)
    let (a, b) = (along * scale, away * scale)
    let length = (a * a).sum().squareRoot()
    let across =
      length > 0 ? (a.x * b.y - a.y * b.x).magnitude / length : (b * b).sum().squareRoot()
    return (across * metresPerDegree, along.x.magnitude)
  }
}
