import PlumbCore

/// An arc of the graph, or an arc along a part of an edge that the trace has cut.
struct Step {
  var target: Int
  /// The span of the arc; -1 for none.
  var span: Int
  /// The permitted directions of flow, as a combination of `Arc.outBit` and `Arc.inBit`.
  var flow: UInt32
  var isInside: Bool

  @inline(__always) var isOneWay: Bool { flow == Arc.outBit || flow == Arc.inBit }
}

/// An immutable view of the graph for one trace. The view includes the trace's cuts of edges.
/// One-way elements are open in both directions if requested.
struct TraceView {
  let network: UtilityNetwork
  let graph: NetworkGraph
  let cuts: EdgeCuts
  /// The bits added to the flow of elements that permit flow in at least one direction: both bits if
  /// one-way elements are open in both directions, otherwise none.
  let openBits: UInt32

  init(_ network: UtilityNetwork, _ cuts: EdgeCuts, isOpen: Bool) {
    self.network = network
    graph = network.graph
    self.cuts = cuts
    openBits = isOpen ? Arc.outBit | Arc.inBit : 0
  }

  /// The nodes of the graph and the cuts.
  var nodeCount: Int { graph.nodeCount + cuts.points.count }
  var spanCount: Int { graph.spanCount + cuts.parts.count }

  /// Whether all flow is bidirectional.
  var isUndirected: Bool { graph.isUndirected || openBits != 0 }

  // MARK: Traversal

  @inline(__always)
  private func opened(_ flow: UInt32) -> UInt32 { flow == 0 ? 0 : flow | openBits }

  /// Calls `body` with each step from a node.
  @inline(__always)
  func forEachStep(_ node: Int, _ body: (Step) -> Void) {
    guard node < graph.nodeCount else {
      let cut = node - graph.nodeCount
      for arc in cuts.arcs[cut * 2..<cut * 2 + 2] {
        body(
          Step(
            target: Int(arc.target), span: Int(arc.span), flow: opened(arc.flow), isInside: false))
      }
      return
    }
    for index in graph.arcRange(node) {
      let arc = unsafe graph.arcs.base[index]
      guard arc.isSpan else {
        body(
          Step(
            target: Int(arc.target), span: -1, flow: opened(arc.flow),
            isInside: arc.span == Arc.inside))
        continue
      }
      if cuts.filter & (1 &<< UInt64(arc.span & 63)) != 0, let parts = cuts.partsOfSpan[arc.span] {
        let part = arc.isAtFrom ? parts.lowerBound : parts.upperBound - 1
        let nodes = cuts.parts[part].nodes
        body(
          Step(
            target: Int(arc.isAtFrom ? nodes.y : nodes.x), span: graph.spanCount + part,
            flow: opened(arc.flow), isInside: false))
      } else {
        body(
          Step(
            target: Int(arc.target), span: Int(arc.span), flow: opened(arc.flow), isInside: false))
      }
    }
  }

  // MARK: Spans and their elements

  /// The element number of a node's junction; nil for a cut of an edge and for a point without a junction.
  @inline(__always)
  func junction(_ node: Int) -> Int? {
    guard node < graph.nodeCount else { return nil }
    let owner = unsafe graph.nodeOwners.base[node]
    return owner == NetworkGraph.noJunction ? nil : Int(owner)
  }

  @inline(__always)
  func edge(_ span: Int) -> Int {
    unsafe span < graph.spanCount
      ? Int(graph.spanEdges.base[span]) : Int(cuts.parts[span - graph.spanCount].edge)
  }

  func range(_ span: Int) -> ClosedRange<Double> {
    if span < graph.spanCount { return unsafe graph.spanStart(span)...graph.spanEnds.base[span] }
    let part = cuts.parts[span - graph.spanCount]
    return part.from...part.to
  }

  /// The nodes of a span.
  func ends(_ span: Int) -> [Int] {
    let nodes =
      unsafe span < graph.spanCount
      ? graph.spanNodes.base[span] : cuts.parts[span - graph.spanCount].nodes
    return [Int(nodes.x), Int(nodes.y)]
  }

  /// The spans of an edge; a span that is cut is replaced by its parts.
  func spans(ofEdge edge: Int) -> [Int] {
    let all = unsafe Int(graph.spanStarts.base[edge])..<Int(graph.spanStarts.base[edge + 1])
    guard !cuts.isEmpty else { return Array(all) }
    return all.flatMap { span -> [Int] in
      guard let parts = cuts.partsOfSpan[UInt32(span)] else { return [span] }
      return parts.map { graph.spanCount + $0 }
    }
  }
}
