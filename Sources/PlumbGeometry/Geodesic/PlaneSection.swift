import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The curve between two points in which a plane intersects an ellipsoid: the great ellipse, whose
/// plane contains the centre, or the normal section, whose plane contains the first end's normal.
///
/// Each of these planes meets the axis at a point K, which is the centre for the great ellipse and
/// the intersection of the normal and the axis for the normal section. The direction from K to a
/// point of the curve rotates from one end to the other, and each direction meets the ellipsoid
/// once. Coordinates in this type are fractions of the equatorial radius, with x in the first end's
/// meridian.
struct PlaneSection {
  private let start: SIMD2<Double>
  private let end: SIMD2<Double>
  private let radius: Double
  /// The polar radius as a fraction of the equatorial radius.
  private let polar: Double
  /// The height of K on the axis.
  private let pivot: Double
  /// The direction from K to the first end, and the perpendicular direction in the plane.
  private let forward: SIMD3<Double>
  private let sideways: SIMD3<Double>
  /// The angle at K in radians.
  private let angle: Double

  /// - Parameters:
  ///   - end: the second end; its longitude is within 180° of the longitude of the start.
  ///   - isNormal: whether the curve is the first end's normal section rather than the great
  ///     ellipse.
  init(
    from start: SIMD2<Double>, to end: SIMD2<Double>, isNormal: Bool,
    ellipsoid: SpatialReference.Ellipsoid
  ) {
    self.start = start
    self.end = end
    radius = ellipsoid.semiMajorAxis
    polar = 1 - ellipsoid.flattening
    let e2 = ellipsoid.flattening * (2 - ellipsoid.flattening)
    func point(_ latitude: Double, _ longitude: Double) -> SIMD3<Double> {
      let (sine, cosine) = sineAndCosine(ofDegrees: latitude)
      let (east, north) = sineAndCosine(ofDegrees: longitude)
      let normal = 1 / (1 - e2 * sine * sine).squareRoot()
      return SIMD3(normal * cosine * north, normal * cosine * east, normal * (1 - e2) * sine)
    }
    let sine = sineAndCosine(ofDegrees: start.y).sine
    pivot = isNormal ? -e2 * sine / (1 - e2 * sine * sine).squareRoot() : 0
    let axis = SIMD3(0, 0, pivot)
    let from = point(start.y, 0) - axis
    let to = point(end.y, end.x - start.x) - axis
    forward = from / from.length
    let there = to / to.length
    var normal = forward.cross(there)
    let isFlat = normal.length == 0
    if isFlat {
      // The ends are in the same or in opposite directions, so that any plane is valid. Use a
      // meridian, which is the shortest path.
      normal = forward.cross(SIMD3(0, 0, 1))
      if normal.length == 0 { normal = SIMD3(0, 1, 0) }
    }
    angle = atan2(isFlat ? 0 : normal.length, forward.dot(there))
    let right = (normal / normal.length).cross(forward)
    sideways = right / right.length
  }

  /// The point where the direction at a fraction of the angle meets the ellipsoid, and the speed at
  /// which this point moves, in equatorial radii per radian.
  private func meeting(at fraction: Double) -> (point: SIMD3<Double>, speed: Double) {
    let (s, c) = (sin(angle * fraction), cos(angle * fraction))
    let direction = forward * c + sideways * s
    let across = sideways * c - forward * s
    let squash = 1 / (polar * polar)
    let a =
      direction.x * direction.x + direction.y * direction.y + squash * direction.z * direction.z
    let b = squash * pivot * direction.z
    let c0 = squash * pivot * pivot - 1
    let root = (b * b - a * c0).squareRoot()
    let rayLength = b > 0 ? -c0 / (b + root) : (root - b) / a
    let point = direction * rayLength + SIMD3(0, 0, pivot)
    let normal = SIMD3(point.x, point.y, point.z * squash)
    let growth = -rayLength * normal.dot(across) / normal.dot(direction)
    return (point, hypot(growth, rayLength))
  }

  /// The point at a fraction of the angle.
  func point(at fraction: Double) -> SIMD2<Double> {
    guard angle > 0 else { return start }
    let point = meeting(at: fraction).point
    let latitude = atan2(
      point.z, polar * polar * hypot(point.x, point.y)
    ).inDegrees
    let turn = end.x - start.x
    var longitude = atan2(point.y, point.x).inDegrees
    // The longitude must be between the longitudes of the ends. If the ends are 180° apart, the
    // sign of the longitude is ambiguous.
    if turn > 0, longitude < turn - 270 { longitude += 360 }
    if turn < 0, longitude > turn + 270 { longitude -= 360 }
    let x =
      if start.y.magnitude == 90 || end.y.magnitude == 90 {
        longitude
      } else {
        min(max(longitude, min(turn, 0)), max(turn, 0))
      }
    return SIMD2(start.x + x, min(max(latitude, -90), 90))
  }

  /// The length in metres from the first end to the point at a fraction of the angle.
  func length(to fraction: Double) -> Double { length(from: 0, to: fraction) }

  private func length(from first: Double, to last: Double) -> Double {
    guard angle > 0, last > first else { return 0 }
    let panels = Int((angle * (last - first) / 0.4).rounded(.up))
    let width = (last - first) / Double(max(panels, 1))
    var sum = 0.0
    for panel in 0..<max(panels, 1) {
      sum += GaussLegendre.sum(from: first + Double(panel) * width, width: width) {
        meeting(at: $0).speed
      }
    }
    return sum * angle * radius
  }

  /// The fraction of the angle for the point at `distance` metres along the curve, whose total
  /// length is `whole` metres.
  func fraction(atLength distance: Double, of whole: Double) -> Double {
    var (low, high) = (0.0, 1.0)
    var guess = distance / whole
    for _ in 0..<60 {
      let miss = length(to: guess) - distance
      if miss.magnitude <= 1e-9 { return guess }
      if miss > 0 { high = guess } else { low = guess }
      let step = guess - miss / (meeting(at: guess).speed * angle * radius)
      let next = step > low && step < high ? step : (low + high) / 2
      if next == guess { return guess }
      guess = next
    }
    return guess
  }
}

extension SIMD3 where Scalar == Double {
  func dot(_ other: SIMD3<Double>) -> Double { (self * other).sum() }

  func cross(_ other: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(
      y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
  }

  var length: Double { dot(self).squareRoot() }
}
