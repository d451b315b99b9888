import PlumbCore

/// The permitted directions of flow on simple paths from the controllers. A simple path does not
/// visit a node twice.
///
/// All controllers together are the root. Cut vertices divide the graph into blocks. Simple paths
/// enter each block, except the block of the root, at one vertex, the entry, and do not return to
/// the entry. Flow from a node to the entry of its block is therefore excluded. If all flow is
/// bidirectional, a walk along the remaining arcs reaches exactly the nodes that simple paths
/// visit.
final class OutwardFlow: Sendable {
  static let none = UInt32.max

  /// The number of each node in this structure: 0 for controllers, `none` for nodes that are not
  /// crossed. Valid only for nodes that were found.
  private let numbers: TrivialBuffer<UInt32>
  /// For each number, the number of its block's entry.
  private let entries: [UInt32]
  /// For each number, the number of the node from which the node was first reached, if the arc
  /// between the two nodes is not on a cycle; otherwise `none`.
  private let bridges: [UInt32]
  /// `Arc.outBit` if the controllers are sources, `Arc.inBit` if they are sinks.
  private let supply: UInt32

  /// Whether a flood runs in the direction of flow.
  @inline(__always)
  func isAlong(_ flow: UInt32) -> Bool { flow == supply }

  /// Whether a flood may take a step, along or against the flow.
  @inline(__always)
  func permits(_ step: Step, _ from: Int, _ flow: UInt32) -> Bool {
    let isAlong = flow == supply
    let (source, target) = isAlong ? (from, step.target) : (step.target, from)
    let (u, v) = unsafe (numbers.base[source], numbers.base[target])
    if v == 0 || u == Self.none { return false }
    // An edge from a node to itself is supplied, but does not lead to another node.
    if source == target { return isAlong }
    return v == Self.none || entries[Int(u)] != v
  }

  /// Whether flow may run in either direction between two nodes.
  func isIndeterminate(_ step: Step, _ from: Int) -> Bool {
    let (u, v) = unsafe (numbers.base[from], numbers.base[step.target])
    guard step.flow == Arc.outBit | Arc.inBit, u != 0, v != 0, u != Self.none, v != Self.none else {
      return false
    }
    return entries[Int(u)] != v && entries[Int(v)] != u
  }

  /// Whether a step is on a cycle.
  func isOnCycle(_ step: Step, _ from: Int) -> Bool {
    let (u, v) = unsafe (numbers.base[from], numbers.base[step.target])
    guard u != Self.none, v != Self.none else { return false }
    if u == v { return true }
    return bridges[Int(u)] != v && bridges[Int(v)] != u
  }

  /// - Parameters:
  ///   - reachable: the nodes found; paths end at nodes that were not crossed.
  ///   - roots: the nodes where paths begin, which are always crossed; the roots are treated as one
  ///     node if `mergesRoots` is true.
  init(
    _ flood: Flood, _ reachable: ReachableSet, rule: FloodRule, roots: [UInt32], mergesRoots: Bool,
    supply: UInt32
  ) {
    self.supply = supply
    let numbers = TrivialBuffer<UInt32>(
      count: flood.view.nodeCount)
    self.numbers = numbers
    for node in reachable.nodes {
      unsafe numbers.base[Int(node & ~ReachableSet.stopped)] = Self.none
    }
    var nodes: [UInt32] = []
    if mergesRoots {
      nodes.append(roots.first ?? 0)
      for root in roots { unsafe numbers.base[Int(root)] = 0 }
    }
    for node in reachable.nodes where node & ReachableSet.stopped == 0 {
      guard unsafe numbers.base[Int(node)] == Self.none else { continue }
      unsafe numbers.base[Int(node)] = UInt32(truncatingIfNeeded: nodes.count)
      nodes.append(node)
    }
    var starts: [UInt32] = [0]
    starts.reserveCapacity(nodes.count + 1)
    var targets: [UInt32] = []
    let (view, marks, checksSpans) = (flood.view, flood.nodes, flood.barriers.checksSpans)
    for (number, node) in nodes.enumerated() {
      for from in number == 0 && mergesRoots ? roots : [node] {
        let isController = flood.barriers.isStoppingController(Int(from))
        view.forEachStep(Int(from)) { step in
          guard flood.mayPass(step, Int(from), isController, rule),
            marks.has(step.target, Mark.found),
            unsafe numbers.base[step.target] != Self.none,
            !(step.span >= 0 && checksSpans && flood.stops(span: step.span, rule))
          else { return }
          // The other side of a controller belongs to another subnetwork.
          if step.isInside, flood.barriers.isStoppingController(step.target) { return }
          unsafe targets.append(numbers.base[step.target])
        }
      }
      starts.append(UInt32(truncatingIfNeeded: targets.count))
    }
    (entries, bridges) = Self.blocks(nodes.count, starts, targets)
  }

  private static func blocks(
    _ count: Int, _ starts: [UInt32], _ targets: [UInt32]
  ) -> (entries: [UInt32], bridges: [UInt32]) {
    var entries = [UInt32](repeating: none, count: count)
    var bridges = entries
    var order = [UInt32](repeating: 0, count: count)
    var low = order
    var parents = entries
    var next = starts
    var skipped = [Bool](repeating: false, count: count)
    var stack: [UInt32] = []
    var path: [Int] = []
    var time: UInt32 = 0
    for root in 0..<count where order[root] == 0 {
      time += 1
      (order[root], low[root]) = (time, time)
      path.append(root)
      while let node = path.last {
        if next[node] < starts[node + 1] {
          let target = Int(targets[Int(next[node])])
          next[node] += 1
          if order[target] == 0 {
            time += 1
            (order[target], low[target]) = (time, time)
            parents[target] = UInt32(truncatingIfNeeded: node)
            stack.append(UInt32(truncatingIfNeeded: target))
            path.append(target)
          } else if UInt32(truncatingIfNeeded: target) == parents[node], !skipped[node] {
            // Skip the arc by which the node was reached, but only once. A second arc to the same
            // node closes a cycle.
            skipped[node] = true
          } else {
            low[node] = min(low[node], order[target])
          }
        } else {
          path.removeLast()
          guard let parent = path.last else { continue }
          low[parent] = min(low[parent], low[node])
          guard low[node] >= order[parent] else { continue }
          if low[node] > order[parent] { bridges[node] = UInt32(truncatingIfNeeded: parent) }
          while let member = stack.popLast() {
            entries[Int(member)] = UInt32(truncatingIfNeeded: parent)
            if Int(member) == node { break }
          }
        }
      }
    }
    return (entries, bridges)
  }
}
