/// Maps some elements to the elements paired with them.
struct PairRows: Sendable {
  private let pairs: [SIMD2<UInt32>]

  init(_ pairs: [(UInt32, UInt32)], reversed: Bool) {
    self.pairs = pairs.map { reversed ? SIMD2($0.1, $0.0) : SIMD2($0.0, $0.1) }
      .sorted { $0.x != $1.x ? $0.x < $1.x : $0.y < $1.y }
  }

  var isEmpty: Bool { pairs.isEmpty }

  func forEach(_ element: UInt32, _ body: (UInt32) -> Void) {
    var (low, high) = (0, pairs.count)
    while low < high {
      let middle = (low + high) / 2
      if pairs[middle].x < element { low = middle + 1 } else { high = middle }
    }
    while low < pairs.count, pairs[low].x == element {
      body(pairs[low].y)
      low += 1
    }
  }
}
