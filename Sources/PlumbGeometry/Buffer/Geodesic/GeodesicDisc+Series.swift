import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The boundary of a small disc as a Fourier series in the azimuth.
///
/// The coordinates of the boundary, in degrees or in a projected CRS, are smooth periodic functions
/// of the azimuth from the centre. In degrees, their harmonics decrease like powers of radius /
/// (distance to the pole). A dozen geodesics determine the series to a micrometre. Each vertex is
/// then the value of a short polynomial instead of a geodesic.
struct DiscSeries {
  /// The amplitudes of each harmonic k, as (a, −b, c, −d): x relative to the centre is the sum of
  /// a cos kθ + b sin kθ, and y is the sum of c cos kθ + d sin kθ.
  private let harmonics: [SIMD4<Double>]
  private let center: SIMD2<Double>

  /// The boundary in degrees. Returns nil if the series would be too long or is not accurate enough,
  /// or if ±180° is near.
  ///
  /// - Parameter error: the allowed error of a vertex in metres.
  init?(_ disc: GeodesicDisc, error: Double) {
    guard let order = Self.order(disc, error: error) else { return nil }
    let metresPerDegree = disc.geodesic.semiMinorAxis * .pi / 180
    self.init(order, around: disc.center, nodes: Self.azimuths(order).map(disc.point(at:)))
    // Check the series between the nodes, where it is least accurate.
    let between = 180 / Double(2 * order)
    let off = point(at: between) - disc.point(at: between)
    guard max(off.x.magnitude, off.y.magnitude) * metresPerDegree * 2 <= error else { return nil }
  }

  /// The boundary in a projected CRS. Returns nil if the series would be too long or is not accurate
  /// enough, or if ±180° is near.
  ///
  /// - Parameters:
  ///   - error: the allowed error of a vertex in metres.
  ///   - metresPerUnit: the length of a unit of the CRS in metres.
  ///   - placed: a function that transforms points from degrees to the CRS.
  init?(
    _ disc: GeodesicDisc, error: Double, metresPerUnit: Double,
    placed: ([SIMD2<Double>]) throws(GeometryError) -> [SIMD2<Double>]
  ) throws(GeometryError) {
    // The harmonics decrease more slowly than in degrees.
    guard let order = Self.order(disc, error: error).map({ $0 + 2 }) else { return nil }
    let azimuths = Self.azimuths(order)
    let between = azimuths.map { $0 + 180 / Double(2 * order) }
    let points = try placed([disc.center] + (azimuths + between).map(disc.point(at:)))
    guard points.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else { return nil }
    self.init(order, around: points[0], nodes: Array(points[1...azimuths.count]))
    for (azimuth, expected) in zip(between, points.dropFirst(1 + azimuths.count)) {
      let off = point(at: azimuth) - expected
      guard max(off.x.magnitude, off.y.magnitude) * metresPerUnit <= error else { return nil }
    }
    // A projection that is not smooth near the disc results in a long series.
    for harmonic in harmonics.suffix(2) {
      guard (harmonic * harmonic).sum().squareRoot() * metresPerUnit <= error else { return nil }
    }
  }

  /// The number of harmonics of the boundary in degrees; nil if too many are needed, or if ±180° is
  /// near.
  private static func order(_ disc: GeodesicDisc, error: Double) -> Int? {
    let polar = 90 - disc.center.y.magnitude
    let metresPerDegree = disc.geodesic.semiMinorAxis * .pi / 180
    // The ratio by which the harmonics decrease, and the number of harmonics needed.
    let ratio = disc.radius / metresPerDegree / max(polar, 1e-9) * 1.2
    guard ratio < 0.1, disc.center.x.magnitude + 2 * ratio * 90 < 180, disc.radius > 0 else {
      return nil
    }
    let needed = log(error / disc.radius) / log(ratio)
    let order = Int(min(max(needed.rounded(.up), 3), 33)) + 1
    return order <= 16 ? order : nil
  }

  /// The azimuths of the points from which a series is computed, in degrees.
  private static func azimuths(_ order: Int) -> [Double] {
    (0..<2 * order).map { 180 * Double($0) / Double(order) }
  }

  /// - Parameter nodes: the points at `azimuths(order)`.
  private init(_ order: Int, around center: SIMD2<Double>, nodes: [SIMD2<Double>]) {
    self.center = center
    let count = nodes.count
    let roots = (0..<count).map { sineAndCosine(ofDegrees: 360 * Double($0) / Double(count)) }
    harmonics = (0...order).map { harmonic in
      var sum = SIMD4<Double>.zero
      for (index, point) in nodes.enumerated() {
        let node = point - center
        let root = roots[index * harmonic % count]
        sum += SIMD4(
          node.x * root.cosine, -node.x * root.sine, node.y * root.cosine, -node.y * root.sine)
      }
      return sum * ((harmonic == 0 || harmonic == order ? 1.0 : 2.0) / Double(count))
    }
  }

  /// The least and the greatest semi-axis of the ellipse of the first harmonic.
  var semiAxes: (least: Double, greatest: Double) {
    let first = harmonics[1]
    let sum = (first * first).sum()
    let determinant = first.x * first.w - first.y * first.z
    let difference = max(0, sum * sum - 4 * determinant * determinant).squareRoot()
    return ((max(0, sum - difference) / 2).squareRoot(), ((sum + difference) / 2).squareRoot())
  }

  /// An upper bound on the length of the second derivative with respect to the azimuth in radians.
  private var bend: Double {
    var bend = semiAxes.greatest
    for (index, harmonic) in harmonics.enumerated().dropFirst(2) {
      bend += Double(index * index) * (harmonic * harmonic).sum().squareRoot()
    }
    return bend
  }

