import PlumbCore

/// The barriers of an isolation: nodes in element order, and spans.
struct IsolationBounds {
  var nodes: [UInt32] = []
  var spans: [UInt32] = []
}

/// Finds the smallest set of filter barriers that cuts the starts off from all controllers.
struct Isolation {
  private let plan: TracePlan
  private let parameters: UtilityTraceParameters
  private let starts: [UInt32]
  private let network: UtilityNetwork
  private let view: TraceView
  private let list: ElementList
  private var flood: Flood
  private var marks: ResultMarks
  /// Elements without supply even if nothing is closed.
  private var dry: ResultMarks
  private var possible: ResultMarks
  private var warnings: [String] = []
  /// The controllers that supply the network, without the controllers that cannot be cut off.
  private var supplying: Set<UInt32> = []

  init(
    _ plan: TracePlan, _ parameters: UtilityTraceParameters, _ starts: [UInt32], _ flood: Flood
  ) {
    self.plan = plan
    self.parameters = parameters
    self.starts = starts
    self.flood = flood
    network = flood.network
    view = flood.view
    list = ElementList(view)
    marks = ResultMarks(flood)
    dry = ResultMarks(flood, mark: Mark.dry)
    possible = ResultMarks(flood, mark: Mark.possible)
  }

  mutating func result() throws(NetworkError) -> UtilityTraceResult {
    // 1: the elements connected to the starts, and the controllers among them.
    let (found, controllers) = try search()

    // 2: the elements from which supply reaches the starts, up to the barriers.
    var toward = FloodRule(mark: Mark.region, flow: plan.against, within: Mark.found)
    toward.stopsAtFilters = true
    toward.opensStart = markStartElements()
    toward.functions = plan.filterFunctions
    let region = flood.reachable(starts, toward)
    let bounds = bounds(region)
    // Controllers that no barrier separates from the starts must themselves be shut. The isolation
    // from the other controllers is computed as if the inseparable controllers were shut.
    let nodes = flood.nodes
    let uncut = controllers.filter {
      nodes.has(Int($0), Mark.region) && !nodes.has(Int($0), Mark.closed)
    }
    let shut = Set(uncut)
    supplying = Set(uncut.isEmpty ? controllers : controllers.filter { !shut.contains($0) })

    // 3: the barriers that are supplied from outside the region, and the elements that lose supply when these
    // barriers are closed.
    var isolation = IsolationResult()
    let isolating =
      uncut.isEmpty && isLocal(bounds)
      ? isolateLocally(region, toward, bounds)
      : isolate(region, toward, bounds, controllers, &isolation)
    if !plan.configuration.allowIndeterminateFlow {
      let directions = SupplyDirections(
        flood, found, controllers: controllers, starts: [], supply: plan.supply, needsTree: true)
      let indeterminate = IndeterminateFlow(flood: flood, directions: directions)
      if let warning = indeterminate.move(from: marks, to: &possible, keeping: starts) {
        warnings.append(warning)
      }
    }
    let view = view
    let closedDevices = Set(isolating.nodes.compactMap { view.junction(Int($0)) })
    func open(_ marks: ResultMarks) -> [TracedElement] {
      list.elements(marks).filter { !closedDevices.contains(Int($0.element.index)) }
    }
    isolation.isolated = open(marks)
    isolation.alreadyWithoutSupply = open(dry)
    isolation.lost = network.countsByType(of: isolation.isolated)
    sort(bounds, isolating, into: &isolation)
    return try result(isolation, isolating, bounds, uncut)
  }

  private mutating func search() throws(NetworkError) -> (
    found: ReachableSet, controllers: [UInt32]
  ) {
    var rule = FloodRule(mark: Mark.found)
    rule.functions = plan.functions
    let found = flood.reachable(starts, rule)
    if !plan.functions.isEmpty { flood.keepStops(found) }
    let search = ControllerSearch(flood, plan)
    let controllers = try search.controllers(found)
    try search.oneSubnetwork(controllers)
    try Propagation.run(plan, controllers, within: Mark.found, &flood)
    return (found, controllers)
  }

