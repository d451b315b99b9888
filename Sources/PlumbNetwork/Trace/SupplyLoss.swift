import PlumbCore

/// What an isolation leaves without supply.
struct SupplyLoss {
  let flood: Flood
  /// The controllers that supply.
  let supplying: Set<UInt32>
  /// How supply runs with no barrier closed, and with the isolating ones closed.
  let normal: FloodRule
  let closed: FloodRule

  /// Marks what supply does not reach with the isolating barriers closed.
  ///
  /// - Parameters:
  ///   - region: what a flood toward the controllers reached.
  ///   - supplied: what they supply with no barrier closed.
  func mark(
    _ region: Reach, _ toward: FloodRule, _ supplied: Reach, _ isolating: IsolationBounds,
    _ marks: inout ResultMarks
  ) {
    let (view, nodes, spans) = (flood.view, flood.nodes, flood.spans)
    let chosen = Set(isolating.nodes)
    for node in region.nodes {
      let item = node & ~Reach.stopped
      if chosen.contains(item) || nodes.has(Int(item), Mark.stillSupplied) { continue }
      marks.take(node: item)
    }
    let chosenSpans = Set(isolating.spans)
    func take(_ span: Int) {
      if chosenSpans.contains(UInt32(span)) { return }
      marks.take(span: span)
    }
    flood.crossedSpans(region, toward, take)
    for span in region.stoppedSpans where !isStillSupplied(span: Int(span)) {
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
        marks.take(node: UInt32(from))
      }
      // Crossed with the barriers closed too: what it supplies, it supplies still.
      let isController = flood.barriers.isStoppingController(from)
      let isCrossedStill =
        isStill && bits & Mark.closed == 0 && (!isController || supplies(from))
      if node & Reach.stopped != 0 || isCrossedStill { continue }
      view.forEachStep(from) { step in
        guard step.span >= 0, flood.mayPass(step, from, isController, normal),
          nodes.has(step.target, normal.mark),
          !(flood.barriers.asksSpans && flood.stops(span: step.span, normal)),
          !isStillSupplied(span: step.span)
        else { return }
        take(step.span)
      }
    }
  }

  /// Whether a span is reached from the controllers with the barriers closed.
  private func isStillSupplied(span: Int) -> Bool {
    let (view, nodes, spans) = (flood.view, flood.nodes, flood.spans)
    if spans.has(span, Mark.stillSupplied) { return true }
    for node in view.ends(span) {
      guard nodes.has(node, Mark.stillSupplied), !stopsSupply(node) else { continue }
      var isSupplied = false
      let isController = flood.barriers.isStoppingController(node)
      view.forEachStep(node) { step in
        if step.span == span, flood.mayPass(step, node, isController, closed) { isSupplied = true }
      }
      if isSupplied { return true }
    }
    return false
  }

  private func stopsSupply(_ node: Int) -> Bool {
    let nodes = flood.nodes
    // The controllers themselves are where supply starts.
    if flood.barriers.isStoppingController(node), !nodes.has(node, Mark.closed),
      nodes.has(node, Mark.found)
    {
      return !supplies(node)
    }
    return flood.stops(node: node, closed)
  }

  private func supplies(_ node: Int) -> Bool { supplying.contains(UInt32(node)) }
}
