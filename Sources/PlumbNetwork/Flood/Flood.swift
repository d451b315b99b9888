import PlumbCore

/// Follows the arcs from nodes according to a rule, up to the barriers.
///
/// A flood reaches nodes, and crosses a reached node unless the trace stops at the node. The flood
/// reaches spans from crossed nodes. Barriers are reached but not crossed.
@safe struct Flood {
  let network: UtilityNetwork
  let view: TraceView
  var barriers: Barriers
  let nodes: Marks
  let spans: Marks
  /// The queue of nodes to visit.
  let queue: UnsafeMutablePointer<UInt32>

  init(_ barriers: Barriers, _ scratch: TraceScratch) {
    network = barriers.network
    view = barriers.view
    self.barriers = barriers
    nodes = barriers.nodes
    spans = barriers.spans
    unsafe queue = unsafe scratch.queue.base
  }

  /// Floods from starting nodes, which are always crossed.
  func reachable(_ starts: [UInt32], _ rule: FloodRule) -> ReachableSet {
    if !rule.functions.isEmpty { return OrderedFlood(self, rule).reachable(starts) }
    if !barriers.checksSpans, rule.outward == nil, !rule.opensStart {
      return plainReachable(starts, rule)
    }
    var reachable = ReachableSet()
    for start in starts where nodes.set(Int(start), rule.mark) { reachable.nodes.append(start) }
    var next = 0
    while next < reachable.nodes.count {
      let node = reachable.nodes[next]
      next += 1
      if node & ReachableSet.stopped != 0 { continue }
      let from = Int(node)
      let isController = barriers.isStoppingController(from)
      view.forEachStep(from) { step in
        guard isPermitted(step, from, isController, rule) else { return }
        if step.span >= 0, barriers.checksSpans, stops(span: step.span, rule) {
          if mayReachStop(step, from, rule), spans.set(step.span, rule.mark) {
            reachable.stoppedSpans.append(UInt32(truncatingIfNeeded: step.span))
          }
          return
        }
        guard leadsOn(step, from, rule) else { return }
        guard nodes.set(step.target, rule.mark) else { return }
        let stop: UInt32 = stops(node: step.target, rule) ? ReachableSet.stopped : 0
        reachable.nodes.append(UInt32(truncatingIfNeeded: step.target) | stop)
      }
    }
    return reachable
  }

  /// Marks the spans that a flood crossed, and calls `body` with each span.
  func crossedSpans(_ reachable: ReachableSet, _ rule: FloodRule, _ body: (Int) -> Void) {
    for node in reachable.nodes where node & ReachableSet.stopped == 0 {
      let from = Int(node)
      let isController = barriers.isStoppingController(from)
      view.forEachStep(from) { step in
        guard step.span >= 0, mayPass(step, from, isController, rule),
          nodes.has(step.target, rule.mark)
        else { return }
        if barriers.checksSpans, spans.has(step.span, rule.mark) || stops(span: step.span, rule) {
          return
        }
        if spans.set(step.span, rule.mark) { body(step.span) }
      }
    }
  }

  /// Marks the elements that stopped the first pass, except controllers, as barriers of later
  /// passes.
  mutating func keepStops(_ reachable: ReachableSet) {
    for node in reachable.nodes where node & ReachableSet.stopped != 0 {
      let item = Int(node & ~ReachableSet.stopped)
      if !barriers.isStoppingController(item) { _ = nodes.set(item, Mark.barrier) }
    }
    for span in reachable.stoppedSpans {
      _ = spans.set(Int(span), Mark.barrier)
      barriers.checksSpans = true
    }
  }
}

/// Tests of single steps.
extension Flood {
  @inline(__always)
  func mayPass(_ step: Step, _ from: Int, _ isController: Bool, _ rule: FloodRule) -> Bool {
    isPermitted(step, from, isController, rule) && leadsOn(step, from, rule)
  }

  /// Whether the element of a step permits flow in the direction of the flood.
  @inline(__always)
  func isPermitted(_ step: Step, _ from: Int, _ isController: Bool, _ rule: FloodRule) -> Bool {
    if rule.isBlind { return true }
    if isController && step.isInside { return false }
    if step.flow & rule.flow != 0 { return true }
    return rule.opensStart && step.flow != 0 && isInStartElement(step, from)
  }

  /// Whether a step is within an element at which an isolation starts.
  private func isInStartElement(_ step: Step, _ from: Int) -> Bool {
    step.span >= 0
      ? spans.has(step.span, Mark.startElement)
      : step.isInside && nodes.has(from, Mark.startElement)
  }

  /// Whether the flood may reach the target node of a step.
  @inline(__always)
  func leadsOn(_ step: Step, _ from: Int, _ rule: FloodRule) -> Bool {
    if rule.within != 0, !nodes.has(step.target, rule.within) { return false }
    if let outward = rule.outward, !outward.permits(step, from, rule.flow) { return false }
    return true
  }

  /// Whether the flood reaches a span that stops the flood. A barrier is reached even if no path
  /// continues beyond the barrier. Paths from the controllers do not cross barriers, so a barrier
  /// is reached only in the direction of flow.
  @inline(__always)
  func mayReachStop(_ step: Step, _ from: Int, _ rule: FloodRule) -> Bool {
    guard let outward = rule.outward else { return true }
    return barriers.isBarrier(span: step.span)
      ? outward.isAlong(rule.flow) : leadsOn(step, from, rule)
  }

  @inline(__always)
  func stops(node: Int, _ rule: FloodRule) -> Bool {
    let bits = nodes.bits(node)
    if bits & (rule.stopMarks | Mark.barrier) != 0 { return true }
    if rule.isBlind { return false }
    return barriers.isStoppingController(node) || barriers.isBarrier(node: node)
      || (rule.stopsAtFilters && barriers.isFilterBarrier(node: node))
  }

  @inline(__always)
  func stops(span: Int, _ rule: FloodRule) -> Bool {
    let bits = spans.bits(span)
    if bits & (rule.stopMarks | Mark.barrier) != 0 { return true }
    if rule.isBlind { return false }
    return barriers.isBarrier(span: span)
      || (rule.stopsAtFilters && barriers.filtersSpans && barriers.isFilterBarrier(span: span))
  }
}