  private mutating func isolateLocally(
    _ region: ReachableSet, _ toward: FloodRule, _ bounds: IsolationBounds
  ) -> IsolationBounds {
    var search = LocalSearch(flood, supplying)
    let loss = search.loss(region, bounds.nodes)
    search.mark(region, toward, bounds.nodes, loss, &marks)
    return IsolationBounds(nodes: bounds.nodes.filter { loss.isolating.contains($0) })
  }

  /// Closes the barriers and finds the elements that the controllers still supply.
  private mutating func isolate(
    _ region: ReachableSet, _ toward: FloodRule, _ bounds: IsolationBounds, _ controllers: [UInt32],
    _ isolation: inout IsolationResult
  ) -> IsolationBounds {
    var supply = FloodRule(mark: Mark.stillSupplied, flow: plan.supply, within: Mark.found)
    supply.stopMarks = Mark.closed
    // The elements at the starts do not block flow in either direction, even if there are barriers
    // along these elements.
    supply.opensStart = toward.opensStart
    let (nodes, supplying) = (flood.nodes, supplying)
    let still = flood.reachable(
      controllers.filter { supplying.contains($0) && !nodes.has(Int($0), Mark.closed) }, supply)
    let atBarriers = Set(still.stoppedSpans)
    let isolating = IsolationBounds(
      nodes: bounds.nodes.filter {
        nodes.has(Int($0), Mark.stillSupplied) || supplying.contains($0)
      }, spans: bounds.spans.filter { atBarriers.contains($0) })
    // A start that was already shut blocked supply before the isolation.
    var normal = FloodRule(mark: Mark.supplied, flow: plan.supply, within: Mark.found)
    normal.stopMarks = Mark.shut
    let supplied = flood.reachable(controllers, normal)
    let loss = SupplyLoss(
      flood: flood, supplying: supplying, roots: Set(controllers), normal: normal, closed: supply)
    loss.mark(region, toward, supplied, isolating, &marks, dry: &dry)
    isolation.heldBy = HoldSearch.holds(flood, still, supply, isolating)
    return isolating
  }

  /// Returns the result of an isolation, or a partial result if some controllers cannot be cut off.
  private mutating func result(
    _ isolation: IsolationResult, _ isolating: IsolationBounds, _ bounds: IsolationBounds,
    _ uncut: [UInt32]
  ) throws(NetworkError) -> UtilityTraceResult {
    var result = UtilityTraceResult()
    if uncut.isEmpty {
      if isolation.isolating.isEmpty {
        warnings.append("nothing has to be closed: no controller supplies the starting locations")
      }
      result.elements = list.elements(isolating)
      if plan.configuration.includeIsolatedFeatures {
        result.elements = list.merged(result.elements + isolation.isolated)
      }
      result.isolation = isolation
    } else {
      result.isolation = notIsolated(isolation, uncut, bounds)
    }
    let maker = ResultMaker(plan, parameters, starts, flood)
    try maker.complete(&result)
    try maker.complete(&result, possible: possible)
    result.warnings = warnings
    return result
  }

  /// Divides the barriers into barriers to close and barriers that remain open, with the reasons.
  private func sort(
    _ bounds: IsolationBounds, _ isolating: IsolationBounds, into isolation: inout IsolationResult
  ) {
    let reasons = BarrierReasons(flood)
    let chosen = Set(isolating.nodes)
    let chosenSpans = Set(isolating.spans)
    for node in bounds.nodes {
      if chosen.contains(node) {
        let reason: IsolationBarrier.Reason =
          supplying.contains(node) ? .isController : .suppliedFromBeyond
        isolation.isolating.append(reasons.barrier(node: node, reason))
      } else {
        isolation.boundingOnly.append(reasons.barrier(node: node, reasons.idleReason(node)))
      }
    }
    for span in bounds.spans {
      if chosenSpans.contains(span) {
        isolation.isolating.append(reasons.barrier(span: span, .suppliedFromBeyond))
      } else {
        isolation.boundingOnly.append(reasons.barrier(span: span, reasons.idleReason(span: span)))
      }
    }
  }

