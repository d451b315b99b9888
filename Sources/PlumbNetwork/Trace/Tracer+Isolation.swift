import PlumbCore

/// The least set of filter barriers that cuts the starts off from all controllers.
extension Tracer {
  func isolate(
    _ plan: TracePlan, _ parameters: UtilityTraceParameters, _ starts: [UInt32]
  ) throws(NetworkError) -> UtilityTraceResult {
    // 1: what the starts are joined to, and which controllers are in it.
    var search = FloodRule(mark: Mark.found)
    search.functions = plan.functions
    let found = flood(starts, search)
    if !plan.functions.isEmpty { keepStops(found) }
    let controllers = try controllers(found, plan)
    supplying = Set(controllers)
    try oneSubnetwork(controllers, plan)
    try propagate(controllers, plan, within: Mark.found)

    // 2: what supply reaches the starts from, up to the barriers.
    var toward = FloodRule(mark: Mark.region, flow: plan.against, within: Mark.found)
    toward.stopsAtFilters = true
    toward.opensOwn = markOwn(starts)
    toward.functions = plan.filterFunctions
    let region = flood(starts, toward)
    let bounds = bounds(region, plan)
    let uncut = controllers.filter {
      nodes.has(Int($0), Mark.region) && !nodes.has(Int($0), Mark.closed)
    }
    guard uncut.isEmpty else {
      return try notIsolated(uncut, bounds, plan, parameters)
    }

    // 3: which of the barriers are supplied from beyond, and what is lost when they are closed.
    var supply = FloodRule(mark: Mark.stillSupplied, flow: plan.supply, within: Mark.found)
    supply.stopMarks = Mark.closed
    // What is worked on holds nothing back: neither from barriers that lie on it.
    supply.opensOwn = toward.opensOwn
    let isolating: Bounds
    if isLocal(plan, starts, bounds) {
      let plain = FloodRule(mark: 0)
      let loss = localLoss(region, bounds.nodes, plain)
      isolating = Bounds(nodes: bounds.nodes.filter { loss.isolating.contains($0) })
      markLocal(region, toward, bounds.nodes, loss)
    } else {
      let still = flood(controllers.filter { !nodes.has(Int($0), Mark.closed) }, supply)
      let atBarriers = Set(still.stoppedSpans)
      isolating = Bounds(
        nodes: bounds.nodes.filter {
          nodes.has(Int($0), Mark.stillSupplied) || controllers.contains($0)
        }, spans: bounds.spans.filter { atBarriers.contains($0) })
      let normal = FloodRule(mark: Mark.supplied, flow: plan.supply, within: Mark.found)
      let supplied = flood(controllers, normal)
      markIsolated(region, toward, supplied, normal, supply, isolating)
    }
    if !plan.configuration.allowIndeterminateFlow {
      outward = OutwardFlow(
        self, found, rule: FloodRule(mark: 0), roots: controllers, mergesRoots: true,
        supply: plan.supply)
      dropIndeterminate(starts)
    }

    var isolation = IsolationResult()
    let closedDevices = Set(isolating.nodes.compactMap { junction(Int($0)) })
    isolation.isolated = markedElements().filter { !closedDevices.contains(Int($0.element.index)) }
    isolation.lost = counts(isolation.isolated)
    let chosen = Set(isolating.nodes)
    let chosenSpans = Set(isolating.spans)
    for node in bounds.nodes {
      if chosen.contains(node) {
        let reason: IsolationBarrier.Reason =
          controllers.contains(node) ? .isController : .suppliedFromBeyond
        isolation.isolating.append(barrier(node: node, reason))
      } else {
        isolation.boundingOnly.append(barrier(node: node, idleReason(node, supply)))
      }
    }
    for span in bounds.spans {
      if chosenSpans.contains(span) {
        isolation.isolating.append(barrier(span: span, .suppliedFromBeyond))
      } else {
        isolation.boundingOnly.append(barrier(span: span, idleReason(span: span)))
      }
    }
    if isolation.isolating.isEmpty {
      warnings.append("nothing has to be closed: no controller supplies the starting locations")
    }
    var result = UtilityTraceResult()
    result.elements = isolatingElements(isolating)
    if plan.configuration.includeIsolatedFeatures {
      result.elements = merged(result.elements + isolation.isolated)
    }
    result.isolation = isolation
    try complete(&result, plan, parameters)
    return result
  }

