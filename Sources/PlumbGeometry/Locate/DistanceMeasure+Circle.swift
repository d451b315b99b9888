import PlumbCore

/// Computes the positions, in the CRS's own plane, of points at a distance from a centre.
extension DistanceMeasure {
  /// A part of a plane in which each point of the Earth appears at most once.
  struct Sheet {
    /// The number of times that 360° is added to longitudes, which are first wrapped to within 180°
    /// of the centre. If nil, the coordinates that PROJ returns are used.
    var shifts: Int?
    /// The longitude of the centre, in degrees.
    var longitude: Double
  }

  /// The radius beyond which a circle covers so much of the Earth that all of the Earth is
  /// searched.
  var widestRegion: Double {
    if isGround { return 0.5 * geodesic.semiMinorAxis }
    return planePeriod.map { $0 / 4 } ?? .infinity
  }

  /// The sheets in which part of the circle may be in a box; nil if there are too many.
  ///
  /// - Parameter box: the box as (xMin, yMin, −xMax, −yMax).
  func sheets(round image: SIMD2<Double>, _ box: SIMD4<Double>) -> [Sheet]? {
    guard !SpatialIndex.isEmpty(box) else { return [] }
    let longitude = degrees(ofImage: image).x
    guard longitude.isFinite else { return nil }
    guard let period else {
      return [nil, 0, -1, 1].map { Sheet(shifts: $0, longitude: longitude) }
    }
    let turns = longitude / base.degreesPerUnit
    // A circle extends less than half a period to each side.
    let minimum = ((box.x - turns) / period - 0.5).rounded(.down)
    let maximum = ((-box.z - turns) / period + 0.5).rounded(.up)
    guard maximum - minimum <= 64, minimum.magnitude < 1e9, maximum.magnitude < 1e9 else {
      return nil
    }
    return (Int(minimum)...Int(maximum)).map { Sheet(shifts: $0, longitude: longitude) }
  }

  /// The image at a distance from another image. On the ground, `azimuth` is an azimuth; in a
  /// plane, it is an angle in degrees, counter-clockwise from the x axis.
  func image(
    from image: SIMD2<Double>, azimuth: Double, distance: Double
  ) -> SIMD2<Double> {
    guard isGround else {
      let (sine, cosine) = sineAndCosine(ofDegrees: azimuth)
      return image + SIMD2(cosine, sine) * distance
    }
    guard distance > 0 else { return image }
    return geodesic.direct(from: image, azimuth: azimuth, distance: distance)
  }

  /// The point of a sheet with the given image; NaN if there is none.
  func point(ofImage image: SIMD2<Double>, _ sheet: Sheet) -> SIMD2<Double> {
    guard let shifts = sheet.shifts else { return point(ofImage: image) }
    var degrees = degrees(ofImage: image)
    degrees.x = sheet.longitude + (degrees.x - sheet.longitude).wrappedDegrees
    return base.fromDegreesOrNaN(degrees, shifts: shifts)
  }

  /// Whether a point is at the position to which its longitude and latitude are projected, and not
  /// beyond the edge of the plane's domain.
  func isShownOnce(_ point: SIMD2<Double>, within slack: Double) -> Bool {
    guard !base.isUnprojected else { return true }
    let degrees = base.toDegreesOrNaN(point)
    return !((base.fromDegreesOrNaN(degrees) - point).planarLength > slack)
  }
}
