import PlumbCore

/// How a flood runs.
struct FloodRule {
  /// Set on what is reached.
  var mark: UInt32
  /// Which flow a step must permit: `Arc.outBit`, `Arc.inBit`, or either.
  var flow: UInt32 = Arc.outBit | Arc.inBit
  /// Whether steps that permit no flow are taken too, and only locations stop.
  var isBlind = false
  /// Whether filter barriers stop.
  var stopsAtFilters = false
  /// Nodes and spans with any of these marks stop.
  var stopMarks: UInt32 = 0
  /// Nodes without this mark are not reached; 0 for none such.
  var within: UInt32 = 0
  /// Whether flow back through a cut vertex toward the controllers is left out.
  var isOutward = false
  /// Whether the starts' own elements let flow pass both ways, whichever way they permit.
  var opensOwn = false
  /// Functions whose running value stops.
  var functions: [BoundFunctionBarrier] = []
}

/// What a flood reached.
struct Reach {
  /// Nodes; the top bit is set for those not crossed.
  var nodes: [UInt32] = []
  /// Spans reached and not crossed.
  var stoppedSpans: [UInt32] = []

  static let stopped: UInt32 = 1 << 31
}

extension Tracer {
  /// Floods from nodes, which are crossed whatever they are.
  func flood(_ starts: [UInt32], _ rule: FloodRule) -> Reach {
    if !rule.functions.isEmpty { return orderedFlood(starts, rule) }
    if !asksSpans, !rule.isOutward, !rule.opensOwn { return plainFlood(starts, rule) }
    var reach = Reach()
    for start in starts where nodes.set(Int(start), rule.mark) { reach.nodes.append(start) }
    var next = 0
    while next < reach.nodes.count {
      let node = reach.nodes[next]
      next += 1
      if node & Reach.stopped != 0 { continue }
      let from = Int(node)
      let isController = isStoppingController(from)
      forEachStep(from) { step in
        guard isPermitted(step, from, isController, rule) else { return }
        if step.span >= 0, asksSpans, stops(span: step.span, rule) {
          if mayReachStop(step, from, rule), spans.set(step.span, rule.mark) {
            reach.stoppedSpans.append(UInt32(truncatingIfNeeded: step.span))
          }
          return
        }
        guard leadsOn(step, from, rule) else { return }
        guard nodes.set(step.target, rule.mark) else { return }
        let stop: UInt32 = stops(node: step.target, rule) ? Reach.stopped : 0
        reach.nodes.append(UInt32(truncatingIfNeeded: step.target) | stop)
      }
    }
    return reach
  }

  /// A flood that asks nothing of edges: what all it reads is in local variables, and most nodes are
  /// decided by their type.
  private func plainFlood(_ starts: [UInt32], _ rule: FloodRule) -> Reach {
    let (nodeCount, marks, filter, queue) = (graph.nodeCount, nodes, cuts.filter, queue)
    let (arcStarts, arcs, info) = (graph.arcStarts.base, graph.arcs.base, graph.nodeInfo.base)
    let stopMarks = rule.stopMarks | Mark.barrier
    // An arc that permits any flow is open where one-way elements are.
    let flow = rule.flow | openBits
    let (mark, within, isBlind) = (rule.mark, rule.within, rule.isBlind)
    let asked = askedTypes(rule)
    // Each node is put in the queue once at most.
    var (next, end) = (0, 0)
    for start in starts where marks.set(Int(start), mark) {
      queue[end] = start
      end &+= 1
    }
    asked.withUnsafeBufferPointer { asked in
      func visit(_ target: Int) {
        let word = marks.base[target]
        let bits = word >= marks.epoch ? word : marks.epoch
        if bits & mark != 0 || (within != 0 && bits & within == 0) { return }
        marks.base[target] = bits | mark
        var stops = bits & stopMarks != 0
        if !stops, !isBlind {
          let info = target < nodeCount ? info[target] : NodeInfo.nothing
          if info.isController || (bits & Mark.filterBarrier != 0 && rule.stopsAtFilters)
            || asked[Int(info.type)]
          {
            stops = self.stops(node: target, rule)
          }
        }
        queue[end] = UInt32(truncatingIfNeeded: target) | (stops ? Reach.stopped : 0)
        end &+= 1
      }
      while next < end {
        let node = queue[next]
        next &+= 1
        if node & Reach.stopped != 0 { continue }
        let from = Int(node)
        if isBlind, filter == 0 {
          for index in Int(arcStarts[from])..<Int(arcStarts[from &+ 1]) {
            let target = arcs[index].target
            let word = marks.base[Int(target)]
            let bits = word >= marks.epoch ? word : marks.epoch
            if bits & mark != 0 { continue }
            marks.base[Int(target)] = bits | mark
            queue[end] = bits & stopMarks != 0 ? target | Reach.stopped : target
            end &+= 1
          }
          continue
        }
        guard from < nodeCount, isBlind || !info[from].isController else {
          let isController = isStoppingController(from)
          forEachStep(from) { step in
            if isPermitted(step, from, isController, rule) { visit(step.target) }
          }
          continue
        }
        for index in Int(arcStarts[from])..<Int(arcStarts[from &+ 1]) {
          let arc = arcs[index]
          guard isBlind || arc.flow & flow != 0 else { continue }
          if arc.isSpan, filter & (1 &<< UInt64(arc.span & 63)) != 0,
            let parts = cuts.partsOfSpan[arc.span]
          {
            let nodes = cuts.parts[arc.isAtFrom ? parts.lowerBound : parts.upperBound - 1].nodes
            visit(Int(arc.isAtFrom ? nodes.y : nodes.x))
          } else {
            visit(Int(arc.target))
          }
        }
      }
    }
    return Reach(nodes: Array(UnsafeBufferPointer(start: queue, count: end)))
  }

