#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif
import PlumbCore

/// Computes distances between points of a CRS, if the distances are not planar in the coordinates
/// of this CRS. The class is not thread-safe; each worker needs a separate instance.
///
/// Each point has an image, in degrees or in the coordinates of another plane; the distance between
/// two points is computed from their images.
final class DistanceMeasure {
  private enum Kind {
    case ground
    /// A plane. `period` is the shift in x that corresponds to 360° of longitude; nil if the shift
    /// is not constant.
    case plane(Transformation?, period: Double?)
  }

  /// The geographic base of the coordinates' CRS.
  let base: GeographicBase
  let geodesic: Geodesic
  /// The period of x; nil for projected coordinates.
  let period: Double?
  /// The step in coordinates for finite differences.
  private let step: Double
  private let kind: Kind
  /// The last search region, cached because several items are queried around one point.
  var lastRegion: (image: SIMD2<Double>, radius: Double, box: SIMD4<Double>, region: SearchRegion?)?

  init(
    _ reference: SpatialReference, measure: DistanceCalculator.Measure
  ) throws(GeometryError) {
    base = try GeographicBase(reference)
    geodesic = Geodesic(base.ellipsoid)
    period = base.isUnprojected ? 360 / base.degreesPerUnit : nil
    // The step is about 30 m.
    step = base.isUnprojected ? 3e-4 / base.degreesPerUnit : 30 / reference.unit.factor
    switch measure {
    case .ground: kind = .ground
    case .plane(let other):
      let transformation =
        other == reference ? nil : try Transformation(from: reference, to: other)
      kind = .plane(transformation, period: other.planePeriod)
    }
  }

  /// Whether both the coordinates and the images are longitudes and latitudes.
  var isAnalytic: Bool {
    if case .ground = kind { return base.isUnprojected }
    return false
  }

  var isGround: Bool {
    if case .ground = kind { return true }
    return false
  }

  /// The largest distance that may be only a rounding error.
  var smallest: Double { isGround ? 1e-9 : 0 }

  /// Replaces points with their images; a point without an image becomes NaN.
  func turnIntoImages(_ points: UnsafeMutableBufferPointer<SIMD2<Double>>) {
    switch kind {
    case .ground: base.toDegreesOrNaN(points)
    case .plane(let transformation, _):
      guard let transformation else { return }
      for index in points.indices {
        var (x, y) = (points[index].x, points[index].y)
        transformation.apply(x: &x, y: &y, count: 1)
        points[index] = x.isFinite && y.isFinite ? SIMD2(x, y) : SIMD2(repeating: .nan)
      }
    }
  }

  func image(_ point: SIMD2<Double>) -> SIMD2<Double> {
    guard point.x.isFinite, point.y.isFinite else { return SIMD2(repeating: .nan) }
    var point = point
    withUnsafeMutablePointer(to: &point) {
      turnIntoImages(UnsafeMutableBufferPointer(start: $0, count: 1))
    }
    return point
  }

