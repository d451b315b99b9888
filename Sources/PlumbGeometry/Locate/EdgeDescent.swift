/// Finds the point of an edge that is nearest to a query point by a measure. The edge is a straight
/// line in its CRS.
struct EdgeDescent {
  private let measure: DistanceMeasure
  private let image: SIMD2<Double>
  private let metric: PlaneMetric
  private let store: RingStore
  /// The relative error of lengths by the metric.
  private let spread: Double

  init(
    _ measure: DistanceMeasure, _ frame: LocalMetric, _ metric: PlaneMetric, _ store: RingStore,
    spread: Double
  ) {
    (self.measure, image, self.metric) = (measure, frame.image, metric)
    (self.store, self.spread) = (store, spread)
  }

  /// The least distance of an edge from the query point, and the nearest point; NaN if the edge
  /// cannot be transformed.
  ///
  /// - Parameter other: only distances below this value matter.
  func minimum(
    _ edge: EdgeApproach, below other: Double = .infinity
  ) -> (distance: Double, nearest: SIMD2<Double>) {
    let start = store.point(edge)
    let distance = measure.distance(image, measure.image(start))
    let (a, b) = (store.vertex(edge.vertex), store.vertex(edge.vertex + 1))
    let length = metric.square(b - a).squareRoot()
    // The nearest point by the quadratic form is off by a fraction of the distance, so the relative
    // error of the distance itself is half the square of this fraction.
    let gain = 4 * spread * spread * distance
    let tolerance = 4e-12 * distance + measure.smallest
    let slip = 4 * spread * distance / length
    guard gain > tolerance || distance.isNaN, distance.isNaN || distance - gain < other,
      length > 0, edge.fraction > -slip || distance.isNaN,
      edge.fraction < 1 + slip || distance.isNaN
    else { return (distance, start) }
    let found =
      parabola(a, b, edge.fraction, length, distance, tolerance)
      ?? LineSearch(measure, image, a, b).minimum(0...1)
    let point = store.point(onEdge: edge.vertex, found)
    let better = measure.distance(image, measure.image(point))
    return better < distance || distance.isNaN ? (better, point) : (distance, start)
  }

  /// The fraction at which the squared distance is least, if the squared distance is nearly a
  /// parabola along the edge; nil otherwise.
  private func parabola(
    _ a: SIMD2<Double>, _ b: SIMD2<Double>, _ start: Double, _ length: Double, _ distance: Double,
    _ tolerance: Double
  ) -> Double? {
    guard distance > 0 else { return nil }
    var fraction = min(max(start, 0), 1)
    var move = 2 * spread * distance
    for _ in 0..<8 {
      let step = max(1e-3 * distance, move) / length
      func square(_ fraction: Double) -> Double {
        let there = measure.distance(image, measure.image(a + (b - a) * fraction))
        return there * there
      }
      let (before, middle, after) = (
        square(fraction - step), square(fraction), square(fraction + step)
      )
      let bend = before - 2 * middle + after
      guard bend > 0, bend.isFinite else { return nil }
      let shift = min(max((before - after) / bend / 2, -3), 3) * step
      let next = min(max(fraction + shift, 0), 1)
      move = (next - fraction).magnitude * length
      fraction = next
      if move * move <= 2 * distance * tolerance * 0.1 { return fraction }
    }
    return fraction
  }
}
