import PlumbCore

/// Finds the elements that lose supply because of an isolation.
struct SupplyLoss {
  let flood: Flood
  /// The supplying controllers.
  let supplying: Set<UInt32>
  /// All controllers.
  let roots: Set<UInt32>
  /// The rule for the flow of supply if no barrier is closed.
  let normal: FloodRule
  /// The rule for the flow of supply if the isolating barriers are closed.
  let closed: FloodRule

  /// Marks the elements that have no supply if the isolating barriers are closed.
  ///
  /// - Parameters:
  ///   - region: the nodes and spans reached by the flood toward the controllers.
  ///   - supplied: the nodes and spans that are supplied if no barrier is closed.
  ///   - dry: receives the elements of the region that have no supply even if no barrier is closed.
  func mark(
    _ region: ReachableSet, _ toward: FloodRule, _ supplied: ReachableSet,
    _ isolating: IsolationBounds,
    _ marks: inout ResultMarks, dry: inout ResultMarks
  ) {
    let (view, nodes, spans) = (flood.view, flood.nodes, flood.spans)
    let chosen = Set(isolating.nodes)
    for node in region.nodes {
      let item = node & ~ReachableSet.stopped
      if chosen.contains(item) || nodes.has(Int(item), Mark.stillSupplied) { continue }
      if nodes.has(Int(item), normal.mark) {
        marks.insert(node: item)
      } else {
        dry.insert(node: item)
      }
    }
    let chosenSpans = Set(isolating.spans)
    func record(_ span: Int) {
      if chosenSpans.contains(UInt32(span)) { return }
      marks.insert(span: span)
    }
    func recordRegion(_ span: Int) {
      if chosenSpans.contains(UInt32(span)) { return }
      if isSupplied(span: span) { marks.insert(span: span) } else { dry.insert(span: span) }
    }
    flood.crossedSpans(region, toward, recordRegion)
    for span in region.stoppedSpans where !isStillSupplied(span: Int(span)) {
      recordRegion(Int(span))
    }
    for span in supplied.stoppedSpans where !spans.has(Int(span), Mark.stillSupplied) {
      record(Int(span))
    }
    for node in supplied.nodes {
      let from = Int(node & ~ReachableSet.stopped)
      let bits = nodes.bits(from)
      let isStill = bits & Mark.stillSupplied != 0
      if !isStill, bits & Mark.result == 0, !chosen.contains(UInt32(from)) {
        marks.insert(node: UInt32(from))
      }
      // If supply crosses the node even with the barriers closed, the elements beyond the node do
      // not lose supply.
      let isController = flood.barriers.isStoppingController(from)
      let isCrossedStill =
        isStill && bits & Mark.closed == 0 && (!isController || supplies(from))
      if node & ReachableSet.stopped != 0 || isCrossedStill { continue }
      view.forEachStep(from) { step in
        guard step.span >= 0, flood.mayPass(step, from, isController, normal),
          nodes.has(step.target, normal.mark),
          !(flood.barriers.checksSpans && flood.stops(span: step.span, normal)),
          !isStillSupplied(span: step.span)
        else { return }
        record(step.span)
      }
    }
  }

  /// Whether a span is reached from the controllers with the barriers closed.
  private func isStillSupplied(span: Int) -> Bool {
    let (view, nodes, spans) = (flood.view, flood.nodes, flood.spans)
    if spans.has(span, Mark.stillSupplied) { return true }
    return view.ends(span).contains { node in
      nodes.has(node, Mark.stillSupplied) && !stopsSupply(node) && leads(node, to: span, closed)
    }
  }

  /// Whether a span is reached from the controllers with no barrier closed.
  private func isSupplied(span: Int) -> Bool {
    let (view, nodes, spans) = (flood.view, flood.nodes, flood.spans)
    if spans.has(span, normal.mark) { return true }
    if flood.barriers.checksSpans, flood.stops(span: span, normal) { return false }
    return view.ends(span).contains { node in
      nodes.has(node, normal.mark)
        && (flood.barriers.isStoppingController(node)
          ? isRoot(node) : !flood.stops(node: node, normal))
        && leads(node, to: span, normal)
    }
  }

  private func leads(_ node: Int, to span: Int, _ rule: FloodRule) -> Bool {
    var leads = false
    let isController = flood.barriers.isStoppingController(node)
    flood.view.forEachStep(node) { step in
      if step.span == span, flood.mayPass(step, node, isController, rule) { leads = true }
    }
    return leads
  }

  private func stopsSupply(_ node: Int) -> Bool {
    let nodes = flood.nodes
    // Supply starts at the controllers themselves.
    if flood.barriers.isStoppingController(node), !nodes.has(node, Mark.closed),
      nodes.has(node, Mark.found)
    {
      return !supplies(node)
    }
    return flood.stops(node: node, closed)
  }

  private func isRoot(_ node: Int) -> Bool { roots.contains(UInt32(node)) }

  private func supplies(_ node: Int) -> Bool { supplying.contains(UInt32(node)) }
}
