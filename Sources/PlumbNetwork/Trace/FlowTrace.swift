/// Upstream and downstream traces.
struct FlowTrace {
  let plan: TracePlan
  let starts: [UInt32]
  let flood: Flood
  private(set) var marks: ResultMarks
  /// The elements possibly in the result.
  private(set) var possible: ResultMarks
  private(set) var warnings: [String] = []

  init(_ plan: TracePlan, _ starts: [UInt32], _ flood: Flood) {
    self.plan = plan
    self.starts = starts
    self.flood = flood
    marks = ResultMarks(flood)
    possible = ResultMarks(flood, mark: Mark.possible)
  }

  /// - Parameter found: the nodes and spans reached by the search for the controllers.
  mutating func run(_ found: ReachableSet, _ controllers: [UInt32]) {
    let towardControllers = (plan.type == .upstream) == plan.isSource
    let directions = SupplyDirections(
      flood, found, controllers: controllers, starts: towardControllers ? starts : [],
      supply: plan.supply,
      needsTree: !towardControllers || !plan.configuration.allowIndeterminateFlow)
    // For sinks, supply is traced against the flow. Flow runs toward the sinks, and the elements
    // upstream of a point drain to that point.
    var supply = FloodRule(mark: Mark.supplied, flow: plan.supply, within: Mark.found)
    supply.outward = directions.outward
    _ = flood.reachable(controllers, supply)
    var rule = FloodRule(mark: Mark.region)
    rule.flow = towardControllers ? plan.against : plan.supply
    rule.within = Mark.supplied
    rule.outward = directions.outward
    rule.stopsAtFilters = true
    rule.functions = plan.filterFunctions
    let nodes = flood.nodes
    let supplied = starts.filter { nodes.has(Int($0), Mark.supplied) }
    if supplied.count < starts.count {
      warnings.append(
        "no flow is permitted between the controllers and some of the starting locations")
    }
    let keepsBarriers = plan.configuration.includeBarriers
    let reachable = flood.reachable(supplied, rule)
    if let graph = directions.graph {
      var all = ResultMarks(flood, mark: Mark.candidate)
      all.insert(reachable, rule, of: flood, keepsBarriers: keepsBarriers)
      var paths = SupplyPaths(graph, filters: graph.filters(found, starts: supplied))
      if towardControllers {
        paths.findUpstream()
      } else if let tree = directions.tree {
        paths.findDownstream(supplied.map { graph.vertex(node: Int($0)) }, tree)
      }
      sort(all, supplied, graph, paths.certainties)
    } else {
      marks.insert(reachable, rule, of: flood, keepsBarriers: keepsBarriers)
    }
    if !plan.configuration.allowIndeterminateFlow {
      let indeterminate = IndeterminateFlow(flood: flood, directions: directions)
      if let warning = indeterminate.move(from: marks, to: &possible, keeping: supplied) {
        warnings.append(warning)
      }
    }
  }

  /// Divides the elements that a flood reached into certain elements, possible elements, and
  /// elements that are not on a path. This is needed if some arcs permit only one direction.
  private mutating func sort(
    _ all: ResultMarks, _ starts: [UInt32], _ graph: SupplyGraph,
    _ certainties: [SupplyPaths.Certainty]
  ) {
    var undecided: Set<Int> = []
    let view = flood.view
    let kept = Set(starts)
    for node in all.touchedNodes {
      switch kept.contains(node) ? .yes : certainties[graph.vertex(node: Int(node))] {
      case .yes: marks.insert(node: node)
      case .possible:
        possible.insert(node: node)
        if let junction = view.junction(Int(node)) { undecided.insert(junction) }
      case .no: break
      }
    }
    for span in all.touchedSpans.lazy.map({ Int($0) }) where graph.hasVertex(span: span) {
      switch certainties[graph.vertex(span: span)] {
      case .yes: marks.insert(span: span)
      case .possible:
        possible.insert(span: span)
        undecided.insert(view.edge(span) + view.network.junctionCount)
      case .no: break
      }
    }
    if !undecided.isEmpty {
      let count = undecided.count
      warnings.append(
        "\(count) \(count == 1 ? "element is" : "elements are") listed as possible: one-way elements "
          + "lie between the controllers, and no path of flow was found or ruled out")
    }
  }
}
