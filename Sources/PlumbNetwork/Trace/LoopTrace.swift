/// Finds the elements on cycles.
struct LoopTrace {
  let plan: TracePlan
  private(set) var flood: Flood
  private(set) var marks: ResultMarks

  init(_ plan: TracePlan, _ flood: Flood) {
    self.plan = plan
    self.flood = flood
    marks = ResultMarks(flood)
  }

  mutating func run(_ starts: [UInt32]) {
    var rule = FloodRule(mark: Mark.found)
    rule.functions = plan.functions + plan.filterFunctions
    rule.stopsAtFilters = true
    let reachable = flood.reachable(starts, rule)
    for span in reachable.stoppedSpans {
      _ = flood.spans.set(Int(span), Mark.closed)
      flood.barriers.checksSpans = true
    }
    var local = FloodRule(mark: 0)
    local.stopsAtFilters = true
    local.stopMarks = Mark.closed
    let blocks = OutwardFlow(
      flood, reachable, rule: local, roots: [], mergesRoots: false, supply: plan.supply)
    let flood = flood
    for node in reachable.nodes where node & ReachableSet.stopped == 0 {
      let isController = flood.barriers.isStoppingController(Int(node))
      flood.view.forEachStep(Int(node)) { step in
        guard flood.mayPass(step, Int(node), isController, local),
          flood.nodes.has(step.target, Mark.found),
          !(step.span >= 0 && flood.barriers.checksSpans && flood.stops(span: step.span, local)),
          blocks.isOnCycle(step, Int(node))
        else { return }
        marks.insert(node: node)
        if step.span >= 0 { marks.insert(span: step.span) }
      }
    }
  }
}
