/// The possible directions of flow from the controllers.
struct SupplyDirections {
  /// The permitted directions if all flow is bidirectional; nil if some elements permit one direction only.
  let outward: OutwardFlow?
  /// The graph of supply; nil if all flow is bidirectional.
  let graph: SupplyGraph?
  /// For each vertex of the graph, the vertices that every path of supply to the vertex visits; nil
  /// if the tree is not needed.
  let tree: DominatorTree?

  /// - Parameters:
  ///   - found: the nodes and spans reached by the search for the controllers.
  ///   - starts: the nodes from which arcs lead to the graph's goal.
  ///   - needsTree: whether to build the tree.
  init(
    _ flood: Flood, _ found: ReachableSet, controllers: [UInt32], starts: [UInt32], supply: UInt32,
    needsTree: Bool
  ) {
    guard flood.view.isUndirected else {
      let graph = SupplyGraph(
        flood, found, controllers: controllers, starts: starts, supply: supply)
      (outward, self.graph) = (nil, graph)
      tree =
        needsTree
        ? DominatorTree(graph.graph, root: SupplyGraph.root, DirectedGraph.Part()) : nil
      return
    }
    outward = OutwardFlow(
      flood, found, rule: FloodRule(mark: 0), roots: controllers, mergesRoots: true,
      supply: supply)
    (graph, tree) = (nil, nil)
  }

  /// Whether flow may run in either direction between two nodes, because each node is reached by a
  /// path that does not visit the other node.
  func isIndeterminate(_ step: Step, _ from: Int) -> Bool {
    if let outward { return outward.isIndeterminate(step, from) }
    guard let graph, let tree, step.flow == Arc.outBit | Arc.inBit else { return false }
    let (a, b) = (graph.vertex(node: from), graph.vertex(node: step.target))
    return tree.isReached(a) && tree.isReached(b) && graph.crosses(step)
      && !tree.dominates(a, b) && !tree.dominates(b, a)
  }
}

/// Removes elements with indeterminate flow from a result.
struct IndeterminateFlow {
  let flood: Flood
  let directions: SupplyDirections

  /// Moves spans with indeterminate flow, and nodes that have no other span in the result, to the possible
  /// elements.
  ///
  /// - Parameter starts: nodes to keep in the result.
  /// - Returns: a warning about the moved elements; nil if there are none.
  func move(
    from marks: ResultMarks, to possible: inout ResultMarks, keeping starts: [UInt32]
  ) -> String? {
    let (view, nodes, spans) = (flood.view, flood.nodes, flood.spans)
    var moved: Set<Int> = []
    // The moved elements are unmarked at the end, so that each element is tested while all other
    // elements are still marked.
    var (movedNodes, movedSpans): ([UInt32], [Int]) = ([], [])
    let kept = Set(starts)
    for node in marks.touchedNodes where nodes.has(Int(node), Mark.result) {
      var (isIndeterminate, isDeterminate) = (false, kept.contains(node))
      view.forEachStep(Int(node)) { step in
        guard step.flow != 0, nodes.has(step.target, Mark.supplied),
          nodes.has(Int(node), Mark.supplied)
        else { return }
        let isInResult =
          step.span >= 0 ? spans.has(step.span, Mark.result) : nodes.has(step.target, Mark.result)
        guard directions.isIndeterminate(step, Int(node)) else {
          if isInResult { isDeterminate = true }
          return
        }
        isIndeterminate = true
        if step.span >= 0, isInResult { movedSpans.append(step.span) }
      }
      if isIndeterminate, !isDeterminate { movedNodes.append(node) }
    }
    for node in movedNodes {
      nodes.clear(Int(node), Mark.result)
      possible.insert(node: node)
      if let junction = view.junction(Int(node)) { moved.insert(junction) }
    }
    for span in movedSpans where spans.has(span, Mark.result) {
      if flood.barriers.checksSpans, flood.barriers.isBarrier(span: span) { continue }
      spans.clear(span, Mark.result)
      possible.insert(span: span)
      moved.insert(view.edge(span) + view.network.junctionCount)
    }
    if moved.isEmpty { return nil }
    return
      "\(moved.count) \(moved.count == 1 ? "element is" : "elements are") listed as possible: their "
      + "flow is indeterminate"
  }
}
