import PlumbCore

/// Finds the path between two starting locations that has the least sum of a network attribute.
struct ShortestPath {
  let plan: TracePlan
  let parameters: UtilityTraceParameters
  let starts: [UInt32]
  private let flood: Flood
  private let view: TraceView
  private let network: UtilityNetwork

  init(
    _ plan: TracePlan, _ parameters: UtilityTraceParameters, _ starts: [UInt32], _ flood: Flood
  ) {
    self.plan = plan
    self.parameters = parameters
    self.starts = starts
    self.flood = flood
    view = flood.view
    network = flood.network
  }

  func result() throws(NetworkError) -> UtilityTraceResult {
    guard let name = plan.configuration.shortestPathAttribute else { return UtilityTraceResult() }
    let attribute = try network.numberAttribute(name)
    guard plan.functions.isEmpty, plan.filterFunctions.isEmpty else {
      throw NetworkError(.badParameters, "a shortest path trace cannot have function barriers")
    }
    guard let from = starts.first, let to = starts.last else { return UtilityTraceResult() }
    let sums = MinimumSums(flood, attribute)
    var costless: Set<Int> = []
    var rule = FloodRule(mark: 0)
    rule.stopsAtFilters = true
    let known = try sums.sums([from], rule, until: to, &costless)
    guard let cost = known[to] else {
      let names = parameters.startingLocations.map { network.name(of: $0.element) }
      var reason = sums.costlessEdges(costless, name).map { "; \($0)" } ?? ""
      rule.stopsAtFilters = false
      if try sums.sums([from], rule, until: to, &costless)[to] != nil {
        reason = "; filter barriers lie between them"
      }
      throw NetworkError(.noPath, "no path joins \(names.joined(separator: " and "))" + reason)
    }
    let marks = try path(from, to, known, sums, rule)
    var result = try ResultMaker(plan, parameters, starts, flood).result(marks)
    if let reason = sums.costlessEdges(costless, name) { result.warnings.append(reason) }
    result.pathCost = cost.sum
    return result
  }

  /// Returns the path, traced back from its end. Each step leads to the first of the elements with
  /// the least cost.
  private func path(
    _ from: UInt32, _ to: UInt32, _ known: [UInt32: MinimumSums.Cost], _ sums: MinimumSums,
    _ rule: FloodRule
  ) throws(NetworkError) -> ResultMarks {
    var marks = ResultMarks(flood)
    var node = to
    marks.insert(node: node)
    while node != from, let step = try step(back: node, from, known, sums, rule) {
      if step.span >= 0 { marks.insert(span: step.span) }
      node = UInt32(step.target)
      marks.insert(node: node)
    }
    return marks
  }

  private func step(
    back node: UInt32, _ from: UInt32, _ known: [UInt32: MinimumSums.Cost], _ sums: MinimumSums,
    _ rule: FloodRule
  ) throws(NetworkError) -> Step? {
    guard let current = known[node] else { return nil }
    var best: (edge: UInt32, before: UInt64, order: Double, step: Step)?
    var failure: NetworkError?
    view.forEachStep(Int(node)) { step in
      let before = UInt32(step.target)
      guard let there = known[before], there.steps == current.steps - 1,
        step.flow != 0, before == from || !flood.stops(node: step.target, rule),
        !(step.isInside && flood.barriers.isStoppingController(step.target))
      else { return }
      var sum = there.sum
      if step.span >= 0 {
        if flood.barriers.checksSpans, flood.stops(span: step.span, rule) { return }
        do throws(NetworkError) {
          guard let cost = try sums.cost(span: step.span) else { return }
          sum += cost
        } catch { failure = error }
      }
      guard sum == current.sum else { return }
      let edge =
        unsafe step.span < 0
        ? 0 : network.index.ranks.base[network.junctionCount + view.edge(step.span)] + 1
      let start = step.span < 0 ? 0 : view.range(step.span).lowerBound
      let candidate = (edge, view.order(before), start, step)
      if let known = best,
        (known.edge, known.before, known.order) <= (candidate.0, candidate.1, candidate.2)
      {
        return
      }
      best = candidate
    }
    if let failure { throw failure }
    return best?.step
  }
}
