/// The dominators of each vertex, computed by the algorithm of Lengauer and Tarjan (1979) with path
/// compression. The dominators of a vertex are the vertices on every path from a root to the
/// vertex.
struct DominatorTree: Sendable {
  static let none = UInt32.max

  /// For each vertex, the next vertex toward the root that every path visits; `none` for the root and
  /// unreachable vertices.
  let parents: [UInt32]
  /// The vertices in preorder: each vertex follows its parent, and its descendants follow it directly.
  let order: [UInt32]
  /// The position of each vertex in `order`, and the position after its last descendant; 0 and 0 if the
  /// vertex is not reached.
  let bounds: [SIMD2<UInt32>]

  func isReached(_ vertex: Int) -> Bool { bounds[vertex].y > 0 }

  /// Whether every path from the root to `other` visits a vertex; true if `other` is the vertex itself.
  func dominates(_ vertex: Int, _ other: Int) -> Bool {
    isReached(vertex) && isReached(other) && bounds[vertex].x <= bounds[other].x
      && bounds[other].x < bounds[vertex].y
  }

  /// Returns the dominators of a vertex, without the root and the vertex itself.
  func between(_ vertex: Int) -> [Int] {
    var result: [Int] = []
    var next = parents[vertex]
    while next != Self.none, parents[Int(next)] != Self.none {
      result.append(Int(next))
      next = parents[Int(next)]
    }
    return result
  }

  /// - Complexity: O(arcs × log vertices).
  init(_ graph: DirectedGraph, root: Int, _ part: DirectedGraph.Part) {
    var search = DominatorSearch(graph, root, part)
    parents = search.parents()
    (order, bounds) = Self.positions(parents, root)
  }

  /// The positions of the tree's vertices in depth-first order.
  private static func positions(
    _ parents: [UInt32], _ root: Int
  ) -> (order: [UInt32], bounds: [SIMD2<UInt32>]) {
    var firsts = [UInt32](repeating: none, count: parents.count)
    var siblings = firsts
    for (vertex, parent) in parents.enumerated() where parent != none {
      siblings[vertex] = firsts[Int(parent)]
      firsts[Int(parent)] = UInt32(truncatingIfNeeded: vertex)
    }
    var bounds = [SIMD2<UInt32>](repeating: .zero, count: parents.count)
    var order = [UInt32(truncatingIfNeeded: root)]
    var path = [root]
    while let vertex = path.last {
      let child = firsts[vertex]
      guard child != none else {
        bounds[vertex].y = UInt32(truncatingIfNeeded: order.count)
        path.removeLast()
        continue
      }
      firsts[vertex] = siblings[Int(child)]
      bounds[Int(child)].x = UInt32(truncatingIfNeeded: order.count)
      order.append(child)
      path.append(Int(child))
    }
    return (order, bounds)
  }
}

/// A search for dominators. Numbers are positions in depth-first order.
private struct DominatorSearch {
  private let backward: DirectedGraph.Rows
  private let part: DirectedGraph.Part
  /// The vertex of each number.
  private var vertices: [UInt32] = []
  /// The number of each vertex.
  private var numbers: [UInt32]
  // The following arrays are indexed by number.
  private var parent: [UInt32] = []
  private var semi: [UInt32]
  private var label: [UInt32]
  private var ancestor: [UInt32]

  private static let none = DominatorTree.none

  init(_ graph: DirectedGraph, _ root: Int, _ part: DirectedGraph.Part) {
    self.part = part
    let forward = part.isReversed ? graph.ins : graph.outs
    backward = part.isReversed ? graph.outs : graph.ins
    numbers = Array(repeating: Self.none, count: graph.count)
    var path: [(vertex: Int, next: Int)] = []
    func enter(_ vertex: Int, _ parent: UInt32, _ search: inout DominatorSearch) {
      search.numbers[vertex] = UInt32(truncatingIfNeeded: search.vertices.count)
      search.vertices.append(UInt32(truncatingIfNeeded: vertex))
      search.parent.append(parent)
      path.append((vertex, forward.range(vertex).lowerBound))
    }
    (semi, label, ancestor) = ([], [], [])
    enter(root, Self.none, &self)
    while let (vertex, next) = path.last {
      let isLeft = vertex == root || part.leaves(vertex)
      guard isLeft, next < forward.range(vertex).upperBound else {
        path.removeLast()
        continue
      }
      path[path.count - 1].next += 1
      let target = forward.target(next)
      if numbers[target] == Self.none, part.has(target) { enter(target, numbers[vertex], &self) }
    }
    semi = (0..<UInt32(truncatingIfNeeded: vertices.count)).map { $0 }
    label = semi
    ancestor = Array(repeating: Self.none, count: vertices.count)
  }

  mutating func parents() -> [UInt32] {
    let count = vertices.count
    var dominators = [UInt32](repeating: Self.none, count: count)
    // Linked lists of the numbers that have the same semidominator.
    var firsts = [UInt32](repeating: Self.none, count: count)
    var nexts = firsts
    for number in stride(from: count - 1, to: 0, by: -1) {
      let vertex = Int(vertices[number])
      for index in backward.range(vertex) {
        let source = backward.target(index)
        guard numbers[source] != Self.none, numbers[source] == 0 || part.leaves(source) else {
          continue
        }
        let best = semi[evaluate(Int(numbers[source]))]
        if best < semi[number] { semi[number] = best }
      }
      let half = Int(semi[number])
      nexts[number] = firsts[half]
      firsts[half] = UInt32(truncatingIfNeeded: number)
      let above = Int(parent[number])
      ancestor[number] = parent[number]
      var item = firsts[above]
      while item != Self.none {
        let best = evaluate(Int(item))
        dominators[Int(item)] =
          semi[best] < semi[Int(item)] ? UInt32(truncatingIfNeeded: best) : parent[number]
        item = nexts[Int(item)]
      }
      firsts[above] = Self.none
    }
    var result = [UInt32](repeating: Self.none, count: numbers.count)
    for number in 1..<max(1, count) {
      if dominators[number] != semi[number] {
        dominators[number] = dominators[Int(dominators[number])]
      }
      result[Int(vertices[number])] = vertices[Int(dominators[number])]
    }
    return result
  }

  /// Returns the number with the least semidominator on the path up from a number.
  private mutating func evaluate(_ number: Int) -> Int {
    guard ancestor[number] != Self.none else { return number }
    var path: [Int] = []
    var next = number
    while ancestor[Int(ancestor[next])] != Self.none {
      path.append(next)
      next = Int(ancestor[next])
    }
    while let item = path.popLast() {
      let above = Int(ancestor[item])
      if semi[Int(label[above])] < semi[Int(label[item])] { label[item] = label[above] }
      ancestor[item] = ancestor[above]
    }
    return Int(label[number])
  }
}
