import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbRaster

@Suite struct LocationPlanTests {
  /// Points by key, in the input's order within a key: the expected plan.
  private func expect(
    _ keys: [UInt64], limit: Int, workers: Int, firstIndex: Int,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let offsets = keys.indices.map { UInt32($0 &* 7 % 1_000_003) }
    let plan = LocationPlan(
      keys: TrivialBuffer(keys), offsets: TrivialBuffer(offsets), count: keys.count,
      keyLimit: limit, firstIndex: firstIndex, workers: Workers(count: workers))
    var expected: [UInt64: [Int]] = [:]
    for (index, key) in keys.enumerated() where key != LocationPlan.noKey {
      expected[key, default: []].append(index)
    }
    #expect(plan.groups.map(\.key) == expected.keys.sorted(), sourceLocation: sourceLocation)
    for group in plan.groups {
      let entries = Array(plan.entries(of: group))
      let indices = expected[group.key] ?? []
      #expect(
        entries.map(\.index) == indices.map { UInt32($0 + firstIndex) },
        sourceLocation: sourceLocation)
      #expect(entries.map(\.offset) == indices.map { offsets[$0] }, sourceLocation: sourceLocation)
    }
    let total = plan.groups.reduce(0) { $0 + $1.end - $1.start }
    #expect(total == keys.count { $0 != LocationPlan.noKey }, sourceLocation: sourceLocation)
  }

  private func keys(_ count: Int, below limit: UInt64, seed: UInt64, holes: Double) -> [UInt64] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in
      Double.random(in: 0..<1, using: &generator) < holes
        ? LocationPlan.noKey : UInt64.random(in: 0..<limit, using: &generator)
    }
  }

  @Test(arguments: [0, 1, 2, 1000], [1, 4])
  func fewPoints(count: Int, workers: Int) {
    for holes in [0, 0.3, 1] {
      let keys = keys(count, below: 50, seed: UInt64(count), holes: holes)
      expect(keys, limit: 50, workers: workers, firstIndex: 0)
      expect(keys, limit: 50, workers: workers, firstIndex: 12_345)
      // The same plan, sorted by digits.
      expect(keys, limit: Int.max, workers: workers, firstIndex: 9)
    }
  }

  /// There are so many points that each worker fills a separate histogram.
  @Test(arguments: [1, 3, 4])
  func manyPoints(workers: Int) {
    let keys = keys(70_001, below: 300, seed: 5, holes: 0.1)
    expect(keys, limit: 300, workers: workers, firstIndex: 1)
    expect(keys, limit: Int.max, workers: workers, firstIndex: 1)
  }

  /// Keys of a mosaic: the member in the high bits, the tile in the low bits.
  @Test func wideKeys() {
    let keys = keys(2000, below: 40, seed: 8, holes: 0.2).map {
      $0 == LocationPlan.noKey ? $0 : $0 % 5 << 32 | $0
    }
    expect(keys, limit: Int.max, workers: 2, firstIndex: 0)
  }

  /// Keys of all widths, including the largest key.
  @Test(arguments: [1, 10, 11, 12, 22, 23, 33, 44, 63, 64], [1, 3])
  func keysOfEachWidth(bits: Int, workers: Int) {
    let top = UInt64.max >> UInt64(64 - bits)
    var keys = keys(40_000, below: max(1, top), seed: UInt64(bits), holes: 0.1)
    keys[7] = min(top, UInt64.max - 1)
    keys[39_999] = 0
    expect(keys, limit: Int.max, workers: workers, firstIndex: 3)
  }

  /// More tiles than a histogram is worthwhile for.
  @Test func moreTilesThanPoints() {
    let keys = keys(500, below: 1 << 23, seed: 9, holes: 0)
    expect(keys, limit: 1 << 23, workers: 2, firstIndex: 0)
  }
}