  /// Marks the nodes and spans of the starts' own elements.
  ///
  /// - Returns: whether one of these lets flow pass one way only.
  private func markOwn(_ starts: [UInt32]) -> Bool {
    if graph.isUndirected { return false }
    var isOneWay = false
    for start in starts {
      if let junction = junction(Int(start)) {
        let all = graph.nodeStarts.base[junction]..<graph.nodeStarts.base[junction + 1]
        guard all.count > 1 else { continue }
        for node in all {
          _ = nodes.set(Int(node), Mark.own)
          forEachStep(Int(node)) { if $0.isInside, $0.isOneWay { isOneWay = true } }
        }
      } else if Int(start) >= graph.nodeCount {
        let edge = Int(cuts.places[Int(start) - graph.nodeCount].edge)
        for span in spans(ofEdge: edge) { _ = spans.set(span, Mark.own) }
        forEachStep(Int(start)) { if $0.isOneWay { isOneWay = true } }
      }
    }
    return isOneWay
  }

  /// Whether nothing but what is near the start decides.
  private func isLocal(_ plan: TracePlan, _ starts: [UInt32], _ bounds: Bounds) -> Bool {
    graph.isUndirected && !asksSpans && starts.count == 1 && bounds.spans.isEmpty
      && plan.configuration.allowIndeterminateFlow
      && !bounds.nodes.contains { isStoppingController(Int($0)) }
  }

  /// Nodes in element order, and spans.
  private struct Bounds {
    var nodes: [UInt32] = []
    var spans: [UInt32] = []
  }

  /// The filter barriers that the region reaches, marked as closed.
  private func bounds(_ region: Reach, _ plan: TracePlan) -> Bounds {
    var result = Bounds()
    for node in region.nodes where node & Reach.stopped != 0 {
      let item = Int(node & ~Reach.stopped)
      if isBarrier(node: item) { continue }
      // What else stops is a controller or one of the filter's functions.
      guard isFilterBarrier(node: item) || !isStoppingController(item) else { continue }
      result.nodes.append(UInt32(item))
      _ = nodes.set(item, Mark.closed)
    }
    for span in region.stoppedSpans where !isBarrier(span: Int(span)) {
      result.spans.append(span)
      _ = spans.set(Int(span), Mark.closed)
      asksSpans = true
    }
    result.nodes.sort { place($0) < place($1) }
    result.spans.sort { place(span: $0) < place(span: $1) }
    return result
  }

  /// What orders nodes: by element, then by terminal or fraction.
  private func place(_ node: UInt32) -> (UInt32, Double) {
    guard Int(node) >= graph.nodeCount else {
      return (UInt32(truncatingIfNeeded: order(node) >> 32), Double(node))
    }
    let (edge, fraction) = cuts.places[Int(node) - graph.nodeCount]
    return (network.index.ranks.base[network.junctionCount + Int(edge)], fraction)
  }

  private func place(span: UInt32) -> (UInt32, Double) {
    (
      network.index.ranks.base[network.junctionCount + edge(Int(span))],
      range(Int(span)).lowerBound
    )
  }

  // MARK: What is isolated

  private func markIsolated(
    _ region: Reach, _ toward: FloodRule, _ supplied: Reach, _ normal: FloodRule,
    _ closed: FloodRule, _ isolating: Bounds
  ) {
    let chosen = Set(isolating.nodes)
    for node in region.nodes {
      let item = node & ~Reach.stopped
      if chosen.contains(item) || nodes.has(Int(item), Mark.stillSupplied) { continue }
      if nodes.set(Int(item), Mark.result) { touchedNodes.append(item) }
    }
    let chosenSpans = Set(isolating.spans)
    func take(_ span: Int) {
      if chosenSpans.contains(UInt32(span)) { return }
      if spans.set(span, Mark.result) { touchedSpans.append(UInt32(span)) }
    }
    crossedSpans(region, toward, take)
    for span in region.stoppedSpans where !isStillSupplied(span: Int(span), closed) {
      take(Int(span))
    }
    for span in supplied.stoppedSpans where !spans.has(Int(span), Mark.stillSupplied) {
      take(Int(span))
    }
    for node in supplied.nodes {
      let from = Int(node & ~Reach.stopped)
      let bits = nodes.bits(from)
      let isStill = bits & Mark.stillSupplied != 0
      if !isStill, bits & Mark.result == 0, !chosen.contains(UInt32(from)) {
        if nodes.set(from, Mark.result) { touchedNodes.append(UInt32(from)) }
      }
      // Crossed with the barriers closed too: what it supplies, it supplies still.
      if node & Reach.stopped != 0 || (isStill && bits & Mark.closed == 0) { continue }
      let isController = isStoppingController(from)
      forEachStep(from) { step in
        guard step.span >= 0, mayPass(step, from, isController, normal),
          nodes.has(step.target, normal.mark),
          !(asksSpans && stops(span: step.span, normal)),
          !isStillSupplied(span: step.span, closed)
        else { return }
        take(step.span)
      }
    }
  }

