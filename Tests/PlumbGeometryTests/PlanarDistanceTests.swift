import CGEOS
import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGeometry

/// Compares planar distances, which use an index of one geometry, with `GEOSDistance_r`, which
/// compares all edges.
@Suite struct PlanarDistanceTests {
  private static func oracle(_ a: Geometry, _ b: Geometry) throws -> Double {
    let context = try GEOSContext()
    let first = try context.shape(of: a)
    let second = try context.shape(of: b)
    var distance = -1.0
    #expect(GEOSDistance_r(context.handle, first.pointer, second.pointer, &distance) == 1)
    return distance
  }

  /// A geometry of some type around a centre. Areas consist of the corners of a star, so that they
  /// are valid.
  private static func geometry(
    _ kind: Int, _ center: SIMD2<Double>, _ size: Double, _ random: inout SeededGenerator
  ) -> Geometry {
    func vertex() -> SIMD2<Double> {
      center
        + SIMD2(
          Double.random(in: -size...size, using: &random),
          Double.random(in: -size...size, using: &random))
    }
    let count = Int.random(in: 2...12, using: &random)
    switch kind {
    case 0:
      let point = vertex()
      return .point(Point(x: point.x, y: point.y))
    case 1: return .multipoint(Multipoint(VertexList((0..<count).map { _ in vertex() })))
    case 2: return .polyline(Polyline(VertexList((0..<count).map { _ in vertex() })))
    case 3:
      return .envelope(
        Envelope(
          xMin: center.x - size, yMin: center.y - size, xMax: center.x + size, yMax: center.y + size
        ))
    default:
      var ring = (0..<count + 1).map { index -> SIMD2<Double> in
        let angle = Double(index) / Double(count + 1) * 2 * .pi
        let extent = size * Double.random(in: 0.3...1, using: &random)
        return center + SIMD2(extent * cosine(angle), extent * cosine(angle - .pi / 2))
      }
      ring.append(ring[0])
      return .polygon(Polygon(VertexList(ring)))
    }
  }

  private static func cosine(_ angle: Double) -> Double {
    sineAndCosine(ofDegrees: angle * 180 / .pi).cosine
  }

  @Test func `distances are those of GEOS for all kinds`() throws {
    var random = SeededGenerator(seed: 412)
    var zeros = 0
    for _ in 0..<4000 {
      let kinds = (Int.random(in: 0...4, using: &random), Int.random(in: 0...4, using: &random))
      let offset = SIMD2(
        Double.random(in: -6...6, using: &random), Double.random(in: -6...6, using: &random))
      let first = Self.geometry(kinds.0, .zero, Double.random(in: 0.1...5, using: &random), &random)
      let second = Self.geometry(
        kinds.1, offset, Double.random(in: 0.1...5, using: &random), &random)
      let expected = try Self.oracle(first, second)
      let found = try GeometryEngine.distance(from: first, to: second)
      #expect((found - expected).magnitude <= 1e-12 * max(1, expected), "\(first) \(second)")
      zeros += expected == 0 ? 1 : 0
    }
    #expect(zeros > 500 && zeros < 3500, "\(zeros)")
  }

  @Test func `what lies within an area has the distance 0`() throws {
    let square = MeasureTests.polygon(
      [SIMD2(0, 0), SIMD2(0, 10), SIMD2(10, 10), SIMD2(10, 0), SIMD2(0, 0)], nil)
    let box = Geometry.envelope(Envelope(xMin: 0, yMin: 0, xMax: 10, yMax: 10))
    let line = MeasureTests.line(
      [SIMD2(1, 1), SIMD2(2, 2), SIMD2(3, 1), SIMD2(4, 2), SIMD2(5, 1), SIMD2(6, 2)], nil)
    let inner = MeasureTests.polygon(
      [SIMD2(4, 4), SIMD2(4, 5), SIMD2(5, 5), SIMD2(5, 4), SIMD2(4, 4)], nil)
    let points = Geometry.multipoint(Multipoint(VertexList([SIMD2(3, 3), SIMD2(99, 99)])))
    for area in [square, box] {
      for other in [line, inner, points, area] {
        #expect(try GeometryEngine.distance(from: area, to: other) == 0)
        #expect(try GeometryEngine.distance(from: other, to: area) == 0)
      }
    }
  }
}
