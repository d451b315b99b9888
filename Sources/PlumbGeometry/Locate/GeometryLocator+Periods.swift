import PlumbCore

extension GeometryLocator {
  /// The largest extent, in periods, for which all images of a point are tried. Data with a larger
  /// extent has mostly wrong coordinates, and only one period to each side is tried.
  private static let maximumShifts = 64.0

  /// Calls `body` with a point, and with the images of the point (shifted by whole periods) that
  /// may be within the search radius of a geometry.
  @inline(__always)
  func forEachImage(
    of point: SIMD2<Double>, searchRadius: Double, _ body: (_ point: SIMD2<Double>) -> Void
  ) {
    body(point)
    forEachOtherImage(of: point, searchRadius: searchRadius, period, body)
  }

  /// Calls `body` with the images of a point, which are shifted by whole periods.
  func forEachOtherImage(
    of point: SIMD2<Double>, searchRadius: Double, _ period: Double?,
    _ body: (_ point: SIMD2<Double>) -> Void
  ) {
    guard let period, point.x.isFinite, !SpatialIndex.isEmpty(box) else { return }
    let shifts = (-box.z - box.x) / period
    var (minimum, maximum) = (-1.0, 1.0)
    if shifts <= Self.maximumShifts {
      // A point that is more than half a period to one side of all geometries is nearer to them
      // after a shift by one period.
      let slack = min(searchRadius / period, 0.5) + 1e-6
      minimum = ((box.x - point.x) / period - slack).rounded(.up)
      maximum = ((-box.z - point.x) / period + slack).rounded(.down)
      guard minimum.magnitude < 1e9, maximum.magnitude < 1e9 else { return }
    }
    var shift = minimum
    while shift <= maximum {
      if shift != 0 { body(SIMD2(point.x + shift * period, point.y)) }
      shift += 1
    }
  }

  /// The x coordinate of a point, followed by the x coordinates of all images of the point that a locator
  /// created later may find; nil if the images are unknown or too many.
  ///
  /// - Parameter extent: the extent of all geometries; nil if unknown. The extent may be outdated,
  ///   so the periods next to 0 are always included.
  package static func images(of x: Double, period: Double, extent: Envelope?) -> [Double]? {
    guard x.isFinite, period > 0, let extent, (x / period).magnitude < 1e9 else { return nil }
    var (low, high) = (-1.5 * period, 1.5 * period)
    if !extent.isEmpty { (low, high) = (min(low, extent.xMin), max(high, extent.xMax)) }
    let slack = 1e-6
    let minimum = ((low - x) / period - slack).rounded(.up)
    let maximum = ((high - x) / period + slack).rounded(.down)
    // The condition is false for NaN.
    guard maximum - minimum <= maximumShifts else { return nil }
    var points = [x]
    var shift = minimum
    while shift <= maximum {
      if shift != 0 { points.append(x + shift * period) }
      shift += 1
    }
    return points
  }
}