  /// Whether a span is reached from the controllers with the barriers closed.
  private func isStillSupplied(span: Int, _ closed: FloodRule) -> Bool {
    if spans.has(span, Mark.stillSupplied) { return true }
    for node in ends(span) {
      guard nodes.has(node, Mark.stillSupplied), !stopsSupply(node, closed) else { continue }
      var isSupplied = false
      let isController = isStoppingController(node)
      forEachStep(node) { step in
        if step.span == span, mayPass(step, node, isController, closed) { isSupplied = true }
      }
      if isSupplied { return true }
    }
    return false
  }

  private func stopsSupply(_ node: Int, _ closed: FloodRule) -> Bool {
    // The controllers themselves are where supply starts.
    if isStoppingController(node), !nodes.has(node, Mark.closed), nodes.has(node, Mark.found) {
      return !supplies(node)
    }
    return stops(node: node, closed)
  }

  private func supplies(_ node: Int) -> Bool { supplying.contains(UInt32(node)) }

  // MARK: Reasons

  private func idleReason(_ node: UInt32, _ supply: FloodRule) -> IsolationBarrier.Reason {
    if let junction = junction(Int(node)) {
      let all = graph.nodeStarts.base[junction]..<graph.nodeStarts.base[junction + 1]
      if all.contains(where: { $0 != node && nodes.has(Int($0), Mark.stillSupplied) }) {
        return .flowsAway
      }
    }
    var (hasBeyond, isFed, flowsIn) = (false, false, false)
    forEachStep(Int(node)) { step in
      if step.flow == 0 { return }
      if nodes.has(step.target, Mark.region), !nodes.has(step.target, Mark.closed) { return }
      hasBeyond = true
      if nodes.has(step.target, Mark.supplied) { isFed = true }
      if nodes.has(step.target, Mark.stillSupplied) { flowsIn = true }
    }
    if !hasBeyond { return .insideArea }
    return flowsIn ? .flowsAway : isFed ? .suppliedThroughArea : .deadEnd
  }

  private func idleReason(span: UInt32) -> IsolationBarrier.Reason {
    let ends = ends(Int(span))
    if ends.allSatisfy({ nodes.has($0, Mark.region) }) { return .insideArea }
    let beyond = ends.filter { !nodes.has($0, Mark.region) }
    if beyond.contains(where: { nodes.has($0, Mark.stillSupplied) }) { return .flowsAway }
    return beyond.contains { nodes.has($0, Mark.supplied) } ? .suppliedThroughArea : .deadEnd
  }

  private func barrier(
    node: UInt32, _ reason: IsolationBarrier.Reason
  ) -> IsolationBarrier {
    if let junction = junction(Int(node)) {
      return IsolationBarrier(
        location: TraceLocation(
          NetworkElement(index: UInt32(junction)), terminalID: terminalID(Int(node))),
        reason: reason, why: reason.words)
    }
    guard Int(node) >= graph.nodeCount else {
      // A place without a junction is stopped by nothing.
      return IsolationBarrier(
        location: TraceLocation(NetworkElement(index: 0)), reason: reason, why: reason.words)
    }
    let (edge, fraction) = cuts.places[Int(node) - graph.nodeCount]
    return IsolationBarrier(
      location: TraceLocation(
        NetworkElement(index: edge + UInt32(network.junctionCount)), fractionAlongEdge: fraction),
      reason: reason, why: reason.words)
  }

  private func barrier(
    span: UInt32, _ reason: IsolationBarrier.Reason
  ) -> IsolationBarrier {
    IsolationBarrier(
      location: TraceLocation(
        NetworkElement(index: UInt32(network.junctionCount + edge(Int(span))))),
      reason: reason, why: reason.words)
  }

