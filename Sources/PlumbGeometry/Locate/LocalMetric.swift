/// A query point and the metric for coordinate differences near it.
struct LocalMetric {
  let point: SIMD2<Double>
  let image: SIMD2<Double>
  /// The metric; nil if coordinate differences have no length at the point.
  let metric: PlaneMetric?

  init(_ point: SIMD2<Double>, _ measure: DistanceMeasure) {
    self.point = point
    image = Self.image(of: point, measure)
    metric = image.x.isNaN ? nil : measure.metric(at: point)
  }

  /// The image of a point; for a point at the edge of a plane's domain, the image of a neighbouring
  /// point.
  private static func image(of point: SIMD2<Double>, _ measure: DistanceMeasure) -> SIMD2<Double> {
    let image = measure.image(point)
    guard image.x.isNaN, !measure.base.isUnprojected else { return image }
    // Rounding may have moved the point beyond the edge.
    for step: SIMD2<Double> in [[1, 0], [-1, 0], [0, 1], [0, -1]] {
      let image = measure.image(point + point * step * 1e-13)
      if !image.x.isNaN { return image }
    }
    return image
  }

  /// Half the width and height of the bounding box of all points within a radius by the metric.
  func halfSides(_ metric: PlaneMetric, radius: Double) -> SIMD2<Double> {
    let determinant = metric.determinant
    return radius
      * SIMD2(
        (metric.yy / determinant).squareRoot(), (metric.xx / determinant).squareRoot())
  }

  /// The greatest relative error of lengths within a radius of this point if they are computed with
  /// this point's metric; infinite if unknown.
  func spread(_ measure: DistanceMeasure, radius: Double) -> Double {
    guard let metric, radius.isFinite else { return .infinity }
    let half = halfSides(metric, radius: radius)
    var spread = 0.0
    if measure.isAnalytic {
      // Towards the poles, a degree of longitude becomes shorter, and a degree of latitude becomes
      // longer.
      let scale = measure.base.degreesPerUnit
      let (south, north) = ((point.y - half.y) * scale, (point.y + half.y) * scale)
      guard south > -89.9999, north < 89.9999 else { return .infinity }
      for latitude in [south, north, max(south, min(0, north))] {
        guard let other = measure.metric(at: SIMD2(point.x, latitude / scale)) else {
          return .infinity
        }
        spread = max(spread, Self.spread(metric, other))
      }
      return spread * 1.01 + 1e-12
    }
    for corner in [SIMD2<Double>(-1, -1), SIMD2(-1, 1), SIMD2(1, -1), SIMD2(1, 1)] {
      guard let other = measure.metric(at: point + corner * half),
        measure.isShownOnce(point + corner * half, within: 0.01 * half.min())
      else { return .infinity }
      spread = max(spread, Self.spread(metric, other))
    }
    // In a smooth projection, the errors at the corners nearly bound the errors between them; the
    // factor is a margin.
    return spread * 1.5 + 1e-6
  }

  /// The greatest relative difference between lengths by two metrics.
  private static func spread(_ metric: PlaneMetric, _ other: PlaneMetric) -> Double {
    let determinant = metric.determinant
    let half =
      (other.xx * metric.yy + other.yy * metric.xx - 2 * other.xy * metric.xy) / determinant / 2
    let root = max(0, half * half - other.determinant / determinant).squareRoot()
    return max((half + root).squareRoot() - 1, 1 - max(0, half - root).squareRoot())
  }
}
