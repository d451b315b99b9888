import PlumbCore

/// Points round another by a measure, in the reference's own plane.
extension DistanceMeasure {
  /// A part of a plane in which a point of the Earth is shown once.
  struct Sheet {
    /// How many times 360° are added to longitudes near the centre's; nil for what PROJ itself
    /// gives.
    var shifts: Int?
    /// The longitude of the centre, in degrees.
    var longitude: Double
  }

  /// Circles that are wider hold so much of the Earth that all of it may be looked at.
  var widestRegion: Double {
    if isGround { return 0.5 * geodesic.semiMinorAxis }
    return planePeriod.map { $0 / 4 } ?? .infinity
  }

  /// The sheets that may show something of a box; nil when there are too many.
  ///
  /// - Parameter box: as (xMin, yMin, −xMax, −yMax).
  func sheets(round image: SIMD2<Double>, _ box: SIMD4<Double>) -> [Sheet]? {
    guard !SpatialIndex.isEmpty(box) else { return [] }
    let longitude = degrees(ofImage: image).x
    guard longitude.isFinite else { return nil }
    guard let period else {
      return [nil, 0, -1, 1].map { Sheet(shifts: $0, longitude: longitude) }
    }
    let here = longitude / base.degreesPerUnit
    // A circle is less than half a period wide to each side.
    let least = ((box.x - here) / period - 0.5).rounded(.down)
    let most = ((-box.z - here) / period + 0.5).rounded(.up)
    guard most - least <= 64, least.magnitude < 1e9, most.magnitude < 1e9 else { return nil }
    return (Int(least)...Int(most)).map { Sheet(shifts: $0, longitude: longitude) }
  }

  /// The image that is at a distance from another: along an azimuth on the ground, or as many
  /// degrees from the x axis of the measure's plane.
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

  /// The point of a sheet that has an image; NaN where there is none.
  func point(ofImage image: SIMD2<Double>, _ sheet: Sheet) -> SIMD2<Double> {
    guard let shifts = sheet.shifts else { return point(ofImage: image) }
    var degrees = degrees(ofImage: image)
    degrees.x = sheet.longitude + (degrees.x - sheet.longitude).wrappedDegrees
    return base.fromDegreesOrNaN(degrees, shifts: shifts)
  }

  /// Whether a point is where its image says, and not beyond the edge of what the plane shows.
  func isShownOnce(_ point: SIMD2<Double>, within slack: Double) -> Bool {
    guard !base.isUnprojected else { return true }
    let degrees = base.toDegreesOrNaN(point)
    return !((base.fromDegreesOrNaN(degrees) - point).planarLength > slack)
  }
}
