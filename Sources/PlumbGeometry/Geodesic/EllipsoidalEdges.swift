import PlumbCore

/// The edges between a geometry's vertices on the ellipsoid of its CRS. The type is not
/// thread-safe; each worker needs a separate instance.
struct EllipsoidalEdges {
  let geodesic: Geodesic
  let curve: GeodesicCurve
  let base: GeographicBase
  /// The vertices in the geometry's CRS.
  let sourceVertices: [SIMD2<Double>]
  /// The vertices as longitudes and latitudes in degrees.
  let degrees: [SIMD2<Double>]

  /// The greatest distance in metres between an edge that is a straight line in the geometry's CRS
  /// and the chain of geodesics that replaces the edge.
  static let chainDeviation = 0.001

  /// - Throws: if the geometry has no CRS or a CRS that is not tied to the Earth, if a point is not finite or
  ///   cannot be converted to degrees, and if a latitude is beyond 90°.
  init(_ geometry: Geometry, curve: GeodesicCurve) throws(GeometryError) {
    base = try GeographicBase(of: geometry.spatialReference)
    geodesic = Geodesic(base.ellipsoid)
    if case .envelope = geometry { self.curve = .shapePreserving } else { self.curve = curve }
    sourceVertices = geometry.vertices.xy
    degrees = try base.toDegrees(sourceVertices)
  }

  private var isStraight: Bool { curve == .shapePreserving }

  /// The edge between two vertices, for curves that are not straight lines in the geometry's CRS.
  private func edge(_ a: Int, _ b: Int) -> CurveEdge {
    CurveEdge(from: degrees[a], to: degrees[b], curve: curve, geodesic: geodesic)
  }

  /// Returns a function that converts a fraction of the edge to the point in degrees.
  private func placing(
    _ a: Int, _ b: Int
  ) -> (Double) throws(GeometryError) -> SIMD2<Double> {
    if isStraight {
      return { (fraction) throws(GeometryError) in
        if fraction == 0 { return degrees[a] }
        if fraction == 1 { return degrees[b] }
        return try base.toDegrees(
          sourceVertices[a] + (sourceVertices[b] - sourceVertices[a]) * fraction)
      }
    }
    let edge = edge(a, b)
    return { (fraction) throws(GeometryError) in edge.point(at: fraction) }
  }

  /// Converts points in degrees on an edge to the geometry's coordinates. If the longitudes of both
  /// vertices are within ±180°, the resulting longitudes are within ±180°, too.
  func sourceCoordinates(
    _ points: [SIMD2<Double>], between a: Int, _ b: Int
  ) throws(GeometryError) -> [SIMD2<Double>] {
    let isWrapped = degrees[a].x.magnitude <= 180 && degrees[b].x.magnitude <= 180
    return try base.fromDegrees(
      points.map {
        isWrapped && $0.x.magnitude > 180 ? SIMD2($0.x.wrappedDegrees, $0.y) : $0
      })
  }

  /// The length of the edge in metres.
  func length(_ a: Int, _ b: Int) throws(GeometryError) -> Double {
    guard isStraight else { return edge(a, b).length }
    return try CurveIntegral(geodesic, placing(a, b)).length()
  }

  /// The edge as a list of curves: the edge itself or, if it is a straight line in the geometry's
  /// CRS, a chain of geodesics within a millimetre of the edge.
  func chain(_ a: Int, _ b: Int) throws(GeometryError) -> [CurveEdge] {
    guard isStraight else { return [edge(a, b)] }
    let points = try CurveIntegral(geodesic, placing(a, b))
      .points(maxDeviation: Self.chainDeviation)
    return zip(points, points.dropFirst()).map {
      CurveEdge(from: $0, to: $1, curve: .geodesic, geodesic: geodesic)
    }
  }

  /// The area in square metres between the edge and the geodesic that joins its ends, positive if
  /// the edge is to the right of the geodesic.
  func areaBesideGeodesic(_ a: Int, _ b: Int) throws(GeometryError) -> Double {
    guard curve != .geodesic, degrees[a] != degrees[b] else { return 0 }
    return try CurveIntegral(geodesic, placing(a, b)).areaBesideGeodesic()
  }
}

/// Lengths, areas and chains of a curve that is defined only by its points.
struct CurveIntegral {
  private let geodesic: Geodesic
  private let point: (Double) throws(GeometryError) -> SIMD2<Double>

  /// - Parameter point: a function that returns the point of the curve at a fraction from 0 to 1.
  init(_ geodesic: Geodesic, _ point: @escaping (Double) throws(GeometryError) -> SIMD2<Double>) {
    self.geodesic = geodesic
    self.point = point
  }

  private typealias Spot = (fraction: Double, point: SIMD2<Double>)

  private static let pieces = 8

