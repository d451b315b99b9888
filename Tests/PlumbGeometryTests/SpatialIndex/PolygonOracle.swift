import CGEOS
import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGeometry

/// The results of GEOS's prepared geometries for points.
final class PolygonOracle {
  let context = try! GEOSContext()
  private var shapes: [(shape: OpaquePointer, prepared: OpaquePointer)] = []

  init(_ polygons: [Polygon]) throws {
    for polygon in polygons {
      let shape = try context.shape(of: .polygon(polygon)).take()
      let prepared = try #require(GEOSPrepare_r(context.handle, shape))
      shapes.append((shape, prepared))
    }
  }

  deinit {
    for (shape, prepared) in shapes {
      GEOSPreparedGeom_destroy_r(context.handle, prepared)
      GEOSGeom_destroy_r(context.handle, shape)
    }
  }

  func location(_ location: SIMD2<Double>, _ polygon: Int) throws -> PolygonLocator.Location {
    let point = try context.shape(of: .point(Point(x: location.x, y: location.y)))
    let prepared = shapes[polygon].prepared
    let intersects = GEOSPreparedIntersects_r(context.handle, prepared, point.pointer)
    let contains = GEOSPreparedContains_r(context.handle, prepared, point.pointer)
    #expect(intersects <= 1 && contains <= 1)
    return contains == 1 ? .interior : intersects == 1 ? .boundary : .exterior
  }
}

/// Seeded polygons and points.
enum PolygonSet {
  /// Stars of random radii, each with a hole that is a smaller star.
  static func stars(_ counts: [Int], seed: UInt64, rounded: Bool = false) -> [Polygon] {
    var generator = SeededGenerator(seed: seed)
    return counts.map { count in
      var centre = SIMD2(
        Double.random(in: 0...100, using: &generator),
        Double.random(in: 0...100, using: &generator))
      if rounded { centre = centre.rounded(.toNearestOrEven) }
      func ring(_ radii: ClosedRange<Double>) -> [SIMD2<Double>] {
        (0..<count).map { step in
          let angle = 2 * Double.pi * Double(step) / Double(count)
          let radius = Double.random(in: radii, using: &generator)
          let point = centre + radius * SIMD2(cosine(angle), cosine(angle - .pi / 2))
          return rounded ? point.rounded(.toNearestOrEven) : point
        }
      }
      let (outer, hole) = (ring(12...25), ring(3...10))
      // The initializer closes the rings.
      return Polygon(VertexList(outer + hole), ringEnds: [count, 2 * count])
    }
  }

  private static func cosine(_ angle: Double) -> Double {
    // Any smooth function of period 2π gives a star.
    let turn = (angle / (2 * .pi)).truncatingRemainder(dividingBy: 1).magnitude
    let t = min(turn, 1 - turn) * 4 - 1
    return -t * (1.5 - 0.5 * t * t)
  }

  static func points(_ count: Int, seed: UInt64, rounded: Bool = false) -> [SIMD2<Double>] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in
      let point = SIMD2(
        Double.random(in: -10...110, using: &generator),
        Double.random(in: -10...110, using: &generator))
      return rounded ? point.rounded(.toNearestOrEven) : point
    }
  }
}
