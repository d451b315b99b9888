/// Computes lengths of coordinate differences by a quadratic form, which is treated as constant in a small
/// region.
struct PlaneMetric {
  var xx: Double
  var xy: Double
  var yy: Double
  /// The factor that is applied to differences before they are squared.
  var scale = 1.0

  /// The metric for lengths in the unit of the coordinates.
  static let plain = PlaneMetric(xx: 1, xy: 0, yy: 1)

  /// The metric for lengths in the unit of the coordinates, scaled so that the squares of
  /// coordinates up to a magnitude do not overflow.
  static func plain(upTo magnitude: Double) -> PlaneMetric {
    magnitude > 1e140 ? PlaneMetric(xx: 1, xy: 0, yy: 1, scale: 0x1p-550) : .plain
  }

  var determinant: Double { xx * yy - xy * xy }

  @inline(__always)
  func product(_ u: SIMD2<Double>, _ v: SIMD2<Double>) -> Double {
    xx * (u.x * v.x) + xy * (u.x * v.y + u.y * v.x) + yy * (u.y * v.y)
  }

  /// The square of a length, times the square of the scale.
  @inline(__always)
  func square(_ u: SIMD2<Double>) -> Double {
    let u = u * scale
    return product(u, u)
  }

  /// A lower bound of the square of the distance from a point to a box.
  @inline(__always)
  func minimumSquare(
    from point: SIMD2<Double>, toBox low: SIMD2<Double>, _ high: SIMD2<Double>
  ) -> Double {
    let zero = SIMD2<Double>(0, 0)
    let gap = pointwiseMax(pointwiseMax(low - point, point - high), zero) * scale
    if xy == 0 { return xx * (gap.x * gap.x) + yy * (gap.y * gap.y) }
    // The box is beyond two lines, one parallel to each axis. The distance to the box is at least
    // the distance to each line.
    return max(
      (xx - xy * xy / yy) * (gap.x * gap.x), (yy - xy * xy / xx) * (gap.y * gap.y))
  }

  /// The point of an edge that is nearest to a point.
  @inline(__always)
  func approach(
    _ a: SIMD2<Double>, _ b: SIMD2<Double>, to point: SIMD2<Double>
  ) -> (fraction: Double, square: Double) {
    let (edge, way) = ((b - a) * scale, (point - a) * scale)
    let length = product(edge, edge)
    guard length > 0 else { return (0, product(way, way)) }
    let fraction = product(way, edge) / length
    if fraction > 0, fraction < 1 {
      let cross = way.x * edge.y - way.y * edge.x
      return (fraction, determinant * cross * (cross / length))
    }
    return (fraction, square(point - (fraction >= 1 ? b : a)))
  }
}