  /// The ends of the initial pieces.
  private func starts() throws(GeometryError) -> [Spot] {
    var result: [Spot] = []
    for step in 0...Self.pieces {
      let fraction = Double(step) / Double(Self.pieces)
      result.append((fraction, try point(fraction)))
    }
    return result
  }

  private func middle(_ a: Spot, _ b: Spot) throws(GeometryError) -> Spot {
    let fraction = (a.fraction + b.fraction) / 2
    return (fraction, try point(fraction))
  }

  /// The length of the curve in metres.
  func length() throws(GeometryError) -> Double {
    let spots = try starts()
    var sum = 0.0
    for (a, b) in zip(spots, spots.dropFirst()) {
      sum += try length(a, b, geodesic.distance(from: a.point, to: b.point), depth: 0)
    }
    return sum
  }

  private func length(
    _ a: Spot, _ b: Spot, _ chord: Double, depth: Int
  ) throws(GeometryError) -> Double {
    let half = try middle(a, b)
    let first = geodesic.distance(from: a.point, to: half.point)
    let second = geodesic.distance(from: half.point, to: b.point)
    let gain = first + second - chord
    // The error of a chord is proportional to the cube of its length, so the two half chords have a
    // quarter of the error of the whole chord. `gain` is the other three quarters, so `gain / 3` is
    // the remaining error.
    if depth >= 16 || gain.magnitude <= 1e-8 + 1e-11 * chord { return first + second + gain / 3 }
    return try length(a, half, first, depth: depth + 1)
      + length(half, b, second, depth: depth + 1)
  }

  /// The area in square metres between the curve and the geodesic that joins its ends, positive if
  /// the curve is to the right of the geodesic. This area is added to a counter-clockwise ring if
  /// the curve replaces the geodesic.
  func areaBesideGeodesic() throws(GeometryError) -> Double {
    let spots = try starts()
    var sum = geodesic.areaAndPerimeter(ofRing: spots.map(\.point)).area
    for (a, b) in zip(spots, spots.dropFirst()) {
      let half = try middle(a, b)
      let scale = geodesic.distance(from: a.point, to: b.point)
      let tolerance = 1e-14 * scale * geodesic.ellipsoid.semiMajorAxis
      sum += try segment(a, half, b, triangle(a, half, b), tolerance, depth: 0)
    }
    return sum
  }

  private func triangle(_ a: Spot, _ b: Spot, _ c: Spot) -> Double {
    geodesic.areaAndPerimeter(ofRing: [a.point, b.point, c.point]).area
  }

  /// The area of a segment by Archimedes' method: the triangle to the middle of the curve plus the
  /// two remaining segments. Once the curve is nearly a parabola, the two segments together are a
  /// third of the triangle.
  private func segment(
    _ a: Spot, _ b: Spot, _ c: Spot, _ total: Double, _ tolerance: Double, depth: Int
  ) throws(GeometryError) -> Double {
    let (low, high) = (try middle(a, b), try middle(b, c))
    let first = triangle(a, low, b)
    let second = triangle(b, high, c)
    let miss = (first - total / 8).magnitude + (second - total / 8).magnitude
    if depth >= 12 || miss <= tolerance { return total + (first + second) * 4 / 3 }
    return try total + segment(a, low, b, first, tolerance, depth: depth + 1)
      + segment(b, high, c, second, tolerance, depth: depth + 1)
  }

  /// Points such that the geodesics between neighbouring points are within `maxDeviation` metres of
  /// the curve.
  func points(maxDeviation: Double) throws(GeometryError) -> [SIMD2<Double>] {
    let spots = try starts()
    var result = [spots[0].point]
    for (a, b) in zip(spots, spots.dropFirst()) {
      try split(a, b, maxDeviation, depth: 0, into: &result)
    }
    return result
  }

  private func split(
    _ a: Spot, _ b: Spot, _ maxDeviation: Double, depth: Int, into result: inout [SIMD2<Double>]
  ) throws(GeometryError) {
    let half = try middle(a, b)
    var isNear = depth >= 16
    if !isNear {
      let way = geodesic.inverse(from: a.point, to: b.point)
      isNear = way.distance < 1_000_000
      for spot in [try middle(a, half), half, try middle(half, b)] where isNear {
        let there = geodesic.inverse(from: a.point, to: spot.point)
        let offset =
          there.distance * sineAndCosine(ofDegrees: there.startAzimuth - way.startAzimuth).sine
        isNear = offset.magnitude <= 0.9 * maxDeviation
      }
    }
    if isNear {
      result.append(b.point)
    } else {
      try split(a, half, maxDeviation, depth: depth + 1, into: &result)
      try split(half, b, maxDeviation, depth: depth + 1, into: &result)
    }
  }
}
