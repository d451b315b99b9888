/// Strongly connected components, computed by Tarjan's algorithm (1972).
struct StrongComponents: Sendable {
  /// The component of each vertex; `DominatorTree.none` for vertices outside the part of the graph.
  let groups: [UInt32]
  /// For each component, whether any arc within the component has no reverse arc.
  private(set) var areOneWay: [Bool]
  /// The number of vertices of each component.
  let sizes: [Int]

  private static let none = DominatorTree.none

  init(_ graph: DirectedGraph, _ part: DirectedGraph.Part) {
    var groups = [UInt32](repeating: Self.none, count: graph.count)
    var sizes: [Int] = []
    var order = [UInt32](repeating: 0, count: graph.count)
    var low = order
    var time: UInt32 = 0
    var open: [Int] = []
    var path: [(vertex: Int, next: Int)] = []
    let rows = graph.outs
    for root in 0..<graph.count where order[root] == 0 && part.has(root) {
      time += 1
      (order[root], low[root]) = (time, time)
      open.append(root)
      path.append((root, rows.range(root).lowerBound))
      while let (vertex, next) = path.last {
        guard next < rows.range(vertex).upperBound else {
          path.removeLast()
          if let above = path.last?.vertex { low[above] = min(low[above], low[vertex]) }
          guard low[vertex] == order[vertex] else { continue }
          let first = open.lastIndex(of: vertex) ?? 0
          for member in open[first...] { groups[member] = UInt32(truncatingIfNeeded: sizes.count) }
          sizes.append(open.count - first)
          open.removeSubrange(first...)
          continue
        }
        path[path.count - 1].next += 1
        let target = rows.target(next)
        guard part.has(target) else { continue }
        if order[target] == 0 {
          time += 1
          (order[target], low[target]) = (time, time)
          open.append(target)
          path.append((target, rows.range(target).lowerBound))
        } else if groups[target] == Self.none {
          low[vertex] = min(low[vertex], order[target])
        }
      }
    }
    self.groups = groups
    self.sizes = sizes
    areOneWay = Array(repeating: false, count: sizes.count)
    for vertex in 0..<graph.count where groups[vertex] != Self.none {
      for index in rows.range(vertex) where rows.isOneWay(index) {
        if groups[rows.target(index)] == groups[vertex] { areOneWay[Int(groups[vertex])] = true }
      }
    }
  }
}