  /// Returns the result if some controllers cannot be cut off. The result reports no isolated
  /// elements.
  ///
  /// - Parameter plan: the isolation that was computed as if these controllers were shut.
  private mutating func notIsolated(
    _ plan: IsolationResult, _ uncut: [UInt32], _ bounds: IsolationBounds
  ) -> IsolationResult {
    let (view, reasons) = (view, BarrierReasons(flood))
    var isolation = IsolationResult()
    isolation.controllersNotIsolated = uncut.compactMap { node in
      view.junction(Int(node)).map {
        TracedElement(
          element: NetworkElement(index: UInt32($0)), terminalID: view.terminalID(Int(node)))
      }
    }
    isolation.boundingOnly =
      bounds.nodes.map { reasons.barrier(node: $0, .notIsolated) }
      + bounds.spans.map { reasons.barrier(span: $0, .notIsolated) }
    isolation.heldBy = plan.heldBy
    isolation.alreadyWithoutSupply = plan.alreadyWithoutSupply
    isolation.partialPlan = PartialIsolationPlan(
      isolating: plan.isolating, shut: isolation.controllersNotIsolated,
      boundingOnly: plan.boundingOnly, isolated: plan.isolated, lost: plan.lost)
    let names = isolation.controllersNotIsolated.map { network.name(of: $0.element) }
    warnings.append(
      "NOT ISOLATED: no filter barrier lies between the starting locations and "
        + names.joined(separator: ", "))
    return isolation
  }
}

/// Helpers of the passes.
extension Isolation {
  /// Marks the nodes and spans of the elements at the starts.
  ///
  /// - Returns: whether one of these elements permits flow in only one direction.
  private func markStartElements() -> Bool {
    if view.graph.isUndirected { return false }
    var isOneWay = false
    for start in starts {
      if let junction = view.junction(Int(start)) {
        let all =
          unsafe view.graph.nodeStarts.base[junction]..<view.graph.nodeStarts.base[junction + 1]
        guard all.count > 1 else { continue }
        for node in all {
          _ = flood.nodes.set(Int(node), Mark.startElement)
          view.forEachStep(Int(node)) { if $0.isInside, $0.isOneWay { isOneWay = true } }
        }
      } else if Int(start) >= view.graph.nodeCount {
        let edge = Int(view.cuts.points[Int(start) - view.graph.nodeCount].edge)
        for span in view.spans(ofEdge: edge) { _ = flood.spans.set(span, Mark.startElement) }
        view.forEachStep(Int(start)) { if $0.isOneWay { isOneWay = true } }
      }
    }
    return isOneWay
  }

  /// Whether the isolation can be decided locally, near the start.
  private func isLocal(_ bounds: IsolationBounds) -> Bool {
    view.graph.isUndirected && !flood.barriers.checksSpans && starts.count == 1
      && bounds.spans.isEmpty
      && plan.configuration.allowIndeterminateFlow && !startsShut
      && !bounds.nodes.contains { flood.barriers.isStoppingController(Int($0)) }
  }

  /// Whether a start was shut before the trace.
  private var startsShut: Bool {
    starts.contains { start in
      flood.nodes.has(Int(start), Mark.shut)
        || (Int(start) >= view.graph.nodeCount
          && view.spans(ofEdge: Int(view.cuts.points[Int(start) - view.graph.nodeCount].edge))
            .contains { flood.spans.has($0, Mark.shut) })
    }
  }

  /// Returns the filter barriers that the region reaches, and marks them as closed.
  private mutating func bounds(_ region: ReachableSet) -> IsolationBounds {
    var result = IsolationBounds()
    for node in region.nodes where node & ReachableSet.stopped != 0 {
      let item = Int(node & ~ReachableSet.stopped)
      if flood.barriers.isBarrier(node: item) { continue }
      // Nodes that are not filter barriers are controllers, which are skipped, or nodes at which a
      // function of the filter stopped the flood.
      guard flood.barriers.isFilterBarrier(node: item) || !flood.barriers.isStoppingController(item)
      else { continue }
      result.nodes.append(UInt32(item))
      _ = flood.nodes.set(item, Mark.closed)
    }
    for span in region.stoppedSpans where !flood.barriers.isBarrier(span: Int(span)) {
      result.spans.append(span)
      _ = flood.spans.set(Int(span), Mark.closed)
      flood.barriers.checksSpans = true
    }
    let list = list
    result.nodes.sort { list.point($0) < list.point($1) }
    result.spans.sort { list.point(span: $0) < list.point(span: $1) }
    return result
  }
}