  /// The number of equal steps for which each edge is within a tolerance of the boundary. The
  /// distance of a chord from the curve is at most the second derivative times the squared step / 8.
  ///
  /// The number is a power of 1.02, rounded up, so that discs of similar sizes have the same
  /// directions.
  func steps(within tolerance: Double) -> Double {
    let least = 2 * .pi * (bend / (8 * tolerance)).squareRoot()
    return pow(1.02, (log(least) / log(1.02)).rounded(.up)).rounded(.up)
  }

  /// The closed boundary, clockwise in degrees, with the given number of vertices.
  func ring(_ count: Int, _ compass: Compass) -> [SIMD2<Double>] {
    let directions = compass.directions(count)
    return [SIMD2<Double>](unsafeUninitializedCapacity: count + 1) { ring, filled in
      directions.withUnsafeBufferPointer { directions in
        for index in stride(from: 0, to: count, by: 2) {
          // If the number is odd, the last point is computed twice.
          let next = min(index + 1, count - 1)
          (ring[index], ring[next]) = points(directions[index], directions[next])
        }
      }
      ring[count] = ring[0]
      filled = count + 1
    }
  }

  private func point(at azimuth: Double) -> SIMD2<Double> {
    let (sine, cosine) = sineAndCosine(ofDegrees: azimuth)
    return point(cosine: cosine, sine: sine)
  }

  /// Returns the boundary's points in two directions, each given as (cosine, sine). Two points are
  /// computed at a time, because the processor can compute two independent chains of products in
  /// parallel.
  @inline(__always)
  func points(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> (SIMD2<Double>, SIMD2<Double>) {
    harmonics.withUnsafeBufferPointer { harmonics in
      var (first, second) = (SIMD4<Double>.zero, SIMD4<Double>.zero)
      var index = harmonics.count - 1
      while index >= 0 {
        let harmonic = harmonics[index]
        first = first * a.x + SIMD4(-first.y, first.x, -first.w, first.z) * a.y + harmonic
        second = second * b.x + SIMD4(-second.y, second.x, -second.w, second.z) * b.y + harmonic
        index -= 1
      }
      return (
        SIMD2(center.x + first.x, center.y + first.z),
        SIMD2(center.x + second.x, center.y + second.z)
      )
    }
  }

  /// The boundary's point at an azimuth.
  @inline(__always)
  func point(cosine: Double, sine: Double) -> SIMD2<Double> {
    harmonics.withUnsafeBufferPointer { harmonics in
      // Horner's scheme for a polynomial in e^(iθ); only the real part is used.
      var sum = SIMD4<Double>.zero
      var index = harmonics.count - 1
      while index >= 0 {
        let turned = SIMD4(-sum.y, sum.x, -sum.w, sum.z)
        sum = sum * cosine + turned * sine + harmonics[index]
        index -= 1
      }
      return SIMD2(center.x + sum.x, center.y + sum.z)
    }
  }
}

/// Caches tables of directions at even steps of 360°, for reuse by further discs.
final class Compass {
  private var tables: [Int: [SIMD2<Double>]] = [:]
  private var ends: [Int] = []
  private let one = [1]

  /// A polygon of one closed clockwise ring; polygons with the same number of vertices share
  /// `ringEnds` and `partEnds`.
  func polygon(_ ring: [SIMD2<Double>]) -> Polygon {
    if ends.first != ring.count { ends = [ring.count] }
    return Polygon(
      canonical: VertexList(ring), ringEnds: ends, partEnds: one, spatialReference: nil)
  }

  /// Cosine and sine of each direction, clockwise from north.
  func directions(_ count: Int) -> [SIMD2<Double>] {
    if let known = tables[count] { return known }
    let table = (0..<count).map { index in
      let (sine, cosine) = sineAndCosine(ofDegrees: 360 * Double(index) / Double(count))
      return SIMD2(cosine, sine)
    }
    // Limit the memory for lists of discs with many different radii.
    if tables.count > 64 || count > 1 << 16 { tables.removeAll() }
    tables[count] = table
    return table
  }
}

extension GeodesicDisc {
  /// The closed boundary, clockwise, of a disc that is small relative to its distance to the poles
  /// and to ±180°; nil for other discs.
  ///
  /// - Parameter tolerance: the greatest distance in metres of an edge from the boundary.
  func simpleRing(
    tolerance: Double, vertexLimit: Int, _ compass: Compass
  ) throws(GeometryError) -> [SIMD2<Double>]? {
    var count = max(steps(span: 360, tolerance: tolerance), 8)
    // Straight edges in degrees deviate from the geodesic, and the deviation increases towards the
    // poles.
    let latitude = min(center.y.magnitude + radius / geodesic.semiMinorAxis * 60, 89.9)
    let bend = tan(latitude.inRadians) / geodesic.semiMinorAxis
    func deviation(_ count: Int) -> Double {
      let half = Double.pi / Double(count)
      let (across, along) = (radius * (1 - cos(half)), radius * sin(half))
      return across + along * along * bend / 2
    }
    while deviation(count) > tolerance, count <= vertexLimit { count += 1 + count / 50 }
    guard count <= vertexLimit else { throw DegreePlane.tooManyVertices(vertexLimit) }
    guard count >= 24, let series = DiscSeries(self, error: min(tolerance * 1e-3, 1e-6)) else {
      return nil
    }
    return series.ring(count, compass)
  }
}
