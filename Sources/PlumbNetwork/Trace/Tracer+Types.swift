import PlumbCore

/// The types of traces.
extension Tracer {
  func run(
    _ plan: TracePlan, _ parameters: UtilityTraceParameters, _ starts: [UInt32]
  ) throws(NetworkError) -> UtilityTraceResult {
    switch plan.type {
    case .connected:
      var rule = FloodRule(mark: Mark.region)
      rule.isBlind = true
      return try finish(flood(starts, rule), rule, plan, parameters, starts)
    case .isolation: return try isolate(plan, parameters, starts)
    case .shortestPath: return try shortestPath(plan, parameters, starts)
    case .loops:
      loops(plan, starts)
      return try finish(plan, parameters, starts)
    case .subnetwork, .subnetworkControllers, .upstream, .downstream: break
    }
    var rule = FloodRule(mark: Mark.found)
    rule.functions = plan.functions
    let reach = flood(starts, rule)
    if !plan.functions.isEmpty { keepStops(reach) }
    let controllers = try controllers(reach, plan)
    switch plan.type {
    case .subnetworkControllers:
      for node in controllers { _ = nodes.set(Int(node), Mark.result) }
      touchedNodes = controllers
    case .subnetwork:
      try oneSubnetwork(controllers, plan)
      try propagate(controllers, plan, within: 0)
      var rule = FloodRule(mark: Mark.region)
      rule.stopsAtFilters = true
      rule.functions = plan.functions + plan.filterFunctions
      return try finish(flood(controllers, rule), rule, plan, parameters, starts)
    default:
      try oneSubnetwork(controllers, plan)
      try propagate(controllers, plan, within: Mark.found)
      traceFlow(plan, reach, controllers, starts)
    }
    return try finish(plan, parameters, starts)
  }

  /// Makes a flood's reach the result.
  private func finish(
    _ reach: Reach, _ rule: FloodRule, _ plan: TracePlan, _ parameters: UtilityTraceParameters,
    _ starts: [UInt32]
  ) throws(NetworkError) -> UtilityTraceResult {
    if mayTakeWhole(reach, rule, plan) {
      let elements = wholeElements(reach, rule, plan)
      return try finish(plan, parameters, starts, whole: elements)
    }
    take(reach, rule, plan)
    return try finish(plan, parameters, starts)
  }

  /// Makes barriers of what stopped the first pass, for the passes that come.
  func keepStops(_ reach: Reach) {
    for node in reach.nodes where node & Reach.stopped != 0 {
      let item = Int(node & ~Reach.stopped)
      if !isStoppingController(item) { _ = nodes.set(item, Mark.barrier) }
    }
    for span in reach.stoppedSpans {
      _ = spans.set(Int(span), Mark.barrier)
      asksSpans = true
    }
  }

  // MARK: Controllers

  private func controls(_ node: UInt32, _ plan: TracePlan) -> [SubnetworkController] {
    guard let all = network.controllers[node] else { return [] }
    guard let (domain, tier) = plan.tier else { return all }
    return all.filter { $0.domainNetworkID == domain.id && $0.tierID == tier.id }
  }

  /// The controllers of the traced tier that were found, in element order.
  ///
  /// - Throws: `noControllers`.
  func controllers(_ reach: Reach, _ plan: TracePlan) throws(NetworkError) -> [UInt32] {
    var result: [UInt32] = []
    for node in reach.nodes {
      let node = node & ~Reach.stopped
      guard Int(node) < graph.nodeCount, graph.nodeInfo.base[Int(node)].isController,
        !controls(node, plan).isEmpty,
        // A barrier that was set there takes the controller out.
        !nodes.has(Int(node), Mark.barrier)
      else { continue }
      result.append(node)
    }
    guard !result.isEmpty else {
      throw NetworkError(
        .noControllers, "no valid subnetwork controllers are reached from the starting locations")
    }
    return result.sorted { order($0) < order($1) }
  }

  /// A node's place in element order.
  func order(_ node: UInt32) -> UInt64 {
    let rank = junction(Int(node)).map { network.index.ranks.base[$0] } ?? .max
    return UInt64(rank) << 32 | UInt64(node)
  }

