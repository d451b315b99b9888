import PlumbCore

/// Follows curves on the ellipsoid by straight edges in longitude and latitude, as few as a
/// tolerance allows.
struct BoundaryTracer {
  /// The vertices so far: longitude and latitude in degrees, not yet unwrapped. A vertex within
  /// reach of a pole lies at it.
  private(set) var places: [SIMD2<Double>] = []
  /// Metres that an edge may lie from its curve.
  private let tolerance: Double
  private let metresPerDegree: Double
  /// Degrees from a pole within which a place is taken to be the pole.
  private let poleReach: Double
  private let vertexLimit: Int

  init(ellipsoid: SpatialReference.Ellipsoid, tolerance: Double, vertexLimit: Int) {
    self.tolerance = tolerance
    // The widest degree of all, so that no deviation is taken for less than it is.
    let flattening = ellipsoid.flattening
    let widest =
      ellipsoid.semiMajorAxis / min(1 - flattening, (1 - flattening) * (1 - flattening))
    metresPerDegree = max(widest, ellipsoid.semiMajorAxis) * .pi / 180
    poleReach = min(tolerance / 10, 1e-3) / metresPerDegree
    self.vertexLimit = vertexLimit
  }

  /// Starts anew.
  mutating func removeAll() { places.removeAll(keepingCapacity: true) }

  /// A place on the grid of vertices, at the pole when it is within reach.
  func settled(_ place: SIMD2<Double>) -> SIMD2<Double> {
    var place = DegreePlane.settled(place)
    if place.y.magnitude >= 90 - poleReach { place.y = place.y < 0 ? -90 : 90 }
    return place
  }

  /// - Parameter place: on the grid of vertices.
  mutating func add(_ place: SIMD2<Double>) { places.append(place) }

  /// Adds vertices along a curve: all but its start.
  ///
  /// - Parameters:
  ///   - start: the curve at 0, settled; `end`, at 1.
  ///   - steps: equal parts of the parameter to start with.
  /// - Throws: when there are more vertices than the limit.
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
    if depth == 0 || deviation <= tolerance && turn <= 90 {
      add(end)
    } else if deviation <= 3 * tolerance && turn <= 1 {
      // The halves of a gentle arc lie a quarter as far off.
      add(middle)
      add(end)
    } else {
      try split(from, start, half, middle, depth: depth - 1, curve)
      try split(half, middle, to, end, depth: depth - 1, curve)
    }
    guard places.count <= vertexLimit else {
      throw DegreePlane.tooManyVertices(vertexLimit)
    }
  }

  /// How far the middle of an edge lies from its curve, in metres across the edge, and how many
  /// degrees of longitude the edge spans.
  private func deviation(
    _ start: SIMD2<Double>, _ middle: SIMD2<Double>, _ end: SIMD2<Double>
  ) -> (metres: Double, turn: Double) {
    var (start, middle, end) = (start, middle, end)
    // A pole has the longitude of whatever leads to it.
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
