import PlumbCore

/// Floods that do not test edges.
extension Flood {
  /// A faster version of `reachable`, which keeps the data of the loop in local variables and tests
  /// most nodes by their type only.
  func plainReachable(_ starts: [UInt32], _ rule: FloodRule) -> ReachableSet {
    let (nodeCount, marks, filter, queue) = unsafe (
      view.graph.nodeCount, nodes, view.cuts.filter, queue
    )
    let graph = view.graph
    let (arcStarts, arcs, info) = unsafe (
      graph.arcStarts.base, graph.arcs.base, graph.nodeInfo.base
    )
    let stopMarks = rule.stopMarks | Mark.barrier
    // If one-way elements are open, every arc that permits flow in one direction permits flow in
    // both directions.
    let flow = rule.flow | view.openBits
    let (mark, within, isBlind) = (rule.mark, rule.within, rule.isBlind)
    let testedTypes = testedTypes(rule)
    // Each node is queued at most once.
    var (next, end) = (0, 0)
    for start in starts where marks.set(Int(start), mark) {
      unsafe queue[end] = start
      end &+= 1
    }
    unsafe testedTypes.withUnsafeBufferPointer { testedTypes in
      func visit(_ target: Int) {
        let word = unsafe marks.base[target]
        let bits = word >= marks.epoch ? word : marks.epoch
        if bits & mark != 0 || (within != 0 && bits & within == 0) { return }
        unsafe marks.base[target] = bits | mark
        var stops = bits & stopMarks != 0
        if !stops, !isBlind {
          let info = unsafe target < nodeCount ? info[target] : NodeInfo.nothing
          if unsafe info.isController || (bits & Mark.filterBarrier != 0 && rule.stopsAtFilters)
            || testedTypes[Int(info.type)]
          {
            stops = self.stops(node: target, rule)
          }
        }
        unsafe queue[end] = UInt32(truncatingIfNeeded: target) | (stops ? ReachableSet.stopped : 0)
        end &+= 1
      }
      while next < end {
        let node = unsafe queue[next]
        next &+= 1
        if node & ReachableSet.stopped != 0 { continue }
        let from = Int(node)
        if isBlind, filter == 0 {
          for index in unsafe Int(arcStarts[from])..<Int(arcStarts[from &+ 1]) {
            let target = unsafe arcs[index].target
            let word = unsafe marks.base[Int(target)]
            let bits = word >= marks.epoch ? word : marks.epoch
            if bits & mark != 0 { continue }
            unsafe marks.base[Int(target)] = bits | mark
            unsafe queue[end] = bits & stopMarks != 0 ? target | ReachableSet.stopped : target
            end &+= 1
          }
          continue
        }
        guard from < nodeCount, unsafe isBlind || !info[from].isController else {
          let isController = barriers.isStoppingController(from)
          view.forEachStep(from) { step in
            if isPermitted(step, from, isController, rule) { visit(step.target) }
          }
          continue
        }
        for index in unsafe Int(arcStarts[from])..<Int(arcStarts[from &+ 1]) {
          let arc = unsafe arcs[index]
          guard isBlind || arc.flow & flow != 0 else { continue }
          if arc.isSpan, filter & (1 &<< UInt64(arc.span & 63)) != 0,
            let parts = view.cuts.partsOfSpan[arc.span]
          {
            let nodes = view.cuts.parts[arc.isAtFrom ? parts.lowerBound : parts.upperBound - 1]
              .nodes
            visit(Int(arc.isAtFrom ? nodes.y : nodes.x))
          } else {
            visit(Int(arc.target))
          }
        }
      }
    }
    return unsafe ReachableSet(nodes: Array(UnsafeBufferPointer(start: queue, count: end)))
  }

  /// Returns, for each type number including `noType`, whether nodes of the type have to be tested.
  private func testedTypes(_ rule: FloodRule) -> [Bool] {
    var result = [Bool](repeating: false, count: Int(NodeInfo.noType) + 1)
    for test in barriers.barrierTests + (rule.stopsAtFilters ? barriers.filterTests : []) {
      for (type, answer) in test.byType.enumerated() where answer != 0 { result[type] = true }
    }
    return result
  }
}
