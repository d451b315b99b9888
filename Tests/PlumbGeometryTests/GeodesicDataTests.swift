import Foundation
import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGeometry

/// Karney's test set: 100 geodesics computed with high precision.
@Suite struct GeodesicDataTests {
  struct Line {
    var a: SIMD2<Double>
    var b: SIMD2<Double>
    var azimuth: Double
    var distance: Double
    /// The area between the geodesic and the equator, in square metres.
    var area: Double
  }

  static func lines() throws -> [Line] {
    let path = try #require(TestPaths.data) + "/geometry/GeodTest-100.dat"
    return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map {
      let n = $0.split(separator: " ").compactMap { Double($0) }
      try #require(n.count == 10)
      return Line(
        a: SIMD2(n[1], n[0]), b: SIMD2(n[4], n[3]), azimuth: n[2], distance: n[6], area: n[9])
    }
  }

  @Test(.enabled(if: TestPaths.data != nil, "the shared data are absent: set PLUMB_TEST_DATA"))
  func agreesWithKarneysTestSet() throws {
    let lines = try Self.lines()
    #expect(lines.count == 100)
    let geodesic = Geodesic(.wgs84)
    var areas = 0
    for line in lines {
      let points = [line.a, line.b].map {
        Geometry.point(Point(x: $0.x, y: $0.y, spatialReference: .wgs84))
      }
      let distance = try GeometryEngine.distance(
        from: points[0], to: points[1], measure: .geodesic())
      #expect((distance - line.distance).magnitude < 15e-9, "\(line)")
      let there = geodesic.direct(from: line.a, azimuth: line.azimuth, distance: line.distance)
      #expect(geodesic.distance(from: there, to: line.b) < 15e-9, "\(line)")
      let way = Geometry.polyline(
        Polyline(VertexList([line.a, line.b]), spatialReference: .wgs84))
      let length = try GeometryEngine.length(of: way, measure: .geodesic())
      #expect((length - line.distance).magnitude < 15e-9)
      // The line is divided into pieces, because near the antipodes a nanometre at one end rotates
      // the whole line.
      let inner = (1..<8).map {
        geodesic.direct(
          from: line.a, azimuth: line.azimuth, distance: line.distance * Double($0) / 8)
      }
      let pieces = [line.a] + inner + [line.b]
      let beneathPieces = zip(pieces, pieces.dropFirst()).reduce(0) {
        $0 + geodesic.areaBeneath(from: $1.0, to: $1.1)
      }
      #expect((beneathPieces - line.area).magnitude < 0.1, "\(line)")
      // The same area as that of the polygon down to the equator, if the line neither crosses the
      // equator nor goes the other way around.
      guard line.a.y * line.b.y > 0, (line.b.x - line.a.x).magnitude < 150 else { continue }
      let beneath = Geometry.polygon(
        Polygon(
          VertexList([line.a, line.b, SIMD2(line.b.x, 0), SIMD2(line.a.x, 0)]),
          spatialReference: .wgs84))
      let area = try GeometryEngine.area(of: beneath, measure: .geodesic())
      #expect((area - line.area.magnitude).magnitude < 0.1, "\(line)")
      areas += 1
    }
    #expect(areas > 20)
  }
}
