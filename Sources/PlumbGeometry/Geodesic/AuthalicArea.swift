import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Areas between parallels and meridians on an ellipsoid.
struct AuthalicArea {
  private let squaredPolarAxis: Double
  private let squaredEccentricity: Double

  /// The difference of latitudes in degrees up to which three points per edge are as accurate as ten. The
  /// relative error is then less than (0.5° in radians)⁵ / 10⁶ = 5e-17.
  private static let shortHeight = 0.5

  init(_ ellipsoid: SpatialReference.Ellipsoid) {
    let polar = ellipsoid.semiMajorAxis * (1 - ellipsoid.flattening)
    squaredPolarAxis = polar * polar
    squaredEccentricity = ellipsoid.flattening * (2 - ellipsoid.flattening)
  }

  /// The area of the whole surface in square metres.
  var total: Double { band(from: -90, to: 90) * 2 * .pi }

  /// The area in square metres between two latitudes in degrees over one radian of longitude;
  /// negative if the second latitude is south of the first (Snyder, Map projections, 1987, equation
  /// 3-12).
  func band(from a: Double, to b: Double) -> Double {
    band(from: a, sine: sineAndCosine(ofDegrees: a).sine, by: b - a)
  }

  /// - Parameters:
  ///   - sineA: the sine of the first latitude.
  ///   - difference: the second latitude minus the first one, with a smaller rounding error than a
  ///     subtraction of the two rounded latitudes would have.
  private func band(from a: Double, sine sineA: Double, by difference: Double) -> Double {
    let sineB = sineAndCosine(ofDegrees: a + difference).sine
    // Computes sin b − sin a, and the differences of the other terms, without cancellation.
    let sines =
      2 * sineAndCosine(ofDegrees: a + difference / 2).cosine
      * sineAndCosine(ofDegrees: difference / 2).sine
    let e2 = squaredEccentricity
    let e = e2.magnitude.squareRoot()
    let part = e * sines / (1 - e2 * sineA * sineB)
    let term = e == 0 ? sines : (e2 > 0 ? atanh(part) : atan(part)) / e
    let first =
      sines * (1 + e2 * sineA * sineB) / ((1 - e2 * sineA * sineA) * (1 - e2 * sineB * sineB))
    return squaredPolarAxis / 2 * (first + term)
  }

  /// The area in square metres within a closed ring whose edges are straight in degrees; positive
  /// if the ring is counter-clockwise.
  func area(ofRing points: some Collection<SIMD2<Double>>) -> Double {
    guard let origin = points.first else { return 0 }
    let sine = sineAndCosine(ofDegrees: origin.y).sine
    var sum = 0.0
    for (a, b) in zip(points, points.dropFirst()) {
      let turn = (b.x - a.x).inRadians
      guard turn != 0 else { continue }
      let (start, height) = (a.y - origin.y, b.y - a.y)
      let band = { (share: Double) in
        self.band(from: origin.y, sine: sine, by: start + height * share)
      }
      if height.magnitude <= Self.shortHeight {
        sum -= GaussLegendre.shortSum(band) * turn
        continue
      }
      let panels = max(1, Int((height.magnitude / 20).rounded(.up)))
      let step = 1 / Double(panels)
      var mean = 0.0
      for panel in 0..<panels {
        mean += GaussLegendre.sum(from: Double(panel) * step, width: step, band)
      }
      sum -= mean * turn
    }
    return sum
  }
}
