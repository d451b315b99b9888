import PlumbCore
import PlumbTestSupport

@testable import PlumbGeometry

/// Minimum distances of geometries by many samples along each straight edge, and more around the
/// minima.
struct DistanceSampling {
  /// The distance of a point in the geometry's coordinates; infinite if it has none.
  let distance: (SIMD2<Double>) -> Double
  var pieces = 120

  func minimum(_ geometry: Geometry) -> Double {
    let xy = geometry.vertices.xy
    var minimum = Double.infinity
    for path in geometry.paths {
      for index in path { minimum = min(minimum, distance(xy[index])) }
      guard geometry.dimension > 0 else { continue }
      for index in path.dropLast() where xy[index] != xy[index + 1] {
        minimum = min(minimum, self.minimum(xy[index], xy[index + 1], 0, 1, depth: 0))
      }
    }
    return minimum
  }

  /// The least distance for short edges. Only edges that may be nearest, judging by their ends, are
  /// sampled.
  func nearVertices(_ geometry: Geometry) -> Double {
    let xy = geometry.vertices.xy
    let ends = xy.map(distance)
    var minimum = ends.min() ?? .infinity
    for index in xy.indices.dropLast() {
      // Edges are at most this many metres long, except those halfway around the Earth.
      let isLong = (xy[index + 1].x - xy[index].x).magnitude > 90
      if isLong || min(ends[index], ends[index + 1]) < minimum + 3000 {
        minimum = min(minimum, self.minimum(xy[index], xy[index + 1], 0, 1, depth: 0))
      }
    }
    return minimum
  }

  private func minimum(
    _ a: SIMD2<Double>, _ b: SIMD2<Double>, _ from: Double, _ to: Double, depth: Int
  ) -> Double {
    let count = depth == 0 ? pieces : 12
    let fractions = (0...count).map { from + (to - from) * Double($0) / Double(count) }
    let values = fractions.map { distance(a + (b - a) * $0) }
    var minimum = values.min() ?? .infinity
    guard depth < 9 else { return minimum }
    for index in values.indices {
      let (low, high) = (max(0, index - 1), min(count, index + 1))
      if values[index] <= values[low], values[index] <= values[high], values[index].isFinite,
        // Near the minimum there is a single valley, whose values at the bottom are equal.
        depth == 0 || index == values.firstIndex(of: values.min() ?? 0)
      {
        minimum = min(
          minimum, self.minimum(a, b, fractions[low], fractions[high], depth: depth + 1))
      }
    }
    return minimum
  }

  /// The distances on the ground, by PROJ's geodesics from a point.
  static func ground(
    _ reference: SpatialReference, _ degrees: SpatialReference, from point: SIMD2<Double>
  ) throws -> DistanceSampling {
    let transformation =
      reference == degrees ? nil : try Transformation(from: reference, to: degrees)
    let geodesic = Geodesic(reference.ellipsoid ?? .wgs84)
    func turned(_ point: SIMD2<Double>) -> SIMD2<Double> {
      guard let transformation else { return point }
      var (x, y) = (point.x, point.y)
      transformation.apply(x: &x, y: &y, count: 1)
      return SIMD2(x, y)
    }
    let start = turned(point)
    return DistanceSampling { there in
      let end = turned(there)
      guard end.x.isFinite, end.y.isFinite, end.y.magnitude <= 90 else { return .infinity }
      return geodesic.distance(from: start, to: end)
    }
  }

  /// Straight in the plane of another CRS, whose x is periodic or not.
  static func plane(
    _ reference: SpatialReference, _ other: SpatialReference, turn: Double?,
    from point: SIMD2<Double>
  ) throws -> DistanceSampling {
    let transformation = try Transformation(from: reference, to: other)
    func turned(_ point: SIMD2<Double>) -> SIMD2<Double> {
      var (x, y) = (point.x, point.y)
      transformation.apply(x: &x, y: &y, count: 1)
      return SIMD2(x, y)
    }
    let start = turned(point)
    return DistanceSampling { there in
      let way = turned(there) - start
      guard way.x.isFinite, way.y.isFinite else { return .infinity }
      guard let turn else { return way.planarLength }
      return [-turn, 0, turn].map { (way + SIMD2($0, 0)).planarLength }.min() ?? .infinity
    }
  }
}

/// Geometries of all kinds in a box around a point.
struct Surroundings {
  var shapes: RandomShapes

  init(seed: UInt64) { shapes = RandomShapes(seed: seed) }

  mutating func geometries(
    _ count: Int, round point: SIMD2<Double>, _ half: SIMD2<Double>
  ) -> [Geometry?] {
    (0..<count).map { index in
      let centre = point + half * shapes.location(-2...2)
      let size = shapes.number(0.05...1.2)
      func vertex() -> SIMD2<Double> { centre + half * shapes.location(-1...1) * size }
      switch index % 6 {
      case 0: return .point(Point(x: centre.x, y: centre.y))
      case 1: return .multipoint(Multipoint(VertexList((0..<5).map { _ in vertex() })))
      case 2: return .polyline(Polyline(VertexList([vertex(), vertex()])))
      case 3:
        return .polyline(Polyline(VertexList((0..<6).map { _ in vertex() }), partEnds: [3, 6]))
      case 4: return .polygon(Polygon(VertexList([vertex(), vertex(), vertex()])))
      default:
        let (a, b) = (vertex(), vertex())
        return .envelope(
          Envelope(
            xMin: min(a.x, b.x), yMin: min(a.y, b.y), xMax: max(a.x, b.x), yMax: max(a.y, b.y)))
      }
    }
  }
}
