import PlumbCore

/// The windows of blocks of things in a row, so that a search skips whole blocks.
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

  /// Gives the ranges of things that may meet a window.
  func forEach(meeting window: Box, _ body: (Range<Int>) -> Void) {
    for block in boxes.indices where boxes[block].touches(window) {
      body(block * Self.size..<min((block + 1) * Self.size, count))
    }
  }

  /// Sorts things into columns and up each column, so that blocks of them are small.
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