  /// The distance between two points, given by their images; NaN if an image is NaN.
  func distance(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Double {
    switch kind {
    case .ground:
      guard !a.x.isNaN, !b.x.isNaN else { return .nan }
      return geodesic.distance(from: a, to: b)
    case .plane(_, let period): return Self.difference(a, b, period).planarLength
    }
  }

  /// The position of an image in space, in metres from the centre of the Earth; 0 for planar
  /// distances.
  func position(_ image: SIMD2<Double>) -> SIMD3<Double> {
    guard isGround else { return .zero }
    let flattening = geodesic.ellipsoid.flattening
    let eccentricity = flattening * (2 - flattening)
    let (sine, cosine) = sineAndCosine(ofDegrees: image.y)
    let (sineX, cosineX) = sineAndCosine(ofDegrees: image.x)
    let normal =
      geodesic.ellipsoid.semiMajorAxis / (1 - eccentricity * sine * sine).squareRoot()
    return normal
      * SIMD3(cosine * cosineX, cosine * sineX, (1 - eccentricity) * sine)
  }

  /// The straight line from one image to another, through the Earth or in the plane. It is never
  /// longer than the distance.
  ///
  /// - Parameter position: the position of `image`.
  func offset(
    _ other: SIMD2<Double>, from image: SIMD2<Double>, _ position: SIMD3<Double>
  ) -> SIMD3<Double> {
    switch kind {
    case .ground: return self.position(other) - position
    case .plane(_, let period):
      let difference = Self.difference(image, other, period)
      return SIMD3(difference.x, difference.y, 0)
    }
  }

  private static func difference(
    _ a: SIMD2<Double>, _ b: SIMD2<Double>, _ period: Double?
  ) -> SIMD2<Double> {
    var difference = b - a
    if let period { difference.x = difference.x.remainder(dividingBy: period) }
    return difference
  }

  /// The shift in x in the measure's plane that corresponds to 360° of longitude; nil if the shift
  /// is not constant.
  var planePeriod: Double? {
    if case .plane(_, let period) = kind { return period }
    return nil
  }

  /// The point with the given image; NaN if there is none.
  func point(ofImage image: SIMD2<Double>) -> SIMD2<Double> {
    switch kind {
    case .ground: return base.fromDegreesOrNaN(image)
    case .plane(let transformation, _):
      let point = transformation?.inverse(image) ?? image
      return point.x.isFinite && point.y.isFinite ? point : SIMD2(repeating: .nan)
    }
  }

  /// Longitude and latitude of the point with the given image; NaN if there is none.
  func degrees(ofImage image: SIMD2<Double>) -> SIMD2<Double> {
    isGround ? image : base.toDegreesOrNaN(point(ofImage: image))
  }

  /// The metric for small coordinate differences at a point; nil if coordinate differences have no
  /// length at the point.
  func metric(at point: SIMD2<Double>) -> PlaneMetric? {
    if isAnalytic {
      let (east, north) = radii(point.y * base.degreesPerUnit)
      let scale = base.degreesPerUnit.inRadians
      return checked(
        PlaneMetric(
          xx: (east * scale) * (east * scale), xy: 0, yy: (north * scale) * (north * scale))
      )
    }
    var images = SIMD4x2(point, step)
    images.period(self)
    guard let u = tangent(images.west, images.east), let v = tangent(images.south, images.north)
    else { return nil }
    return checked(
      PlaneMetric(xx: (u * u).sum(), xy: (u * v).sum(), yy: (v * v).sum()))
  }

  private func checked(_ metric: PlaneMetric) -> PlaneMetric? {
    let determinant = metric.determinant
    return determinant > 1e-12 * metric.xx * metric.yy && determinant.isFinite ? metric : nil
  }

  /// Four points: one step west, east, south and north of a point.
  private struct SIMD4x2 {
    var west, east, south, north: SIMD2<Double>

    init(_ point: SIMD2<Double>, _ step: Double) {
      (west, east) = (point - SIMD2(step, 0), point + SIMD2(step, 0))
      (south, north) = (point - SIMD2(0, step), point + SIMD2(0, step))
    }

    mutating func period(_ measure: DistanceMeasure) {
      withUnsafeMutableBytes(of: &self) {
        measure.turnIntoImages($0.bindMemory(to: SIMD2<Double>.self))
      }
    }
  }

  /// The lengths, along the two axes of the measure, of one unit of a coordinate.
  private func tangent(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> SIMD2<Double>? {
    var difference: SIMD2<Double>
    switch kind {
    case .plane(_, let period): difference = Self.difference(a, b, period)
    case .ground:
      // Longitudes change too fast for finite differences near a pole.
      guard max(a.y.magnitude, b.y.magnitude) < 89.9 else { return nil }
      let (east, north) = radii((a.y + b.y) / 2)
      difference =
        SIMD2((b.x - a.x).wrappedDegrees.inRadians * east, (b.y - a.y).inRadians * north)
    }
    difference /= 2 * step
    return difference.x.isFinite && difference.y.isFinite ? difference : nil
  }

  /// The lengths in metres of one radian of longitude along the parallel, and of one radian of
  /// latitude along the meridian.
  func radii(_ latitude: Double) -> (east: Double, north: Double) {
    let flattening = geodesic.ellipsoid.flattening
    let eccentricity = flattening * (2 - flattening)
    let (sine, cosine) = sineAndCosine(ofDegrees: latitude)
    let w = 1 - eccentricity * sine * sine
    let normal = geodesic.ellipsoid.semiMajorAxis / w.squareRoot()
    return (normal * cosine, normal * (1 - eccentricity) / w)
  }
}
