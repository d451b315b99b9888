import PlumbCore

/// The reasons why barriers are closed or remain open.
struct BarrierReasons {
  private let view: TraceView
  private let network: UtilityNetwork
  private let nodes: Marks

  init(_ flood: Flood) {
    view = flood.view
    network = flood.network
    nodes = flood.nodes
  }

  func idleReason(_ node: UInt32) -> IsolationBarrier.Reason {
    if let junction = view.junction(Int(node)) {
      let all =
        unsafe view.graph.nodeStarts.base[junction]..<view.graph.nodeStarts.base[junction + 1]
      if all.contains(where: { $0 != node && nodes.has(Int($0), Mark.stillSupplied) }) {
        return .flowsAway
      }
    }
    var (hasBeyond, isFed, flowsIn) = (false, false, false)
    view.forEachStep(Int(node)) { step in
      if step.flow == 0 { return }
      if nodes.has(step.target, Mark.region), !nodes.has(step.target, Mark.closed) { return }
      hasBeyond = true
      if nodes.has(step.target, Mark.supplied) { isFed = true }
      if nodes.has(step.target, Mark.stillSupplied) { flowsIn = true }
    }
    if !hasBeyond { return .insideArea }
    return flowsIn ? .flowsAway : isFed ? .suppliedThroughArea : .deadEnd
  }

  func idleReason(span: UInt32) -> IsolationBarrier.Reason {
    let ends = view.ends(Int(span))
    if ends.allSatisfy({ nodes.has($0, Mark.region) }) { return .insideArea }
    let beyond = ends.filter { !nodes.has($0, Mark.region) }
    if beyond.contains(where: { nodes.has($0, Mark.stillSupplied) }) { return .flowsAway }
    return beyond.contains { nodes.has($0, Mark.supplied) } ? .suppliedThroughArea : .deadEnd
  }

  func barrier(
    node: UInt32, _ reason: IsolationBarrier.Reason
  ) -> IsolationBarrier {
    if let junction = view.junction(Int(node)) {
      return IsolationBarrier(
        location: TraceLocation(
          NetworkElement(index: UInt32(junction)), terminalID: view.terminalID(Int(node))),
        reason: reason, why: reason.words)
    }
    guard Int(node) >= view.graph.nodeCount else {
      // A point without a junction is not a barrier.
      return IsolationBarrier(
        location: TraceLocation(NetworkElement(index: 0)), reason: reason, why: reason.words)
    }
    let (edge, fraction) = view.cuts.points[Int(node) - view.graph.nodeCount]
    return IsolationBarrier(
      location: TraceLocation(
        NetworkElement(index: edge + UInt32(network.junctionCount)), fractionAlongEdge: fraction),
      reason: reason, why: reason.words)
  }

  func barrier(
    span: UInt32, _ reason: IsolationBarrier.Reason
  ) -> IsolationBarrier {
    IsolationBarrier(
      location: TraceLocation(
        NetworkElement(index: UInt32(network.junctionCount + view.edge(Int(span))))),
      reason: reason, why: reason.words)
  }
}

extension IsolationBarrier.Reason {
  /// The reason as text.
  public var words: String {
    switch self {
    case .suppliedFromBeyond: "a controller supplies it from beyond the area: close it"
    case .isController: "it is a subnetwork controller itself: close it"
    case .deadEnd: "no controller supplies the elements beyond it"
    case .suppliedThroughArea: "the elements beyond it are supplied only through the isolated area"
    case .flowsAway: "flow passes it only out of the area"
    case .insideArea: "the isolated area is on all its sides"
    case .notIsolated: "it bounds the area, but a controller there cannot be cut off"
    }
  }
}
