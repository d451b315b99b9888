import PlumbCore

/// The world's heights and coast at the centres of a lattice's cells.
struct Relief {
  let lattice: Lattice
  /// In metres; 0 in the sea.
  let heights: [Double]
  let isSea: [Bool]

  init(_ world: World, _ lattice: Lattice) {
    self.lattice = lattice
    var sights = [(coast: Double, elevation: Double)](repeating: (0, 0), count: lattice.count)
    sights.withUnsafeMutableBufferPointer { buffer in
      let cells = SharedPointer(buffer)
      Workers().run(lattice.rows) { _, row in
        for index in row * lattice.columns..<(row + 1) * lattice.columns {
          let place = lattice.center(index)
          cells.pointer[index] = world.shape(longitude: place.longitude, latitude: place.latitude)
        }
      }
    }
    heights = sights.map(\.elevation)
    isSea = sights.map { $0.coast <= 0 }
  }
}

/// The cheapest paths over a lattice from any cell to the nearest of several ends: a tree of steps.
struct CheapestWays {
  /// The next cell on the path from each cell, -1 at the ends and where there is no path.
  private(set) var next: [Int]
  /// The cells that have a path, those nearest to an end first.
  private(set) var order: [Int] = []

  /// - Parameters:
  ///   - ends: cells, with the cost of ending there.
  ///   - cost: the cost of a step from a cell to a neighbour, above 0; nil if the step is not possible.
  init(
    _ lattice: Lattice, to ends: [(cell: Int, cost: Double)],
    cost: (_ from: Int, _ to: Int) -> Double?
  ) {
    next = Array(repeating: -1, count: lattice.count)
    var best = [Double](repeating: .infinity, count: lattice.count)
    var isSettled = [Bool](repeating: false, count: lattice.count)
    var queue = CellQueue()
    for end in ends {
      best[end.cell] = end.cost
      queue.push(end.cell, end.cost)
    }
    while let cell = queue.pop() {
      if isSettled[cell] { continue }
      isSettled[cell] = true
      order.append(cell)
      for other in lattice.neighbors(cell) where !isSettled[other] {
        guard let step = cost(other, cell), best[cell] + step < best[other] else { continue }
        best[other] = best[cell] + step
        next[other] = cell
        queue.push(other, best[other])
      }
    }
  }

  /// The cells from a cell to its end, both included.
  func way(from cell: Int) -> [Int] {
    var result = [cell]
    while let last = result.last, next[last] >= 0 { result.append(next[last]) }
    return result
  }
}

/// A binary heap of cells with the cheapest first; for equal costs, the cell with the lower number
/// comes first.
struct CellQueue {
  private var heap: [(cost: Double, cell: Int)] = []

  mutating func push(_ cell: Int, _ cost: Double) {
    heap.append((cost, cell))
    var index = heap.count - 1
    while index > 0, heap[index] < heap[(index - 1) / 2] {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func pop() -> Int? {
    guard let first = heap.first else { return nil }
    let last = heap.removeLast()
    if heap.isEmpty { return first.cell }
    heap[0] = last
    var index = 0
    while 2 * index + 1 < heap.count {
      var child = 2 * index + 1
      if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
      if !(heap[child] < heap[index]) { break }
      heap.swapAt(index, child)
      index = child
    }
    return first.cell
  }
}
