import PlumbCore
import PlumbGeometry
import PlumbTestSupport
import Testing

@Suite struct SpatialIndexTests {
  static let counts = [0, 1, 2, 15, 16, 17, 256, 257, 10_000]

  /// A window finds the boxes that brute force finds, including those that only touch it.
  @Test(arguments: BoxSet.Kind.allCases) func windowsFindWhatBruteForceFinds(kind: BoxSet.Kind) {
    var (found, missed) = (0, 0)
    for count in Self.counts {
      let boxes = BoxSet(kind, count: count, seed: UInt64(count) + 1)
      let index = SpatialIndex(low: boxes.low, high: boxes.high)
      #expect(index.count == count)
      let windows = boxes.windows(count > 1000 ? 30 : 200, seed: 7)
      for query in 0..<windows.count {
        let (low, high) = (windows.low[query], windows.high[query])
        let expected = boxes.items(low, high)
        if index.items(intersecting: low, high) != expected {
          Issue.record("\(count) boxes, window \(low) \(high)")
        }
        found += expected.count
        missed += count - expected.count
      }
    }
    #expect(found > 1000)
    if kind != .identical { #expect(missed > 1000) }
  }

  /// An item without a point, or with a bound that is not a number, is never found.
  @Test func emptyBoxesAreNeverFound() {
    let envelopes = [
      Envelope.empty(), Envelope(xMin: 0, yMin: 0, xMax: 1, yMax: 1),
      Envelope(xMin: 2, yMin: 0, xMax: 1, yMax: 1),
      Envelope(xMin: 0, yMin: .nan, xMax: 1, yMax: 1),
    ]
    let index = SpatialIndex(envelopes)
    let all = Envelope(xMin: -.infinity, yMin: -.infinity, xMax: .infinity, yMax: .infinity)
    #expect(index.items(intersecting: all) == [1])
    #expect(index.items(intersecting: .empty()) == [])
    #expect(index.nearest(to: SIMD2(5, 5), count: 9).map(\.item) == [1])
    let none = SpatialIndex([Envelope.empty()])
    #expect(none.items(intersecting: all) == [] && none.nearest(to: SIMD2(0, 0)) == [])
  }

  /// Geometries are found by their envelopes; empty geometries are never found.
  @Test func geometriesAreFoundByTheirEnvelopes() {
    let index = SpatialIndex([
      Geometry.point(Point(x: 1, y: 2)), .point(.empty()),
      .polyline(Polyline(VertexList([SIMD2(0, 0), SIMD2(4, 4)]))), .polygon(.empty()),
    ])
    #expect(index.items(at: SIMD2(1, 2)) == [0, 2])
    #expect(index.items(at: SIMD2(4, 4)) == [2])
  }

  /// A visit ends when its closure returns false, and visits no item twice.
  @Test func aVisitCanEndEarly() {
    let boxes = BoxSet(.scattered, count: 1000, seed: 3)
    let index = SpatialIndex(low: boxes.low, high: boxes.high)
    for limit in [1, 2, 17, 999, 1000] {
      var seen: [Int] = []
      index.visit(intersecting: SIMD2(-1, -1), SIMD2(200, 200)) { item in
        seen.append(item)
        return seen.count < limit
      }
      #expect(seen.count == limit && Set(seen).count == limit)
    }
  }

  /// Batches of queries give the results of single queries, in order, on one thread and on several.
  @Test(arguments: BoxSet.Kind.allCases) func batchesEqualSingleQueries(kind: BoxSet.Kind) {
    for count in [0, 1, 17, 2000] {
      let boxes = BoxSet(kind, count: count, seed: 11)
      let index = SpatialIndex(low: boxes.low, high: boxes.high, workers: Workers(count: 1))
      let windows = boxes.windows(kind == .identical ? 200 : 600, seed: 12)
      let alone = index.items(
        intersectingEach: windows.low, windows.high, workers: Workers(count: 1))
      #expect(alone.count == windows.count)
      for query in 0..<windows.count {
        let expected = index.items(intersecting: windows.low[query], windows.high[query])
        if alone[query].map(Int.init) != expected { Issue.record("window \(query)") }
      }
      let (x, y) = (windows.low.map(\.x), windows.high.map(\.y))
      let points = index.items(atEach: x, y, workers: Workers(count: 1))
      #expect(points.count == x.count)
      for query in 0..<x.count
      where points[query].map(Int.init) != index.items(at: SIMD2(x[query], y[query])) {
        Issue.record("place \(x[query]) \(y[query])")
      }
      for threads in [2, 5] {
        let workers = Workers(count: threads)
        let other = SpatialIndex(low: boxes.low, high: boxes.high, workers: workers)
        #expect(
          other.items(intersectingEach: windows.low, windows.high, workers: workers) == alone)
        #expect(other.items(atEach: x, y, workers: workers) == points)
      }
    }
  }

  /// There are enough boxes for several threads to sort and pack.
  @Test func aLargeIndexIsTheSameForAnyNumberOfThreads() {
    let boxes = BoxSet(.clustered, count: 150_000, seed: 5)
    let single = SpatialIndex(low: boxes.low, high: boxes.high, workers: Workers(count: 1))
    let several = SpatialIndex(low: boxes.low, high: boxes.high, workers: Workers(count: 4))
    for query in stride(from: 0, to: 150_000, by: 7919) {
      let (low, high) = (boxes.low[query], boxes.high[query])
      var orders: ([Int], [Int]) = ([], [])
      single.visit(intersecting: low, high) { item in
        orders.0.append(item)
        return true
      }
      several.visit(intersecting: low, high) { item in
        orders.1.append(item)
        return true
      }
      #expect(orders.0 == orders.1)
      #expect(orders.0.sorted() == boxes.items(low, high))
    }
  }

  /// Empty lists of points or boxes have empty results.
  @Test func emptyBatches() {
    let index = SpatialIndex(low: [], high: [])
    #expect(index.items(atEach: [], []).offsets == [0])
    #expect(index.items(atEach: [1, .nan], [1, 1]).offsets == [0, 0, 0])
    #expect(index.items(intersectingEach: [], []).count == 0)
    #expect(index.nearest(toEach: [3], [4]).offsets == [0, 0])
  }
}
