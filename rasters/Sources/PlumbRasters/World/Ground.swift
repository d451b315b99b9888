#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A place in the plane of the synthetic world: kilometres east and north of 18.5 E, 34 S.
struct Ground {
  var x: Double
  var y: Double

  init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  /// - Parameters:
  ///   - longitude: degrees east.
  ///   - latitude: degrees north.
  init(longitude: Double, latitude: Double) {
    // Kilometres per degree at 34 S.
    x = (longitude - 18.5) * 92.38
    y = (latitude + 34) * 110.92
  }

  func distance(to other: Ground) -> Double {
    ((x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)).squareRoot()
  }

  /// The distance to the segment from `a` to `b` in kilometres, and the position (0 to 1) of the nearest
  /// place along it.
  func distance(from a: Ground, to b: Ground) -> (distance: Double, along: Double) {
    let (dx, dy) = (b.x - a.x, b.y - a.y)
    let t = min(1, max(0, ((x - a.x) * dx + (y - a.y) * dy) / (dx * dx + dy * dy)))
    return (distance(to: Ground(x: a.x + t * dx, y: a.y + t * dy)), t)
  }
}

/// A round object: a town, a dam, an island, a wood.
struct Spot {
  var center: Ground
  /// In kilometres.
  var radius: Double
  var weight: Double

  init(_ longitude: Double, _ latitude: Double, radius: Double, weight: Double = 1) {
    center = Ground(longitude: longitude, latitude: latitude)
    self.radius = radius
    self.weight = weight
  }

  /// `weight` at the centre, with a bell-shaped decrease.
  func strength(at place: Ground) -> Double {
    let t = place.distance(to: center) / radius
    return t > 3 ? 0 : weight * exp(-t * t)
  }
}
