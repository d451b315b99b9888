import PlumbCore

/// Which controllers of the traced tier a flood found.
struct ControllerSearch {
  let view: TraceView
  let network: UtilityNetwork
  let nodes: Marks
  let plan: TracePlan

  init(_ flood: Flood, _ plan: TracePlan) {
    view = flood.view
    network = flood.network
    nodes = flood.nodes
    self.plan = plan
  }

  private func controls(_ node: UInt32) -> [SubnetworkController] {
    guard let all = network.controllers[node] else { return [] }
    guard let (domain, tier) = plan.tier else { return all }
    return all.filter { $0.domainNetworkID == domain.id && $0.tierID == tier.id }
  }

  /// The controllers of the traced tier that were found, in element order.
  ///
  /// - Throws: `noControllers`.
  func controllers(_ reach: Reach) throws(NetworkError) -> [UInt32] {
    var result: [UInt32] = []
    for node in reach.nodes {
      let node = node & ~Reach.stopped
      guard Int(node) < view.graph.nodeCount,
        unsafe view.graph.nodeInfo.base[Int(node)].isController,
        !controls(node).isEmpty,
        // A barrier that was set there takes the controller out.
        !nodes.has(Int(node), Mark.barrier)
      else { continue }
      result.append(node)
    }
    guard !result.isEmpty else {
      throw NetworkError(
        .noControllers, "no valid subnetwork controllers are reached from the starting locations")
    }
    return result.sorted { view.order($0) < view.order($1) }
  }

  /// - Throws: `severalSubnetworks`, unless one name goes with all of them.
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
