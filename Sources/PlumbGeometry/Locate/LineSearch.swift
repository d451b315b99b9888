/// Finds the minimum distance between a point and a part of an edge. The distance must have a single minimum
/// in this part. The search evaluates only distances, not derivatives.
struct LineSearch {
  private let measure: DistanceMeasure
  private let image: SIMD2<Double>
  private let a: SIMD2<Double>
  private let b: SIMD2<Double>

  init(
    _ measure: DistanceMeasure, _ image: SIMD2<Double>, _ a: SIMD2<Double>, _ b: SIMD2<Double>
  ) {
    (self.measure, self.image, self.a, self.b) = (measure, image, a, b)
  }

  func point(_ fraction: Double) -> SIMD2<Double> {
    if fraction <= 0 { return a }
    if fraction >= 1 { return b }
    return a + (b - a) * fraction
  }

  /// The distance at a fraction of the edge; infinite if the point cannot be transformed.
  func distance(_ fraction: Double) -> Double {
    let distance = measure.distance(image, measure.image(point(fraction)))
    return distance.isNaN ? .infinity : distance
  }

  /// The fraction at which the distance is least, by golden-section search.
  func minimum(_ range: ClosedRange<Double>) -> Double {
    let ratio = 0.5 * (5.0.squareRoot() - 1)
    var (low, high) = (range.lowerBound, range.upperBound)
    var left = high - ratio * (high - low)
    var right = low + ratio * (high - low)
    var (atLeft, atRight) = (distance(left), distance(right))
    for _ in 0..<60 where high - low > 1e-16 + 1e-7 * (range.upperBound - range.lowerBound) {
      if atLeft <= atRight {
        (high, right, atRight) = (right, left, atLeft)
        left = high - ratio * (high - low)
        atLeft = distance(left)
      } else {
        (low, left, atLeft) = (left, right, atRight)
        right = low + ratio * (high - low)
        atRight = distance(right)
      }
    }
    return [range.lowerBound, left, right, range.upperBound].min {
      distance($0) < distance($1)
    } ?? left
  }
}
