extension DistanceCalculator {
  /// The point at a distance along an azimuth, clockwise from north, on the CRS's ellipsoid; NaN if
  /// a point cannot be transformed.
  ///
  /// - Parameter distance: the distance in metres, even if the measure is planar.
  package func point(
    from point: SIMD2<Double>, azimuth: Double, distance: Double
  ) -> SIMD2<Double> {
    let nowhere = SIMD2<Double>(repeating: .nan)
    guard let start = try? measure.base.toDegrees([point]).first, start.x.isFinite,
      start.y.isFinite
    else { return nowhere }
    let end = measure.geodesic.direct(from: start, azimuth: azimuth, distance: distance)
    guard let result = try? measure.base.fromDegrees(end), result.x.isFinite, result.y.isFinite
    else { return nowhere }
    return result
  }
}
