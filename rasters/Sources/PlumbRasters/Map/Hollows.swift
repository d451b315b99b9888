/// The depressions of the land without an outlet, in which rivers end in vleis.
struct Hollows {
  /// The lowest cell of each depression that is deep and wide enough.
  private(set) var bottoms: [Int] = []
  /// The minimum depth of a depression below its brim, in metres.
  private static let depth = 30.0
  /// The minimum number of cells of a depression.
  private static let size = 40

  /// Floods the land from the sea and the edge, the lowest brim first (priority flood by Barnes, Lehman and
  /// Mulla).
  init(_ relief: Relief) {
    let lattice = relief.lattice
    var brims = [Double](repeating: .infinity, count: lattice.count)
    var queue = CellQueue()
    for cell in 0..<lattice.count where relief.isSea[cell] || lattice.isEdge(cell) {
      brims[cell] = relief.heights[cell]
      queue.push(cell, brims[cell])
    }
    while let cell = queue.pop() {
      for other in lattice.neighbors(cell) where brims[other] == .infinity {
        brims[other] = max(brims[cell], relief.heights[other])
        queue.push(other, brims[other])
      }
    }
    var isSeen = zip(brims, relief.heights).map { $0 <= $1 }
    for start in 0..<lattice.count where !isSeen[start] {
      isSeen[start] = true
      var pending = [start]
      var bottom = start
      var size = 0
      while let cell = pending.popLast() {
        size += 1
        if relief.heights[cell] < relief.heights[bottom] { bottom = cell }
        for other in lattice.neighbors(cell) where !isSeen[other] {
          isSeen[other] = true
          pending.append(other)
        }
      }
      if size >= Self.size, brims[bottom] - relief.heights[bottom] >= Self.depth {
        bottoms.append(bottom)
      }
    }
  }
}
