import PlumbCore

/// One trace under way: its marks, its cuts of edges and its barriers.
///
/// Nodes are reached and, unless something stops the trace there, crossed. Spans are reached from a
/// crossed node. An element that is a barrier is reached and not crossed.
final class Tracer {
  /// What marks mean. Nodes and spans have the same ones.
  enum Mark {
    /// Reached in the search for controllers.
    static let found: UInt32 = 1
    /// Reached in the second pass.
    static let region: UInt32 = 2
    /// Reached from the controllers.
    static let supplied: UInt32 = 4
    /// Reached from the controllers with the isolating barriers closed.
    static let stillSupplied: UInt32 = 8
    static let barrier: UInt32 = 16
    static let filterBarrier: UInt32 = 32
    /// A start at which conditions do not hold.
    static let exempt: UInt32 = 64
    /// Closed by an isolation.
    static let closed: UInt32 = 128
    static let result: UInt32 = 256
    static let inoperable: UInt32 = 512
    /// Reached and not crossed by the flood whose reach becomes the result.
    static let stopped: UInt32 = 1024
    /// Of an element that an isolation starts at.
    static let own: UInt32 = 2048
  }

  /// An arc with the cuts of the trace in it.
  struct Step {
    var target: Int
    /// -1 for none.
    var span: Int
    /// `Arc.outBit` and `Arc.inBit`.
    var flow: UInt32
    var isInside: Bool

    @inline(__always) var isOneWay: Bool { flow == Arc.outBit || flow == Arc.inBit }
  }

  let network: UtilityNetwork
  let graph: NetworkGraph
  let nodes: Marks
  let spans: Marks
  /// Room for a flood's nodes.
  let queue: UnsafeMutablePointer<UInt32>
  let cuts: EdgeCuts
  /// Barriers of both passes.
  var barrierTests: [ElementTest]
  /// Barriers of the second pass, for junctions and for edges.
  var filterTests: [ElementTest]
  /// Whether spans are asked at all.
  var asksSpans = false
  /// Whether edges may be filter barriers.
  var filtersSpans = false
  /// Added to the flow of what lets flow pass at all: both bits where one-way elements are open.
  var openBits: UInt32 = 0
  /// Which controllers stop the trace; nil for none.
  var controllerTier: ControllerTier?
  /// Which way flow runs; nil where it may run any way.
  var outward: OutwardFlow?
  var warnings: [String] = []
  /// Nodes and spans that were ever marked as result, and nodes that wait to be unmarked.
  var touchedNodes: [UInt32] = []
  var touchedSpans: [UInt32] = []
  var pending: [UInt32] = []
  /// Edges that a search for least sums left out since they have no cost.
  var costless: Set<Int> = []
  /// The controllers of an isolation.
  var supplying: Set<UInt32> = []

  enum ControllerTier {
    case any
    case only(domain: Int, tier: Int)
  }

  init(_ network: UtilityNetwork, _ scratch: TraceScratch, _ cuts: EdgeCuts) {
    self.network = network
    graph = network.graph
    let epoch = scratch.begin()
    nodes = Marks(base: scratch.nodes.base, epoch: epoch)
    spans = Marks(base: scratch.spans.base, epoch: epoch)
    queue = scratch.queue.base
    self.cuts = cuts
    barrierTests = []
    filterTests = []
  }

  // MARK: Walking

  @inline(__always)
  private func opened(_ flow: UInt32) -> UInt32 { flow == 0 ? 0 : flow | openBits }

  /// Calls `body` with each way from a node.
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
      let arc = graph.arcs.base[index]
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

  // MARK: Who owns what

  /// The element number of a node's junction; nil for a cut and for a place without one.
  @inline(__always)
  func junction(_ node: Int) -> Int? {
    guard node < graph.nodeCount else { return nil }
    let owner = graph.nodeOwners.base[node]
    return owner == NetworkGraph.noJunction ? nil : Int(owner)
  }

  @inline(__always)
  func edge(_ span: Int) -> Int {
    span < graph.spanCount
      ? Int(graph.spanEdges.base[span]) : Int(cuts.parts[span - graph.spanCount].edge)
  }

  func range(_ span: Int) -> ClosedRange<Double> {
    if span < graph.spanCount { return graph.spanStart(span)...graph.spanEnds.base[span] }
    let part = cuts.parts[span - graph.spanCount]
    return part.from...part.to
  }

  // MARK: What stops

  /// Whether a controller's node stops the trace, and is never crossed inside its device.
  @inline(__always)
  func isStoppingController(_ node: Int) -> Bool {
    guard node < graph.nodeCount, graph.nodeInfo.base[node].isController else { return false }
    switch controllerTier {
    case nil: return false
    case .any?: return true
    case .only(let domain, let tier)?:
      return network.controllers[UInt32(node)]?.contains {
        $0.domainNetworkID == domain && $0.tierID == tier
      } ?? false
    }
  }

  @inline(__always)
  private func holds(_ tests: [ElementTest], _ element: Int, _ type: Int) -> Bool {
    for test in tests where test.holds(element, type: type, network) { return true }
    return false
  }

  /// Whether a barrier of both passes is at a node.
  @inline(__always)
  func isBarrier(node: Int) -> Bool {
    let bits = nodes.bits(node)
    if bits & Mark.barrier != 0 { return true }
    guard node < graph.nodeCount, bits & Mark.exempt == 0, !barrierTests.isEmpty else {
      return false
    }
    let type = Int(graph.nodeInfo.base[node].type)
    guard type != NodeInfo.noType else { return false }
    return holds(barrierTests, Int(graph.nodeOwners.base[node]), type)
  }

  @inline(__always)
  func isBarrier(span: Int) -> Bool {
    let bits = spans.bits(span)
    if bits & Mark.barrier != 0 { return true }
    guard bits & Mark.exempt == 0, !barrierTests.isEmpty else { return false }
    let edge = edge(span)
    return holds(
      barrierTests, network.junctionCount + edge, Int(network.names.edges.types[edge]))
  }

  @inline(__always)
  func isFilterBarrier(node: Int) -> Bool {
    let bits = nodes.bits(node)
    if bits & (Mark.filterBarrier | Mark.inoperable | Mark.exempt) != 0 {
      return bits & (Mark.filterBarrier | Mark.inoperable) == Mark.filterBarrier
    }
    guard node < graph.nodeCount, !filterTests.isEmpty else { return false }
    let type = Int(graph.nodeInfo.base[node].type)
    guard type != NodeInfo.noType else { return false }
    return holds(filterTests, Int(graph.nodeOwners.base[node]), type)
  }

  @inline(__always)
  func isFilterBarrier(span: Int) -> Bool {
    let bits = spans.bits(span)
    if bits & (Mark.filterBarrier | Mark.inoperable | Mark.exempt) != 0 {
      return bits & (Mark.filterBarrier | Mark.inoperable) == Mark.filterBarrier
    }
    guard !filterTests.isEmpty else { return false }
    let edge = edge(span)
    return holds(filterTests, network.junctionCount + edge, Int(network.names.edges.types[edge]))
  }
}
