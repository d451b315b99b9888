import PlumbCore

/// Finds the one-way elements that an isolation relies on. The search treats one element at a time as
/// open in both directions, and follows the supply through this element.
struct HoldSearch {
  private let flood: Flood
  private let supply: FloodRule
  /// `supply` without its stop marks. The marks close all barriers of the isolation, but the search closes
  /// only the isolating barriers.
  private let plain: FloodRule
  private let closedNodes: Set<UInt32>
  private let closedSpans: Set<UInt32>
  /// The junctions with a closed terminal, which are isolating elements rather than isolated
  /// elements.
  private let closedDevices: Set<Int>
  private var holding: Set<Int> = []
  /// Nodes from which no supply flows into the result.
  private var fruitless: Set<Int> = []

  private init(_ flood: Flood, _ supply: FloodRule, _ isolating: IsolationBounds) {
    self.flood = flood
    self.supply = supply
    var plain = supply
    plain.stopMarks = 0
    self.plain = plain
    closedNodes = Set(isolating.nodes)
    closedSpans = Set(isolating.spans)
    closedDevices = Set(isolating.nodes.compactMap { flood.view.junction(Int($0)) })
  }

  /// Returns the one-way elements on which the isolation relies. If any one of these elements were
  /// open in both directions, supply would enter the result: one side of the element is supplied,
  /// and flow from the other side reaches the result.
  ///
  /// - Parameters:
  ///   - still: the nodes and spans that supply reaches with the isolating barriers closed.
  ///   - supply: the rule of the flood that found `still`.
  static func holds(
    _ flood: Flood, _ still: ReachableSet, _ supply: FloodRule, _ isolating: IsolationBounds
  ) -> [IsolationHold] {
    let (network, view) = (flood.network, flood.view)
    if view.graph.isUndirected { return [] }
    var search = HoldSearch(flood, supply, isolating)
    for node in still.nodes where node & ReachableSet.stopped == 0 {
      let from = Int(node)
      let isController = flood.barriers.isStoppingController(from)
      view.forEachStep(from) { step in
        guard step.isOneWay, step.flow & supply.flow == 0, !(isController && step.isInside) else {
          return
        }
        search.enter(step, from)
      }
    }
    let ranks = unsafe network.index.ranks.base
    return search.holding.sorted { unsafe ranks[$0] < ranks[$1] }.map {
      IsolationHold(
        element: NetworkElement(index: UInt32(truncatingIfNeeded: $0)),
        kind: $0 < network.junctionCount ? .oneWayTerminals : .oneWayEdge)
    }
  }

  /// Tests whether the isolation relies on an element. The step leaves the supplied area through the
  /// element, against the element's permitted direction.
  private mutating func enter(_ step: Step, _ from: Int) {
    guard let element = element(of: step, from), !holding.contains(element),
      flood.leadsOn(step, from, supply)
    else { return }
    if meets(step, from, opened: element) { holding.insert(element) }
  }

  private func element(of step: Step, _ from: Int) -> Int? {
    if step.span >= 0 { return flood.network.junctionCount + flood.view.edge(step.span) }
    return step.isInside ? flood.view.junction(from) : nil
  }

  /// Whether supply that takes a step reaches the result if one element is open in both directions.
  private mutating func meets(_ first: Step, _ from: Int, opened: Int) -> Bool {
    var seen: Set<Int> = []
    var list: [Int] = []
    // If several paths lead through the opened element, supply may flow through the element again.
    // Whether supply flows from a node into the result then depends on the opened element, so
    // `fruitless` is neither used nor updated.
    let isSingle = isSingle(opened)
    func visit(_ step: Step) -> Bool {
      if step.span >= 0 {
        if flood.spans.has(step.span, Mark.result | Mark.dry) { return true }
        if flood.barriers.checksSpans,
          closedSpans.contains(UInt32(step.span)) || flood.stops(span: step.span, plain)
        {
          return false
        }
      }
      if flood.nodes.has(step.target, Mark.result | Mark.dry), !isClosed(step.target) {
        return true
      }
      if flood.nodes.has(step.target, Mark.stillSupplied)
        || closedNodes.contains(UInt32(step.target)) || flood.stops(node: step.target, plain)
        || (isSingle && fruitless.contains(step.target))
      {
        return false
      }
      if seen.insert(step.target).inserted { list.append(step.target) }
      return false
    }
    if visit(first) { return true }
    while let node = list.popLast() {
      let isController = flood.barriers.isStoppingController(node)
      var isMet = false
      flood.view.forEachStep(node) { step in
        guard !isMet, step.flow != 0, flood.leadsOn(step, node, supply) else { return }
        if !flood.isPermitted(step, node, isController, supply) {
          guard !(isController && step.isInside), element(of: step, node) == opened else { return }
        }
        isMet = visit(step)
      }
      if isMet { return true }
    }
    if isSingle { fruitless.formUnion(seen) }
    return false
  }

  private func isClosed(_ node: Int) -> Bool {
    flood.view.junction(node).map { closedDevices.contains($0) } ?? false
  }

  /// Whether at most one path leads through an element.
  private func isSingle(_ element: Int) -> Bool {
    let (network, graph) = (flood.network, flood.view.graph)
    if element < network.junctionCount {
      return unsafe graph.nodeStarts.base[element + 1] - graph.nodeStarts.base[element] == 2
    }
    return flood.view.spans(ofEdge: element - network.junctionCount).count == 1
  }
}