  // MARK: Results

  private func notIsolated(
    _ uncut: [UInt32], _ bounds: Bounds, _ plan: TracePlan, _ parameters: UtilityTraceParameters
  ) throws(NetworkError) -> UtilityTraceResult {
    var isolation = IsolationResult()
    isolation.controllersNotIsolated = uncut.compactMap { node in
      junction(Int(node)).map {
        TracedElement(
          element: NetworkElement(index: UInt32($0)), terminalID: terminalID(Int(node)))
      }
    }
    isolation.boundingOnly =
      bounds.nodes.map { barrier(node: $0, .notIsolated) }
      + bounds.spans.map { barrier(span: $0, .notIsolated) }
    let names = isolation.controllersNotIsolated.map { network.name(of: $0.element) }
    warnings.append(
      "NOT ISOLATED: no filter barrier lies between the starting locations and "
        + names.joined(separator: ", "))
    var result = UtilityTraceResult()
    result.isolation = isolation
    try complete(&result, plan, parameters)
    return result
  }

  private func isolatingElements(_ isolating: Bounds) -> [TracedElement] {
    var result: [TracedElement] = []
    for node in isolating.nodes {
      if let junction = junction(Int(node)) {
        result.append(
          TracedElement(
            element: NetworkElement(index: UInt32(junction)), terminalID: terminalID(Int(node))))
      } else if Int(node) >= graph.nodeCount {
        let (edge, fraction) = cuts.places[Int(node) - graph.nodeCount]
        result.append(
          TracedElement(
            element: NetworkElement(index: edge + UInt32(network.junctionCount)),
            positionFrom: fraction, positionTo: fraction))
      }
    }
    for span in isolating.spans {
      let range = range(Int(span))
      result.append(
        TracedElement(
          element: NetworkElement(index: UInt32(network.junctionCount + edge(Int(span)))),
          positionFrom: range.lowerBound, positionTo: range.upperBound))
    }
    return merged(result)
  }

  /// One entry for each device's terminal and each edge, in element order.
  private func merged(_ elements: [TracedElement]) -> [TracedElement] {
    var elements = elements
    sort(&elements)
    var result: [TracedElement] = []
    for element in elements {
      guard let last = result.last, last.element == element.element,
        last.terminalID == element.terminalID
      else {
        result.append(element)
        continue
      }
      var parts: [ClosedRange<Double>] = []
      for part in (last.ranges + element.ranges).sorted(by: { a, b in
        a.lowerBound != b.lowerBound ? a.lowerBound < b.lowerBound : a.upperBound < b.upperBound
      }) {
        if let before = parts.last, before.upperBound >= part.lowerBound {
          parts[parts.count - 1] = before.lowerBound...max(before.upperBound, part.upperBound)
        } else {
          parts.append(part)
        }
      }
      result[result.count - 1] = TracedElement(
        element: element.element, terminalID: element.terminalID,
        positionFrom: parts.first?.lowerBound ?? 0, positionTo: parts.last?.upperBound ?? 0,
        parts: parts.count > 1 ? parts : nil)
    }
    return result
  }

  private func counts(_ elements: [TracedElement]) -> [AssetTypeCount] {
    var byType = [Int](repeating: 0, count: network.catalog.types.count)
    var before: UInt32?
    for traced in elements where traced.element.index != before {
      before = traced.element.index
      byType[network.names.type(Int(traced.element.index))] += 1
    }
    return byType.indices.compactMap { type in
      let key = network.catalog.types[type].key
      return byType[type] == 0
        ? nil
        : AssetTypeCount(
          sourceID: key.sourceID, assetGroup: key.group, assetType: key.type, count: byType[type])
    }
  }
}

extension IsolationBarrier.Reason {
  /// The reason in words.
  public var words: String {
    switch self {
    case .suppliedFromBeyond: "a controller supplies it from beyond the area: close it"
    case .isController: "it is a subnetwork controller itself: close it"
    case .deadEnd: "no controller supplies what lies beyond it"
    case .suppliedThroughArea: "what lies beyond it is supplied through the isolated area alone"
    case .flowsAway: "flow passes it out of the area only"
    case .insideArea: "the isolated area lies on all its sides"
    case .notIsolated: "it bounds the area, but a controller there cannot be cut off"
    }
  }
}
