import PlumbCore

/// Barriers of an isolation: nodes in element order, and spans.
struct IsolationBounds {
  var nodes: [UInt32] = []
  var spans: [UInt32] = []
}

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
    try oneSubnetwork(controllers, plan)
    try propagate(controllers, plan, within: Mark.found)

    // 2: what supply reaches the starts from, up to the barriers.
    var toward = FloodRule(mark: Mark.region, flow: plan.against, within: Mark.found)
    toward.stopsAtFilters = true
    toward.opensOwn = markOwn(starts)
    toward.functions = plan.filterFunctions
    let region = flood(starts, toward)
    let bounds = bounds(region, plan)
    // What no barrier parts from the starts has to be shut itself: the rest is isolated as if it were.
    let uncut = controllers.filter {
      nodes.has(Int($0), Mark.region) && !nodes.has(Int($0), Mark.closed)
    }
    let shut = Set(uncut)
    let active = uncut.isEmpty ? controllers : controllers.filter { !shut.contains($0) }
    supplying = Set(active)

    // 3: which of the barriers are supplied from beyond, and what is lost when they are closed.
    var supply = FloodRule(mark: Mark.stillSupplied, flow: plan.supply, within: Mark.found)
    supply.stopMarks = Mark.closed
    // What is worked on holds nothing back: neither from barriers that lie on it.
    supply.opensOwn = toward.opensOwn
    var isolation = IsolationResult()
    let isolating: IsolationBounds
    if uncut.isEmpty, isLocal(plan, starts, bounds) {
      let plain = FloodRule(mark: 0)
      let loss = localLoss(region, bounds.nodes, plain)
      isolating = IsolationBounds(nodes: bounds.nodes.filter { loss.isolating.contains($0) })
      markLocal(region, toward, bounds.nodes, loss)
    } else {
      let still = flood(active.filter { !nodes.has(Int($0), Mark.closed) }, supply)
      let atBarriers = Set(still.stoppedSpans)
      isolating = IsolationBounds(
        nodes: bounds.nodes.filter {
          nodes.has(Int($0), Mark.stillSupplied) || supplying.contains($0)
        }, spans: bounds.spans.filter { atBarriers.contains($0) })
      let normal = FloodRule(mark: Mark.supplied, flow: plan.supply, within: Mark.found)
      let supplied = flood(controllers, normal)
      markIsolated(region, toward, supplied, normal, supply, isolating)
      isolation.heldBy = heldBy(still, supply, isolating)
    }
    if !plan.configuration.allowIndeterminateFlow {
      outward = OutwardFlow(
        self, found, rule: FloodRule(mark: 0), roots: controllers, mergesRoots: true,
        supply: plan.supply)
      dropIndeterminate(starts)
    }
    let closedDevices = Set(isolating.nodes.compactMap { junction(Int($0)) })
    isolation.isolated = markedElements().filter { !closedDevices.contains(Int($0.element.index)) }
    isolation.lost = counts(isolation.isolated)
    sort(bounds, isolating, supply, into: &isolation)
    var result = UtilityTraceResult()
    if uncut.isEmpty {
      if isolation.isolating.isEmpty {
        warnings.append("nothing has to be closed: no controller supplies the starting locations")
      }
      result.elements = isolatingElements(isolating)
      if plan.configuration.includeIsolatedFeatures {
        result.elements = merged(result.elements + isolation.isolated)
      }
    } else {
      isolation = notIsolated(isolation, uncut, bounds)
    }
    result.isolation = isolation
    try complete(&result, plan, parameters)
    return result
  }

  /// Parts the barriers into those that are closed and those that stay open, with the reasons.
  private func sort(
    _ bounds: IsolationBounds, _ isolating: IsolationBounds, _ supply: FloodRule,
    into isolation: inout IsolationResult
  ) {
    let chosen = Set(isolating.nodes)
    let chosenSpans = Set(isolating.spans)
    for node in bounds.nodes {
      if chosen.contains(node) {
        let reason: IsolationBarrier.Reason =
          supplying.contains(node) ? .isController : .suppliedFromBeyond
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
  }

  /// What is told where controllers cannot be cut off: nothing is claimed to be isolated.
  ///
  /// - Parameter plan: the isolation as if the controllers were shut.
  private func notIsolated(
    _ plan: IsolationResult, _ uncut: [UInt32], _ bounds: IsolationBounds
  ) -> IsolationResult {
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
    isolation.heldBy = plan.heldBy
    isolation.partialPlan = PartialIsolationPlan(
      isolating: plan.isolating, shut: isolation.controllersNotIsolated,
      boundingOnly: plan.boundingOnly, isolated: plan.isolated, lost: plan.lost)
    let names = isolation.controllersNotIsolated.map { network.name(of: $0.element) }
    warnings.append(
      "NOT ISOLATED: no filter barrier lies between the starting locations and "
        + names.joined(separator: ", "))
    return isolation
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
  private func isLocal(_ plan: TracePlan, _ starts: [UInt32], _ bounds: IsolationBounds) -> Bool {
    graph.isUndirected && !asksSpans && starts.count == 1 && bounds.spans.isEmpty
      && plan.configuration.allowIndeterminateFlow
      && !bounds.nodes.contains { isStoppingController(Int($0)) }
  }

  /// The filter barriers that the region reaches, marked as closed.
  private func bounds(_ region: Reach, _ plan: TracePlan) -> IsolationBounds {
    var result = IsolationBounds()
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

  // MARK: Results

  private func isolatingElements(_ isolating: IsolationBounds) -> [TracedElement] {
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
