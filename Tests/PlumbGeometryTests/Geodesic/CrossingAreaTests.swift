import PlumbCore
import Testing

@testable import PlumbGeometry

/// Rule: a buffer contains all points within the distance of an area's edges, also where edges
/// cross.
@Suite struct CrossingAreaTests {
  /// Rings that intersect themselves, and rings that intersect each other.
  private static let areas: [Polygon] = [
    area([[[0, 50], [40, 60], [40, 50], [0, 60], [0, 50]]]),
    area([[[-100, 30], [-40, 45], [-40, 30], [-100, 45], [-100, 30]]]),
    area([[[0, 0], [30, 40], [60, 0], [0, 30], [60, 30], [0, 0]]]),
    area([
      [[0, 50], [30, 50], [30, 60], [0, 60], [0, 50]],
      [[15, 45], [45, 55], [40, 62], [15, 45]],
    ]),
  ]

  private static func area(_ rings: [[SIMD2<Double>]]) -> Polygon {
    var ends: [Int] = []
    for ring in rings { ends.append((ends.last ?? 0) + ring.count) }
    return Polygon(
      VertexList(Array(rings.joined())), ringEnds: ends, partEnds: Array(1...rings.count),
      spatialReference: .wgs84)
  }

  @Test(arguments: 0..<areas.count)
  func `nothing is missing next to a crossing`(index: Int) throws {
    let area = Self.areas[index]
    let distance = 2000.0
    let buffers = try GeometryEngine.buffer(
      around: [.polygon(area)], distances: [distance], method: .geodesic(),
      workers: Workers(count: 1))
    let locator = GeometryLocator([.polygon(buffers[0])], period: 360)
    let geodesic = Geodesic(.wgs84)
    let points = area.vertices.xy
    var missing = 0
    for ring in area.rings {
      for edge in ring.dropLast() {
        let whole = geodesic.inverse(from: points[edge], to: points[edge + 1])
        let line = geodesic.line(from: points[edge], azimuth: whole.startAzimuth)
        for step in 0...2000 {
          let (center, azimuth) = line.point(at: whole.distance * Double(step) / 2000)
          for side in [-90.0, 90] {
            let beside = geodesic.direct(
              from: center, azimuth: azimuth + side, distance: distance - 1)
            if locator.items(at: beside).isEmpty { missing += 1 }
          }
        }
      }
    }
    #expect(missing == 0, "\(missing) points within the distance of an edge are not in the buffer")
  }
}
