@testable import PlumbIO
import PlumbTestSupport
import Testing

@Suite struct RangePlanTests {
  /// The number of runs of adjacent ranges.
  private func runs(_ ranges: [Range<Int>]) -> Int {
    var (count, end) = (0, Int.min)
    for range in ranges.filter({ !$0.isEmpty }).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if range.lowerBound > end { count += 1 }
      end = max(end, range.upperBound)
    }
    return count
  }

  @Test func everyRangeIsFetchedOnceAndLittleBeside() {
    var generator = SeededGenerator(seed: 61)
    for round in 0..<400 {
      // Tiles of one file in file order. Some of them are requested, in any order.
      var (tiles, offset): ([Range<Int>], Int) = ([], Int.random(in: 0..<1000, using: &generator))
      for _ in 0..<Int.random(in: 1..<300, using: &generator) {
        let size = Int.random(in: 0..<(round % 2 == 0 ? 40_000 : 400), using: &generator)
        tiles.append(offset..<offset + size)
        let gap = [0, 0, 8, 500, 100_000].randomElement(using: &generator) ?? 0
        offset += size + gap
      }
      let requested = tiles.filter { _ in Bool.random(using: &generator) }.shuffled(
        using: &generator)
      let plan = RangePlan(requested)
      #expect(plan.pieceOfRange.count == requested.count)
      for (range, piece) in zip(requested, plan.pieceOfRange) {
        if range.isEmpty {
          #expect(piece == -1)
        } else {
          #expect(plan.pieces[Int(piece)].clamped(to: range) == range)
        }
      }
      for (piece, next) in zip(plan.pieces, plan.pieces.dropFirst()) {
        #expect(piece.upperBound < next.lowerBound)
      }
      let wanted = requested.reduce(0) { $0 + $1.count }
      #expect(plan.pieces.count <= runs(requested))
      #expect(plan.byteCount >= wanted && plan.byteCount * 10 <= wanted * 11)
    }
  }

  @Test func smallGapsAreFetchedAlongWhereTheyCostLittle() {
    // Tiles as GDAL's COG driver writes them: 8 bytes between them.
    let tiles = (0..<10).map { $0 * 10_008..<$0 * 10_008 + 10_000 }
    #expect(RangePlan(tiles).pieces == [0..<100_072])
    // Gaps as large as the tiles: merging saves nothing.
    let scattered = (0..<10).map { $0 * 20_000..<$0 * 20_000 + 10_000 }
    #expect(RangePlan(scattered).pieces == scattered)
    // Narrow gaps are merged before wide gaps.
    #expect(
      RangePlan([0..<10_000, 10_500..<20_000, 29_000..<30_000]).pieces == [
        0..<20_000, 29_000..<30_000,
      ])
  }

  @Test func longRunsAreSharedByRequests() {
    let tiles = (0..<100).map { $0 << 20..<($0 + 1) << 20 }
    let plan = RangePlan(tiles)
    #expect(plan.pieces.count == 13 && plan.byteCount == 100 << 20)
    #expect(plan.pieces.allSatisfy { $0.count <= 8 << 20 })
    // A range that exceeds a limit is kept unchanged.
    #expect(RangePlan([5..<100 << 20]).pieces == [5..<100 << 20])
  }

  @Test func sharedAndNestedRangesAreOnePiece() {
    let plan = RangePlan([100..<200, 100..<200, 120..<130, 150..<260, 0..<0])
    #expect(plan.pieces == [100..<260] && plan.pieceOfRange == [0, 0, 0, 0, -1])
    #expect(RangePlan([]).pieces.isEmpty)
  }
}
