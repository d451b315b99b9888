import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGeometry

/// The search for the nearest approach of two sets of edges, with any memory limit.
@Suite struct NearestApproachTests {
  private let geodesic = Geodesic(.wgs84)

  private func edges(
    _ count: Int, from corner: SIMD2<Double>, size: Double, _ random: inout SeededGenerator
  ) -> [CurveEdge] {
    (0..<count).map { _ in
      func end() -> SIMD2<Double> {
        corner
          + SIMD2(
            Double.random(in: 0...size, using: &random), Double.random(in: 0...size, using: &random)
          )
      }
      let start = end()
      let isPoint = Int.random(in: 0..<4, using: &random) == 0
      return CurveEdge(
        from: start, to: isPoint ? start : end(), curve: .geodesic, geodesic: geodesic)
    }
  }

  @Test(
    "A full queue changes no distance, and none is farther than any pair of ends", arguments: 1...6)
  func fullQueue(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for size in [0.01, 1, 30] {
      let first = edges(60, from: SIMD2(-10, -20), size: size, &random)
      let second = edges(40, from: SIMD2(-10 + 1.5 * size, -20), size: size, &random)
      let trees = (CurveTree(first, geodesic), CurveTree(second, geodesic))
      let usual = NearestApproach(trees.0, trees.1, geodesic).distance
      for limit in [0, 1, 5, 100] {
        let other = NearestApproach(trees.0, trees.1, geodesic, queueLimit: limit).distance
        #expect((other - usual).magnitude < 1e-6, "\(seed) \(size) \(limit)")
      }
      let ends = first.flatMap { one in
        second.map { geodesic.distance(from: one.start, to: $0.start) }
      }
      #expect(usual > 0 && usual <= (ends.min() ?? 0) + 1e-6)
    }
  }

  @Test("Cancelled work ends", .timeLimit(.minutes(1)))
  func cancelled() throws {
    var random = SeededGenerator(seed: 7)
    let first = CurveTree(edges(100_000, from: SIMD2(0, 0), size: 5, &random), geodesic)
    let second = CurveTree(edges(100_000, from: SIMD2(6, 0), size: 5, &random), geodesic)
    let work = WorkCancellation()
    #expect(throws: CancellationError.self) {
      try WorkCancellation.run(work) {
        work.cancel()
        _ = NearestApproach(first, second, geodesic)
      }
    }
  }
}
