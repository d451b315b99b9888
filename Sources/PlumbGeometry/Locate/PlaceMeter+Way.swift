extension PlaceMeter {
  /// The place at a distance along an azimuth, clockwise from north, over the ellipsoid of the
  /// reference; NaN where a place has no counterpart.
  ///
  /// - Parameter distance: metres, whatever the measure.
  package func place(
    from place: SIMD2<Double>, azimuth: Double, distance: Double
  ) -> SIMD2<Double> {
    let nowhere = SIMD2<Double>(repeating: .nan)
    guard let start = try? measure.base.toDegrees([place]).first, start.x.isFinite,
      start.y.isFinite
    else { return nowhere }
    let end = measure.geodesic.direct(from: start, azimuth: azimuth, distance: distance)
    guard let result = try? measure.base.fromDegrees(end), result.x.isFinite, result.y.isFinite
    else { return nowhere }
    return result
  }
}
