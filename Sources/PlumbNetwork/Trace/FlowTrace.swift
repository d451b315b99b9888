/// Upstream and downstream traces.
struct FlowTrace {
  let plan: TracePlan
  let starts: [UInt32]
  let flood: Flood
  private(set) var marks: ResultMarks
  private(set) var warnings: [String] = []

  init(_ plan: TracePlan, _ starts: [UInt32], _ flood: Flood) {
    self.plan = plan
    self.starts = starts
    self.flood = flood
    marks = ResultMarks(flood)
  }

  /// - Parameter reach: what the search for the controllers found.
  mutating func run(_ reach: Reach, _ controllers: [UInt32]) {
    let outward = OutwardFlow(
      flood, reach, rule: FloodRule(mark: 0), roots: controllers, mergesRoots: true,
      supply: plan.supply)
    // Seen from sources: sinks have flow toward them, and upstream of a point is what drains to it.
    var supply = FloodRule(mark: Mark.supplied, flow: plan.supply, within: Mark.found)
    supply.outward = outward
    _ = flood.reach(controllers, supply)
    let towardControllers = (plan.type == .upstream) == plan.isSource
    var rule = FloodRule(mark: Mark.region)
    rule.flow = towardControllers ? plan.against : plan.supply
    rule.within = Mark.supplied
    rule.outward = outward
    rule.stopsAtFilters = true
    rule.functions = plan.filterFunctions
    let nodes = flood.nodes
    let supplied = starts.filter { nodes.has(Int($0), Mark.supplied) }
    if supplied.count < starts.count {
      warnings.append("no flow between the controllers and some starting locations is permitted")
    }
    marks.take(
      flood.reach(supplied, rule), rule, of: flood,
      keepsBarriers: plan.configuration.includeBarriers)
    if !plan.configuration.allowIndeterminateFlow {
      let indeterminate = IndeterminateFlow(flood: flood, outward: outward)
      if let warning = indeterminate.drop(marks, keeping: supplied) { warnings.append(warning) }
    }
  }
}
