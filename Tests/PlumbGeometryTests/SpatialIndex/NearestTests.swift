import Foundation
import PlumbCore
import PlumbGeometry
import PlumbTestSupport
import Testing

@Suite struct NearestTests {
  /// The distance from a point to a box by the C library's hypot.
  private static func distance(_ boxes: BoxSet, _ item: Int, _ point: SIMD2<Double>) -> Double? {
    let (low, high) = (boxes.low[item], boxes.high[item])
    guard low.x <= high.x && low.y <= high.y else { return nil }
    func away(_ value: Double, _ low: Double, _ high: Double) -> Double {
      value < low ? low - value : value > high ? value - high : 0
    }
    return hypot(away(point.x, low.x, high.x), away(point.y, low.y, high.y))
  }

  /// The nearest items are those of brute force: by distance, ties by number.
  @Test(arguments: BoxSet.Kind.allCases) func nearestAreBruteForces(kind: BoxSet.Kind) {
    for count in [0, 1, 2, 15, 16, 17, 3000] {
      let boxes = BoxSet(kind, count: count, seed: 21)
      let index = SpatialIndex(low: boxes.low, high: boxes.high)
      var generator = SeededGenerator(seed: 22)
      for query in 0..<60 {
        var point = SIMD2(
          Double.random(in: -20...120, using: &generator),
          Double.random(in: -20...120, using: &generator))
        // Lattice points are equally far from many lattice boxes.
        if query % 2 == 0 { point = point.rounded(.down) }
        let all = (0..<count).compactMap { item in
          Self.distance(boxes, item, point).map { (item: item, distance: $0) }
        }
        let limit = query % 3 == 0 ? 10.0 : Double.infinity
        for wanted in [1, 5, 40] {
          let found = index.nearest(to: point, count: wanted, within: limit)
          // The rounding of distances differs from that of hypot by a relative 1e-15.
          let within = all.filter { $0.distance <= limit }.sorted {
            $0.distance != $1.distance ? $0.distance < $1.distance : $0.item < $1.item
          }
          #expect(found.count == min(wanted, within.count))
          for (one, other) in zip(found, within) {
            let exact = Self.distance(boxes, one.item, point) ?? .nan
            let isClose =
              exact == other.distance || abs(exact - other.distance) <= 1e-15 * other.distance
            #expect(
              isClose && (one.distance == exact || abs(one.distance - exact) <= 1e-15 * exact))
          }
          // Integers below 2^26: only the square root is rounded, so the distance is exact.
          if kind == .lattice && query % 2 == 0 || kind == .identical {
            #expect(found.map(\.item) == within.prefix(wanted).map(\.item))
          }
          let batch = index.nearest(
            toEach: [point.x], [point.y], count: wanted, within: limit)
          #expect(batch[0].map(Int.init) == found.map(\.item))
        }
      }
    }
  }

  /// With a closure, the items are ordered by its results. The closure is called only for items
  /// that may be among the nearest.
  @Test func aClosureMeasuresExactly() throws {
    var generator = SeededGenerator(seed: 31)
    // Diagonals: the distances of their boxes differ greatly from the distances of the lines.
    let lines = (0..<2000).map { _ in
      let a = SIMD2(
        Double.random(in: 0...100, using: &generator),
        Double.random(in: 0...100, using: &generator))
      return (a, a + SIMD2(5, 5))
    }
    func measure(_ item: Int, _ point: SIMD2<Double>) -> Double {
      let (a, b) = lines[item]
      let (d, p) = (b - a, point - a)
      let t = max(0, min(1, (d.x * p.x + d.y * p.y) / (d.x * d.x + d.y * d.y)))
      return hypot(p.x - t * d.x, p.y - t * d.y)
    }
    let index = SpatialIndex(low: lines.map(\.0), high: lines.map(\.1))
    for _ in 0..<100 {
      let point = SIMD2(
        Double.random(in: 0...100, using: &generator),
        Double.random(in: 0...100, using: &generator))
      let all = lines.indices.map { (item: $0, distance: measure($0, point)) }
        .sorted { ($0.distance, $0.item) < ($1.distance, $1.item) }
      var measured = 0
      let found = index.nearest(to: point, count: 7, within: 4) { item in
        measured += 1
        return measure(item, point)
      }
      #expect(found.map(\.item) == all.prefix(7).filter { $0.distance <= 4 }.map(\.item))
      #expect(measured < 200)
      let near = index.items(within: 4, of: point) { measure($0, point) }
      #expect(near == all.filter { $0.distance <= 4 }.map(\.item).sorted())
      let boxes = index.nearest(to: point, count: 2000, within: 4).map(\.item).sorted()
      #expect(index.items(within: 4, of: point) == boxes)
    }
    #expect(index.nearest(to: SIMD2(0, 0), count: 3) { _ in .nan } == [])
  }

  /// The squares of very large and very small distances neither overflow nor underflow.
  @Test(arguments: [1e-300, 1e-160, 1e-140, 1, 1e140, 1e160, 1e300])
  func distancesOfAnyMagnitude(unit: Double) throws {
    let points = [SIMD2(3, 4), SIMD2(4, 4), SIMD2(0, 5.5), SIMD2(0, 4.5)].map { $0 * unit }
    let index = SpatialIndex(low: points, high: points)
    let found = index.nearest(to: SIMD2(0, 0), count: 4)
    #expect(found.map(\.item) == [3, 0, 2, 1])
    let first = try #require(found.dropFirst().first)
    #expect(abs(first.distance / unit - 5) < 1e-14)
    #expect(index.items(within: 5.1 * unit, of: SIMD2(0, 0)) == [0, 3])
  }

  /// Invalid points, and limits for which no item qualifies.
  @Test func nothingToFind() {
    let index = SpatialIndex(low: [SIMD2(0, 0)], high: [SIMD2(1, 1)])
    #expect(index.nearest(to: SIMD2(.nan, 0)) == [])
    #expect(index.nearest(to: SIMD2(0, 0), count: 0) == [])
    #expect(index.nearest(to: SIMD2(0, 0), count: -1) == [])
    #expect(index.nearest(to: SIMD2(3, 1), within: 1.9) == [])
    #expect(index.nearest(to: SIMD2(3, 1), within: 2) == [.init(item: 0, distance: 2)])
    #expect(index.nearest(to: SIMD2(0, 0), within: .nan) == [])
    #expect(index.items(within: -1, of: SIMD2(0, 0)) == [])
    #expect(index.items(within: .nan, of: SIMD2(0, 0)) == [])
    #expect(index.items(within: .infinity, of: SIMD2(1e308, -1e308)) == [0])
    #expect(index.items(within: 2, of: SIMD2(3, 1)) == [0])
  }
}
