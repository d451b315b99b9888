import PlumbCore

/// Finds the controllers of the traced tier among the nodes that a flood reached.
struct ControllerSearch {
  let view: TraceView
  let network: UtilityNetwork
  let nodes: Marks
  private let barriers: Barriers
  let plan: TracePlan

  init(_ flood: Flood, _ plan: TracePlan) {
    view = flood.view
    network = flood.network
    nodes = flood.nodes
    barriers = flood.barriers
    self.plan = plan
  }

  private func controls(_ node: UInt32) -> [SubnetworkController] {
    guard let all = network.controllers[node] else { return [] }
    guard let (domain, tier) = plan.tier else { return all }
    return all.filter { $0.domainNetworkID == domain.id && $0.tierID == tier.id }
  }

  /// Returns the found controllers of the traced tier, in element order.
  ///
  /// - Throws: `noControllers` if no controller was found.
  func controllers(_ reachable: ReachableSet) throws(NetworkError) -> [UInt32] {
    var result: [UInt32] = []
    for node in reachable.nodes {
      let node = node & ~ReachableSet.stopped
      guard Int(node) < view.graph.nodeCount,
        unsafe view.graph.nodeInfo.base[Int(node)].isController,
        !controls(node).isEmpty,
        // A controller that is also a barrier is excluded.
        !nodes.has(Int(node), Mark.barrier)
      else { continue }
      result.append(node)
    }
    guard !result.isEmpty else {
      throw NetworkError(
        .noControllers,
        "no valid subnetwork controllers are reached from the starting locations" + stops(reachable)
      )
    }
    return result.sorted { view.order($0) < view.order($1) }
  }

  /// The maximum number of barriers named in a message.
  private static let nameLimit = 3

  /// Returns the barriers at which a search ended, as text for the end of a message; empty for
  /// none.
  private func stops(_ reachable: ReachableSet) -> String {
    var elements: Set<Int> = []
    for node in reachable.nodes where node & ReachableSet.stopped != 0 {
      let item = Int(node & ~ReachableSet.stopped)
      guard barriers.isBarrier(node: item) else { continue }
      if let junction = view.junction(item) {
        elements.insert(junction)
      } else if item >= view.graph.nodeCount {
        elements.insert(
          network.junctionCount + Int(view.cuts.points[item - view.graph.nodeCount].edge))
      }
    }
    for span in reachable.stoppedSpans where barriers.isBarrier(span: Int(span)) {
      elements.insert(network.junctionCount + view.edge(Int(span)))
    }
    if elements.isEmpty { return "" }
    let names = elements.sorted {
      unsafe network.index.ranks.base[$0] < network.index.ranks.base[$1]
    }.prefix(Self.nameLimit).map { network.names.name($0) }
    let more = elements.count - names.count
    return ": the path ends at " + names.joined(separator: ", ")
      + (more > 0 ? " and \(more) more" : "")
      + ", which \(elements.count == 1 ? "is" : "are") closed"
  }

  /// - Throws: `severalSubnetworks` if the controllers have no subnetwork name in common.
  func oneSubnetwork(_ controllers: [UInt32]) throws(NetworkError) {
    var common: Set<String>?
    var all: Set<String> = []
    for node in controllers {
      let names = Set(controls(node).flatMap(\.subnetworkNames))
      if names.isEmpty { continue }
      common = common.map { $0.intersection(names) } ?? names
      all.formUnion(names)
    }
    guard common?.isEmpty == true else { return }
    throw NetworkError(
      .severalSubnetworks,
      "the starting locations are reached from several subnetworks: "
        + all.sorted().map(\.printable).joined(separator: ", "))
  }
}
