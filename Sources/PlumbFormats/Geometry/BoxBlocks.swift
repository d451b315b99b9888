import PlumbCore

/// The bounding boxes of blocks of consecutive items. A search uses the boxes to skip whole blocks.
struct BoxBlocks {
  private static let size = 32
  private let count: Int
  private let boxes: [Box]

  init(count: Int, box: (Int) -> Box) {
    self.count = count
    boxes = stride(from: 0, to: count, by: Self.size).map { start in
      var sum = Box.nowhere
      for index in start..<min(start + Self.size, count) {
        sum.include(box(index))
      }
      return sum
    }
  }

  /// Calls `body` with the ranges of items that may intersect a window.
  func forEach(meeting window: Box, _ body: (Range<Int>) -> Void) {
    for block in boxes.indices where boxes[block].touches(window) {
      body(block * Self.size..<min((block + 1) * Self.size, count))
    }
  }

  /// Sorts items into columns by x, and within each column by y, so that the boxes of blocks are small.
  static func order(_ things: [Int], point: (Int) -> SIMD2<Double>) -> [Int] {
    var things = things.sorted { point($0).x < point($1).x }
    let blockCount = things.count / size + 1
    let column = max(size, things.count / max(1, Int(Double(blockCount).squareRoot())))
    for start in stride(from: 0, to: things.count, by: column) {
      things[start..<min(start + column, things.count)].sort { point($0).y < point($1).y }
    }
    return things
  }
}