  /// - Throws: `severalSubnetworks`, unless one name goes with all of them.
  func oneSubnetwork(_ controllers: [UInt32], _ plan: TracePlan) throws(NetworkError) {
    var common: Set<String>?
    var all: Set<String> = []
    for node in controllers {
      let names = Set(controls(node, plan).flatMap(\.subnetworkNames))
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

  // MARK: Flow

  private func traceFlow(
    _ plan: TracePlan, _ reach: Reach, _ controllers: [UInt32], _ starts: [UInt32]
  ) {
    outward = OutwardFlow(
      self, reach, rule: FloodRule(mark: 0), roots: controllers, mergesRoots: true,
      supply: plan.supply)
    // Seen from sources: sinks have flow toward them, and upstream of a place is what drains to it.
    var supply = FloodRule(mark: Mark.supplied, flow: plan.supply, within: Mark.found)
    supply.isOutward = true
    _ = flood(controllers, supply)
    let towardControllers = (plan.type == .upstream) == plan.isSource
    var rule = FloodRule(mark: Mark.region)
    rule.flow = towardControllers ? plan.against : plan.supply
    rule.within = Mark.supplied
    rule.isOutward = true
    rule.stopsAtFilters = true
    rule.functions = plan.filterFunctions
    let supplied = starts.filter { nodes.has(Int($0), Mark.supplied) }
    if supplied.count < starts.count {
      warnings.append("no flow between the controllers and some starting locations is permitted")
    }
    take(flood(supplied, rule), rule, plan)
    if !plan.configuration.allowIndeterminateFlow { dropIndeterminate(supplied) }
  }

  /// Takes out of the result what flow may pass either way.
  func dropIndeterminate(_ starts: [UInt32]) {
    guard let outward else { return }
    var dropped: Set<Int> = []
    let kept = Set(starts)
    for node in touchedNodes where nodes.has(Int(node), Mark.result) {
      var isIndeterminate = false
      forEachStep(Int(node)) { step in
        guard nodes.has(step.target, Mark.supplied), nodes.has(Int(node), Mark.supplied),
          outward.isIndeterminate(step, Int(node))
        else { return }
        if step.span >= 0 {
          if asksSpans, isBarrier(span: step.span) { return }
          if spans.has(step.span, Mark.result) {
            spans.clear(step.span, Mark.result)
            dropped.insert(edge(step.span) + network.junctionCount)
          }
        }
        isIndeterminate = true
      }
      if isIndeterminate, !kept.contains(node) {
        pending.append(node)
        if let junction = junction(Int(node)) { dropped.insert(junction) }
      }
    }
    for node in pending { nodes.clear(Int(node), Mark.result) }
    pending = []
    if !dropped.isEmpty {
      warnings.append(
        "\(dropped.count) \(dropped.count == 1 ? "element was" : "elements were") left out: their "
          + "flow is indeterminate")
    }
  }

  // MARK: Loops

  private func loops(_ plan: TracePlan, _ starts: [UInt32]) {
    var rule = FloodRule(mark: Mark.found)
    rule.functions = plan.functions + plan.filterFunctions
    rule.stopsAtFilters = true
    let reach = flood(starts, rule)
    for span in reach.stoppedSpans {
      _ = spans.set(Int(span), Mark.closed)
      asksSpans = true
    }
    var local = FloodRule(mark: 0)
    local.stopsAtFilters = true
    local.stopMarks = Mark.closed
    let blocks = OutwardFlow(
      self, reach, rule: local, roots: [], mergesRoots: false, supply: plan.supply)
    for node in reach.nodes where node & Reach.stopped == 0 {
      let isController = isStoppingController(Int(node))
      forEachStep(Int(node)) { step in
        guard mayPass(step, Int(node), isController, local), nodes.has(step.target, Mark.found),
          !(step.span >= 0 && asksSpans && stops(span: step.span, local)),
          blocks.isOnCycle(step, Int(node))
        else { return }
        if nodes.set(Int(node), Mark.result) { touchedNodes.append(node) }
        if step.span >= 0, spans.set(step.span, Mark.result) {
          touchedSpans.append(UInt32(step.span))
        }
      }
    }
  }
}
