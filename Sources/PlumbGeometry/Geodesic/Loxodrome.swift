import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The line of constant bearing between two points on an ellipsoid.
///
/// The longitude changes with the isometric latitude ψ, and the distance with the length of the
/// meridian: tan(bearing) = Δλ / Δψ, length = Δmeridian / cos(bearing). Differences of ψ are
/// computed with a single formula, so that lines along a parallel lose no precision. A line to or
/// from a pole is the meridian of the other end, because every longitude is valid at the pole.
struct Loxodrome {
  let length: Double
  private let start: SIMD2<Double>
  private let end: SIMD2<Double>
  private let meridian: Geodesic.Line
  private let meridianLength: Double
  private let kind: Kind

  private enum Kind {
    /// A line along the meridian of this longitude.
    case meridian(Double)
    /// A line along a parallel.
    case parallel
    /// A line so nearly along a parallel that the latitudes differ only in the last digits; `bend` is the
    /// nonlinearity of the longitude along the line.
    case nearParallel(bend: Double)
    /// The difference between the isometric latitudes of the ends.
    case general(Double)
  }

  private let isometric: IsometricLatitude

  /// - Parameter end: the second end; its longitude is within 180° of the longitude of the start.
  init(from start: SIMD2<Double>, to end: SIMD2<Double>, geodesic: Geodesic) {
    self.start = start
    self.end = end
    isometric = IsometricLatitude(geodesic.ellipsoid)
    let isNorthward = end.y > start.y
    meridian = geodesic.line(from: SIMD2(0, start.y), azimuth: isNorthward ? 0 : 180)
    meridianLength = isometric.meridianLength(from: start.y, to: end.y)
    let turn = (end.x - start.x).inRadians
    if start.y.magnitude == 90 || end.y.magnitude == 90 {
      kind = .meridian(start.y.magnitude == 90 && end.y.magnitude < 90 ? end.x : start.x)
      length = start.y == end.y ? 0 : meridianLength
      return
    }
    let radius = isometric.radiusOfParallel(atLatitude: start.y)
    let rise = isometric.difference(from: start.y, to: end.y)
    if turn == 0 {
      kind = .meridian(start.x)
      length = meridianLength
    } else if rise == 0 {
      kind = .parallel
      length = turn.magnitude * radius
    } else {
      length = meridianLength * hypot(turn, rise) / rise.magnitude
      let colatitude = 90 - max(start.y.magnitude, end.y.magnitude)
      if (end.y - start.y).magnitude < 1e-6 * colatitude {
        let slope = sineAndCosine(ofDegrees: start.y).sine / radius
        kind = .nearParallel(
          bend: slope * (isNorthward ? meridianLength : -meridianLength) / 2)
      } else {
        kind = .general(rise)
      }
    }
  }

  /// The point at a fraction of the length, strictly between 0 and 1.
  func point(at fraction: Double) -> SIMD2<Double> {
    let turn = end.x - start.x
    guard length > 0 else { return start }
    if case .parallel = kind { return SIMD2(start.x + turn * fraction, start.y) }
    let low = min(start.y, end.y)
    let high = max(start.y, end.y)
    let y = min(max(meridian.point(at: meridianLength * fraction).point.y, low), high)
    switch kind {
    case .meridian(let x): return SIMD2(x, y)
    case .parallel: return SIMD2(start.x + turn * fraction, start.y)
    case .nearParallel(let bend):
      return SIMD2(start.x + turn * fraction * (1 + bend * fraction) / (1 + bend), y)
    case .general(let rise):
      let part = isometric.difference(from: start.y, to: y) / rise
      return SIMD2(start.x + turn * min(max(part, 0), 1), y)
    }
  }
}

/// Differences of isometric latitudes, and related quantities, on an ellipsoid.
struct IsometricLatitude {
  private let semiMajorAxis: Double
  /// The square of the eccentricity; negative if the polar radius is greater than the equatorial
  /// radius.
  private let squaredEccentricity: Double

  init(_ ellipsoid: SpatialReference.Ellipsoid) {
    semiMajorAxis = ellipsoid.semiMajorAxis
    squaredEccentricity = ellipsoid.flattening * (2 - ellipsoid.flattening)
  }

  /// Returns ψ(b) − ψ(a) for two latitudes in degrees, neither of which is a pole.
  func difference(from a: Double, to b: Double) -> Double {
    let (sineA, cosineA) = sineAndCosine(ofDegrees: a)
    let (sineB, cosineB) = sineAndCosine(ofDegrees: b)
    // Computes sin b − sin a without cancellation.
    let sines =
      2 * sineAndCosine(ofDegrees: (a + b) / 2).cosine
      * sineAndCosine(ofDegrees: (b - a) / 2).sine
    let sphere = asinh(sines / (cosineA * cosineB))
    let e2 = squaredEccentricity
    let e = e2.magnitude.squareRoot()
    let part = sines / (1 - e2 * sineA * sineB)
    return sphere - (e2 < 0 ? -e * atan(e * part) : e * atanh(e * part))
  }

  /// The length in metres of the meridian between two latitudes in degrees, never negative. Unlike
  /// the length of a geodesic, the result has full precision even if the latitudes are nearly
  /// equal.
  func meridianLength(from a: Double, to b: Double) -> Double {
    let panels = max(1, Int(((b - a).magnitude / 20).rounded(.up)))
    let width = (b - a) / Double(panels)
    var sum = 0.0
    for panel in 0..<panels {
      sum += GaussLegendre.sum(from: a + width * Double(panel), width: width) { latitude in
        let sine = sineAndCosine(ofDegrees: latitude).sine
        let root = (1 - squaredEccentricity * sine * sine).squareRoot()
        return 1 / (root * root * root)
      }
    }
    return semiMajorAxis * (1 - squaredEccentricity) * sum.magnitude.inRadians
  }

  /// The radius of a parallel in metres.
  func radiusOfParallel(atLatitude latitude: Double) -> Double {
    let (sine, cosine) = sineAndCosine(ofDegrees: latitude)
    return semiMajorAxis * cosine / (1 - squaredEccentricity * sine * sine).squareRoot()
  }
}
