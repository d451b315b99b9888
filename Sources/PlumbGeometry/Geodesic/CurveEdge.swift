import PlumbCore

/// An edge between two points on an ellipsoid along one kind of curve.
///
/// Points are longitude and latitude in degrees. Longitudes are continuous from the first end, so
/// they may be beyond ±180°. The point at fraction 1 has exactly the latitude of the second end,
/// and the longitude of the second end plus as many whole periods as continuity requires.
/// Shape-preserving edges are straight lines in the coordinates of the geometry's CRS and are
/// handled by the caller. In this type, such edges are straight lines in degrees.
struct CurveEdge {
  /// The first end as given.
  let start: SIMD2<Double>
  /// The second end; its longitude is continuous from the longitude of the first end.
  let end: SIMD2<Double>
  /// The length of the curve in metres.
  let length: Double
  let geodesic: Geodesic
  private let path: Path

  private enum Path {
    case geodesic(Geodesic.Line)
    case loxodrome(Loxodrome)
    case plane(PlaneSection)
    case straight
  }

  /// - Precondition: coordinates are finite and latitudes within ±90°; otherwise points are NaN.
  init(
    from start: SIMD2<Double>, to end: SIMD2<Double>, curve: GeodesicCurve, geodesic: Geodesic
  ) {
    self.start = start
    self.geodesic = geodesic
    var end = Self.continuous(end, with: start)
    switch curve {
    case .geodesic:
      let inverse = geodesic.inverse(from: start, to: end)
      let line = geodesic.line(from: start, azimuth: inverse.startAzimuth)
      let arrival = line.unrolledPoint(at: inverse.distance)
      // If the longitudes of the ends differ by 180°, the geodesic may run to the east or to the west. If
      // the second end is a pole, any longitude is correct.
      if end.y.magnitude < 90 {
        let shifts = ((arrival.x - end.x) / 360).rounded()
        if shifts != 0, shifts.isFinite { end.x += 360 * shifts }
      }
      length = inverse.distance
      path = .geodesic(line)
    case .loxodrome:
      let loxodrome = Loxodrome(from: start, to: end, geodesic: geodesic)
      length = loxodrome.length
      path = .loxodrome(loxodrome)
    case .greatElliptic, .normalSection:
      let section = PlaneSection(
        from: start, to: end, isNormal: curve == .normalSection, ellipsoid: geodesic.ellipsoid)
      length = section.length(to: 1)
      path = .plane(section)
    case .shapePreserving:
      length = geodesic.distance(from: start, to: end)
      path = .straight
    }
    self.end = end
  }

  /// `end` with its longitude shifted to within half a period of the longitude of `start`;
  /// unchanged if it is already within half a period.
  private static func continuous(
    _ end: SIMD2<Double>, with start: SIMD2<Double>
  ) -> SIMD2<Double> {
    guard (end.x - start.x).magnitude > 180 else { return end }
    let shifts = ((end.x - start.x) / 360).rounded()
    return SIMD2(end.x - 360 * shifts, end.y)
  }

  /// The point at a fraction of the edge: 0 is exactly the first end, and 1 is exactly the second
  /// end.
  ///
  /// For geodesics and loxodromes, `fraction` is a fraction of the length. For plane sections, it
  /// is a fraction of the angle at the point where the plane meets the axis
  /// (`fraction(atDistance:)` converts).
  func point(at fraction: Double) -> SIMD2<Double> {
    if fraction <= 0 || start == end { return start }
    if fraction >= 1 { return end }
    switch path {
    case .geodesic(let line): return line.unrolledPoint(at: fraction * length)
    case .loxodrome(let loxodrome): return loxodrome.point(at: fraction)
    case .plane(let section): return section.point(at: fraction)
    case .straight: return start + (end - start) * fraction
    }
  }

  /// The fraction of the point at a distance in metres from the first end, clamped to 0...1.
  func fraction(atDistance distance: Double) -> Double {
    guard distance > 0, length > 0 else { return 0 }
    guard distance < length else { return 1 }
    if case .plane(let section) = path { return section.fraction(atLength: distance, of: length) }
    return distance / length
  }

  /// The distance in metres along the edge from the first end to the point at a fraction.
  func distance(atFraction fraction: Double) -> Double {
    let fraction = min(max(fraction, 0), 1)
    if case .plane(let section) = path { return section.length(to: fraction) }
    return fraction * length
  }

  /// The forward azimuth of the edge at a fraction. For plane sections and loxodromes, the azimuth
  /// is computed from points ten metres apart, with an error of about 1e-7 radians at the ends.
  func azimuth(at fraction: Double) -> Double {
    if case .geodesic(let line) = path { return line.point(at: fraction * length).azimuth }
    guard length > 0 else { return 0 }
    let halfStep = min(0.5, 5 / length)
    let before = point(at: max(0, fraction - halfStep))
    return geodesic.inverse(from: before, to: point(at: min(1, fraction + halfStep))).startAzimuth
  }
}
