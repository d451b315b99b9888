/// Disjoint sets that can be merged.
struct UnionFind {
  private var parents: [UInt32]

  init(_ count: Int) { parents = (0..<count).map { UInt32(truncatingIfNeeded: $0) } }

  mutating func root(_ item: Int) -> Int {
    var item = item
    while Int(parents[item]) != item {
      parents[item] = parents[Int(parents[item])]
      item = Int(parents[item])
    }
    return item
  }

  /// Merges the sets of two items; the lesser root becomes the root of the merged set.
  mutating func join(_ a: Int, _ b: Int) {
    let (a, b) = (root(a), root(b))
    if a == b { return }
    parents[max(a, b)] = UInt32(truncatingIfNeeded: min(a, b))
  }
}
