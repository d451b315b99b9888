import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGeometry

/// Compares the fast locator with the exact one, and distances to many edges.
@Suite struct BandLocatorTests {
  private let oracle = GEOSOracle()

  @Test(arguments: [0.5, 3.0, 40.0]) func agreesWithTheExactLocator(_ distance: Double) throws {
    var generator = SeededGenerator(seed: 7)
    for count in [2, 5, 40, 400] {
      var at = SIMD2<Double>(0, 0)
      let line = (0..<count).map { _ in
        at += SIMD2(
          Double.random(in: -10...10, using: &generator),
          Double.random(in: -10...10, using: &generator))
        return at
      }
      let area = try #require(
        GeometryEngine.buffer(
          around: [.polyline(Polyline(VertexList(line), partEnds: [count]))],
          distances: [distance]
        ).first)
      let quick = BandLocator(area)
      let exact = try PolygonLocator([area], workers: Workers(count: 1))
      let box = Box(area.vertices)
      for _ in 0..<2000 {
        let point = SIMD2(
          Double.random(in: box.low.x - 1...box.high.x + 1, using: &generator),
          Double.random(in: box.low.y - 1...box.high.y + 1, using: &generator))
        let location = exact.location(of: point, inPolygon: 0)
        if location == .boundary { continue }
        #expect(quick.holds(point) == (location == .interior), "\(count) \(point)")
      }
      #expect(!quick.holds(SIMD2(.nan, .nan)) && !quick.holds(SIMD2(0, .infinity)))
    }
  }

  @Test func polygonsWithoutHeight() throws {
    for text in ["POLYGON EMPTY", "POLYGON ((0 1, 5 1, 9 1, 0 1))"] {
      guard case .polygon(let polygon) = try oracle.geometry(text) else { continue }
      #expect(!BandLocator(polygon).holds(SIMD2(1, 1)))
    }
  }
}
