/// Finds paths with the fewest arcs. Repeated searches reuse the buffers without clearing them.
struct PathFinder {
  private let graph: DirectedGraph
  private var seen: [UInt32]
  private var before: [UInt32]
  private var round: UInt32 = 0

  init(_ graph: DirectedGraph) {
    self.graph = graph
    seen = Array(repeating: 0, count: graph.count)
    before = seen
  }

  /// Returns the path from a vertex to the first goal. The path begins with the vertex, which may
  /// be a goal itself.
  ///
  /// - Parameters:
  ///   - budget: reduced by the number of visited arcs and vertices.
  ///   - isOpen: returns whether a vertex other than the first may be visited.
  /// - Returns: nil if there is no path or the budget is exhausted.
  mutating func path(
    from start: Int, isReversed: Bool, _ budget: inout Int, isGoal: (Int) -> Bool,
    isOpen: (Int) -> Bool
  ) -> [Int]? {
    let rows = isReversed ? graph.ins : graph.outs
    round += 1
    seen[start] = round
    before[start] = UInt32(truncatingIfNeeded: start)
    var queue = [start]
    var next = 0
    while next < queue.count {
      let vertex = queue[next]
      next += 1
      if isGoal(vertex) { return way(to: vertex) }
      let range = rows.range(vertex)
      budget -= range.count + 1
      if budget < 0 { return nil }
      for index in range {
        let target = rows.target(index)
        guard seen[target] != round, isOpen(target) else { continue }
        seen[target] = round
        before[target] = UInt32(truncatingIfNeeded: vertex)
        queue.append(target)
      }
    }
    return nil
  }

  private func way(to goal: Int) -> [Int] {
    var path = [goal]
    while let last = path.last, Int(before[last]) != last { path.append(Int(before[last])) }
    return path.reversed()
  }
}

/// A randomly grown tree with one path from a root to each reachable vertex; different seeds result in
/// different paths.
struct PathTree {
  /// For each vertex, the next vertex toward the root; for the root, the root itself; `DominatorTree.none` if
  /// the vertex is not reached.
  private let before: [UInt32]

  init(_ graph: DirectedGraph, root: Int, _ part: DirectedGraph.Part, seed: UInt64) {
    var before = [UInt32](repeating: DominatorTree.none, count: graph.count)
    let rows = graph.ways(part)
    var random = seed
    var edge = [root]
    before[root] = UInt32(truncatingIfNeeded: root)
    while !edge.isEmpty {
      // The constants of the linear congruential generator of Knuth's MMIX.
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      edge.swapAt(Int(random >> 33) % edge.count, edge.count - 1)
      let vertex = edge.removeLast()
      if vertex != root, !part.leaves(vertex) { continue }
      for index in rows.range(vertex) {
        let target = rows.target(index)
        guard before[target] == DominatorTree.none, part.has(target) else { continue }
        before[target] = UInt32(truncatingIfNeeded: vertex)
        edge.append(target)
      }
    }
    self.before = before
  }

  /// Returns the path from a vertex to the root, both included; nil if the vertex is not reached.
  func path(from vertex: Int) -> [Int]? {
    guard before[vertex] != DominatorTree.none else { return nil }
    var path = [vertex]
    while let last = path.last, Int(before[last]) != last { path.append(Int(before[last])) }
    return path
  }
}

/// A Fenwick tree (1994): adds to ranges of positions, and returns the sum at a position.
struct RangeSums {
  private var sums: [Int32]

  init(count: Int) { sums = Array(repeating: 0, count: count + 2) }

  /// Adds a number to all positions from `x` up to but excluding `y`.
  mutating func add(_ number: Int32, to range: SIMD2<UInt32>) {
    add(number, from: Int(range.x))
    add(-number, from: Int(range.y))
  }

  private mutating func add(_ number: Int32, from position: Int) {
    var index = position + 1
    while index < sums.count {
      sums[index] += number
      index += index & -index
    }
  }

  func value(at position: Int) -> Int32 {
    var (sum, index): (Int32, Int) = (0, position + 1)
    while index > 0 {
      sum += sums[index]
      index -= index & -index
    }
    return sum
  }
}
