import PlumbCore

/// What an isolation leaves without supply.
extension Tracer {
  func markIsolated(
    _ region: Reach, _ toward: FloodRule, _ supplied: Reach, _ normal: FloodRule,
    _ closed: FloodRule, _ isolating: IsolationBounds
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
      let isController = isStoppingController(from)
      let isCrossedStill =
        isStill && bits & Mark.closed == 0 && (!isController || supplies(from))
      if node & Reach.stopped != 0 || isCrossedStill { continue }
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
}
