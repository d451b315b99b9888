import PlumbCore

/// Runs a trace with the implementation for its type.
struct TraceRun {
  let plan: TracePlan
  let parameters: UtilityTraceParameters
  let starts: [UInt32]
  private var flood: Flood

  init(
    _ plan: TracePlan, _ parameters: UtilityTraceParameters, _ starts: [UInt32], _ flood: Flood
  ) {
    self.plan = plan
    self.parameters = parameters
    self.starts = starts
    self.flood = flood
  }

  mutating func result() throws(NetworkError) -> UtilityTraceResult {
    switch plan.type {
    case .connected:
      var rule = FloodRule(mark: Mark.region)
      rule.isBlind = true
      return try result(flood.reachable(starts, rule), rule)
    case .isolation:
      var isolation = Isolation(plan, parameters, starts, flood)
      return try isolation.result()
    case .shortestPath:
      let path = ShortestPath(plan, parameters, starts, flood)
      return try path.result()
    case .loops:
      var loops = LoopTrace(plan, flood)
      loops.run(starts)
      flood = loops.flood
      return try maker.result(loops.marks)
    case .subnetwork: return try subnetwork()
    case .subnetworkControllers:
      let (_, controllers) = try controllers(ofOne: false)
      var marks = ResultMarks(flood)
      for node in controllers { marks.insert(node: node) }
      return try maker.result(marks)
    case .upstream, .downstream:
      let (reachable, controllers) = try controllers(ofOne: true)
      try propagate(controllers, within: Mark.found)
      var flow = FlowTrace(plan, starts, flood)
      flow.run(reachable, controllers)
      var result = try maker.result(flow.marks)
      try maker.complete(&result, possible: flow.possible)
      result.warnings = flow.warnings
      return result
    }
  }

  private var maker: ResultMaker { ResultMaker(plan, parameters, starts, flood) }

  private mutating func subnetwork() throws(NetworkError) -> UtilityTraceResult {
    let (_, controllers) = try controllers(ofOne: true)
    try propagate(controllers, within: 0)
    var rule = FloodRule(mark: Mark.region)
    rule.stopsAtFilters = true
    rule.functions = plan.functions + plan.filterFunctions
    return try result(flood.reachable(controllers, rule), rule)
  }

  /// The first pass: finds the elements that are connected to the starts, and the controllers among these
  /// elements.
  private mutating func controllers(
    ofOne isOne: Bool
  ) throws(NetworkError) -> (reachable: ReachableSet, controllers: [UInt32]) {
    var rule = FloodRule(mark: Mark.found)
    rule.functions = plan.functions
    let reachable = flood.reachable(starts, rule)
    if !plan.functions.isEmpty { flood.keepStops(reachable) }
    let search = ControllerSearch(flood, plan)
    let controllers = try search.controllers(reachable)
    if isOne { try search.oneSubnetwork(controllers) }
    return (reachable, controllers)
  }

  private mutating func propagate(
    _ controllers: [UInt32], within: UInt32
  ) throws(NetworkError) {
    try Propagation.run(plan, controllers, within: within, &flood)
  }

  /// Creates the result from the nodes and spans that a flood reached.
  private func result(
    _ reachable: ReachableSet, _ rule: FloodRule
  ) throws(NetworkError) -> UtilityTraceResult {
    let whole = WholeElements(flood, reachable, rule, plan.configuration)
    if whole.isSooner { return try maker.result(whole.elements()) }
    var marks = ResultMarks(flood)
    marks.insert(reachable, rule, of: flood, keepsBarriers: plan.configuration.includeBarriers)
    return try maker.result(marks)
  }
}
