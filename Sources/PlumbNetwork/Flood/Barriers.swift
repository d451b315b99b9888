import PlumbCore

/// The controllers that stop a trace.
enum ControllerTier {
  case any
  case only(domain: Int, tier: Int)
}

/// The barriers of a trace, which are set by locations, conditions and controllers.
struct Barriers {
  let network: UtilityNetwork
  let view: TraceView
  let nodes: Marks
  let spans: Marks
  /// The tests for barriers that apply in both passes.
  var barrierTests: [ElementTest] = []
  /// The tests for filter barriers, which apply only in the second pass, for junctions and for edges.
  var filterTests: [ElementTest] = []
  /// Whether spans have to be tested.
  var checksSpans = false
  /// Whether edges may be filter barriers.
  var filtersSpans = false
  /// The controllers that stop the trace; nil for none.
  var controllerTier: ControllerTier?

  /// - Parameter scratch: the storage of this trace's marks; marks of earlier traces become invalid.
  init(_ view: TraceView, _ scratch: TraceScratch) {
    network = view.network
    self.view = view
    let epoch = scratch.begin()
    nodes = unsafe Marks(base: scratch.nodes.base, epoch: epoch)
    spans = unsafe Marks(base: scratch.spans.base, epoch: epoch)
  }

  /// Whether a node is a controller that stops the trace. A trace does not pass through the inside of such a
  /// device.
  @inline(__always)
  func isStoppingController(_ node: Int) -> Bool {
    guard node < view.graph.nodeCount, unsafe view.graph.nodeInfo.base[node].isController else {
      return false
    }
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

  /// Whether a node is a barrier that applies in both passes.
  @inline(__always)
  func isBarrier(node: Int) -> Bool {
    let bits = nodes.bits(node)
    if bits & Mark.barrier != 0 { return true }
    guard node < view.graph.nodeCount, bits & Mark.exempt == 0, !barrierTests.isEmpty else {
      return false
    }
    let type = unsafe Int(view.graph.nodeInfo.base[node].type)
    guard type != NodeInfo.noType else { return false }
    return unsafe holds(barrierTests, Int(view.graph.nodeOwners.base[node]), type)
  }

  @inline(__always)
  func isBarrier(span: Int) -> Bool {
    let bits = spans.bits(span)
    if bits & Mark.barrier != 0 { return true }
    guard bits & Mark.exempt == 0, !barrierTests.isEmpty else { return false }
    let edge = view.edge(span)
    return holds(
      barrierTests, network.junctionCount + edge, Int(network.names.edges.types[edge]))
  }

  @inline(__always)
  func isFilterBarrier(node: Int) -> Bool {
    let bits = nodes.bits(node)
    if bits & (Mark.filterBarrier | Mark.inoperable | Mark.exempt) != 0 {
      return bits & (Mark.filterBarrier | Mark.inoperable) == Mark.filterBarrier
    }
    guard node < view.graph.nodeCount, !filterTests.isEmpty else { return false }
    let type = unsafe Int(view.graph.nodeInfo.base[node].type)
    guard type != NodeInfo.noType else { return false }
    return unsafe holds(filterTests, Int(view.graph.nodeOwners.base[node]), type)
  }

  @inline(__always)
  func isFilterBarrier(span: Int) -> Bool {
    let bits = spans.bits(span)
    if bits & (Mark.filterBarrier | Mark.inoperable | Mark.exempt) != 0 {
      return bits & (Mark.filterBarrier | Mark.inoperable) == Mark.filterBarrier
    }
    guard !filterTests.isEmpty else { return false }
    let edge = view.edge(span)
    return holds(filterTests, network.junctionCount + edge, Int(network.names.edges.types[edge]))
  }
}
