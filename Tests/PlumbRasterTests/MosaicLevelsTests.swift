import PlumbTestSupport
import Testing

@testable import PlumbRaster

/// Files that overlap earlier ones are read after them, and others at once.
@Suite struct MosaicLevelsTests {
  private typealias Box = MosaicIndex.Box

  private func box(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> Box {
    Box(minX: x, minY: y, maxX: x + width, maxY: y + height)
  }

  private func overlap(_ a: Box, _ b: Box, shift: Double = 0) -> Bool {
    min(a.maxX + shift, b.maxX) > max(a.minX + shift, b.minX)
      && min(a.maxY, b.maxY) > max(a.minY, b.minY)
  }

  @Test(arguments: [3, 30, 300], [0.5, 5, 60])
  func laterFilesAreAbove(count: Int, size: Double) {
    var generator = SeededGenerator(seed: UInt64(count))
    let boxes = (0..<count).map { _ in
      box(
        Double.random(in: 0...100, using: &generator),
        Double.random(in: 0...100, using: &generator),
        Double.random(in: 0.1...size, using: &generator),
        Double.random(in: 0.1...size, using: &generator))
    }
    let levels = MosaicLevels(boxes, references: boxes.map { _ in 0 }, periods: [nil]).levels
    for later in boxes.indices {
      let below = boxes.indices[..<later].filter { overlap(boxes[$0], boxes[later]) }
        .map { levels[$0] }
      // One above the highest level, not more.
      #expect(levels[later] == (below.max() ?? -1) + 1)
    }
  }

  /// Adjacent tiles with sizes that have rounding errors.
  @Test func neighboursAreReadTogether() {
    let boxes = (0..<400).map { box(Double($0 % 20) * 0.1, Double($0 / 20) * 0.3, 0.1, 0.3) }
    let levels = MosaicLevels(boxes, references: boxes.map { _ in 0 }, periods: [nil])
    #expect(levels.count == 1)
  }

  @Test func stacksAreReadInOrder() {
    let boxes = (0..<500).map { _ in box(3, 4, 5, 6) }
    let levels = MosaicLevels(boxes, references: boxes.map { _ in 0 }, periods: [nil])
    #expect(levels.levels == (0..<500).map { Int32($0) })
  }

  @Test func longitudesOverlapAPeriodAway() {
    let boxes = [box(170, 0, 20, 10), box(-180, 0, 5, 10), box(-150, 0, 5, 10)]
    let levels = MosaicLevels(boxes, references: [0, 0, 0], periods: [360])
    #expect(levels.levels == [0, 1, 0])
    #expect(MosaicLevels(boxes, references: [0, 0, 0], periods: [nil]).levels == [0, 0, 0])
  }

  /// Files with another CRS, or without an extent, may be anywhere.
  @Test func otherFilesMayBeAnywhere() {
    let boxes = [box(0, 0, 1, 1), box(5, 0, 1, 1), box(9, 0, 1, 1), Box(), box(20, 0, 1, 1)]
    let levels = MosaicLevels(boxes, references: [0, 1, 0, 0, 0], periods: [nil, nil])
    #expect(levels.levels == [0, 1, 2, 3, 4])
    #expect(MosaicLevels([], references: [], periods: []).count == 0)
  }
}