  /// Of each type number, the nameless one's too: whether its nodes have to be asked.
  private func askedTypes(_ rule: FloodRule) -> [Bool] {
    var result = [Bool](repeating: false, count: Int(NodeInfo.noType) + 1)
    for test in barrierTests + (rule.stopsAtFilters ? filterTests : []) {
      for (type, answer) in test.byType.enumerated() where answer != 0 { result[type] = true }
    }
    return result
  }

  @inline(__always)
  func mayPass(_ step: Step, _ from: Int, _ isController: Bool, _ rule: FloodRule) -> Bool {
    isPermitted(step, from, isController, rule) && leadsOn(step, from, rule)
  }

  /// Whether flow may take a step at all.
  @inline(__always)
  func isPermitted(_ step: Step, _ from: Int, _ isController: Bool, _ rule: FloodRule) -> Bool {
    if rule.isBlind { return true }
    if isController && step.isInside { return false }
    if step.flow & rule.flow != 0 { return true }
    return rule.opensOwn && step.flow != 0 && isOwn(step, from)
  }

  /// Whether a step is within an element that an isolation starts at.
  private func isOwn(_ step: Step, _ from: Int) -> Bool {
    step.span >= 0 ? spans.has(step.span, Mark.own) : step.isInside && nodes.has(from, Mark.own)
  }

  /// Whether the far node of a step is one that the flood may reach.
  @inline(__always)
  func leadsOn(_ step: Step, _ from: Int, _ rule: FloodRule) -> Bool {
    if rule.within != 0, !nodes.has(step.target, rule.within) { return false }
    if rule.isOutward, let outward, !outward.permits(step, from, rule.flow) { return false }
    return true
  }

  /// Whether a span that stops is reached. Beyond a barrier nothing needs to be found; but no path from
  /// a controller comes through one.
  @inline(__always)
  func mayReachStop(_ step: Step, _ from: Int, _ rule: FloodRule) -> Bool {
    guard rule.isOutward, let outward else { return true }
    return isBarrier(span: step.span)
      ? outward.isAlong(rule.flow) : leadsOn(step, from, rule)
  }

  @inline(__always)
  func stops(node: Int, _ rule: FloodRule) -> Bool {
    let bits = nodes.bits(node)
    if bits & (rule.stopMarks | Mark.barrier) != 0 { return true }
    if rule.isBlind { return false }
    return isStoppingController(node) || isBarrier(node: node)
      || (rule.stopsAtFilters && isFilterBarrier(node: node))
  }

  @inline(__always)
  func stops(span: Int, _ rule: FloodRule) -> Bool {
    let bits = spans.bits(span)
    if bits & (rule.stopMarks | Mark.barrier) != 0 { return true }
    if rule.isBlind { return false }
    return isBarrier(span: span)
      || (rule.stopsAtFilters && filtersSpans && isFilterBarrier(span: span))
  }

  /// Marks the spans that a flood crossed, and hands them out.
  func crossedSpans(_ reach: Reach, _ rule: FloodRule, _ body: (Int) -> Void) {
    for node in reach.nodes where node & Reach.stopped == 0 {
      let from = Int(node)
      let isController = isStoppingController(from)
      forEachStep(from) { step in
        guard step.span >= 0, mayPass(step, from, isController, rule),
          nodes.has(step.target, rule.mark)
        else { return }
        if asksSpans, spans.has(step.span, rule.mark) || stops(span: step.span, rule) { return }
        if spans.set(step.span, rule.mark) { body(step.span) }
      }
    }
  }
}
