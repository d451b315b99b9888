import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// All points within a geodesic distance of a point.
struct GeodesicDisc {
  /// The longitude and latitude of the centre in degrees.
  let center: SIMD2<Double>
  /// The radius in metres.
  let radius: Double
  let geodesic: Geodesic

  /// The approximate number of steps along a boundary that can be computed in a few seconds.
  private static let stepLimit = 10_000_000

  /// The boundary, counter-clockwise, without repeating the first vertex.
  func ring(tolerance: Double, vertexLimit: Int) throws(GeometryError) -> [SIMD2<Double>] {
    let steps = steps(span: 360, tolerance: tolerance)
    // Most steps of a large disc do not become vertices.
    guard steps <= max(vertexLimit, Self.stepLimit) else {
      throw DegreePlane.tooManyVertices(vertexLimit)
    }
    var tracer = BoundaryTracer(
      ellipsoid: geodesic.ellipsoid, tolerance: tolerance, vertexLimit: vertexLimit)
    let start = tracer.settled(point(at: 0))
    try tracer.follow(from: start, to: start, steps: max(steps, 8)) { point(at: -360 * $0) }
    return tracer.points
  }

  /// The point on the boundary in a direction from the centre.
  func point(at azimuth: Double) -> SIMD2<Double> {
    geodesic.direct(from: center, azimuth: azimuth, distance: radius)
  }

  /// The number of equal edges that approximate an arc in a plane within a tolerance.
  func steps(span: Double, tolerance: Double) -> Int {
    let cosine = 1 - tolerance / max(radius, tolerance)
    let full = cosine > -1 && cosine < 1 ? Double.pi / acos(cosine) : 3
    return Int(min(max((full * span / 360).rounded(.up), 1), 1e9))
  }
}
