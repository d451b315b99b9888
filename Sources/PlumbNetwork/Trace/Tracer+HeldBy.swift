import PlumbCore

/// Which one-way elements an isolation relies on.
extension Tracer {
  /// The one-way elements each of which, were it alone open both ways, would let supply into the
  /// result: supply stands at their far side, and what flows on from their near side meets the result.
  ///
  /// - Parameters:
  ///   - still: what is supplied with the isolating barriers closed.
  ///   - supply: how that was searched.
  func heldBy(
    _ still: Reach, _ supply: FloodRule, _ isolating: IsolationBounds
  ) -> [IsolationHold] {
    if graph.isUndirected { return [] }
    var search = HoldSearch(self, supply, isolating)
    for node in still.nodes where node & Reach.stopped == 0 {
      let from = Int(node)
      let isController = isStoppingController(from)
      forEachStep(from) { step in
        guard step.isOneWay, step.flow & supply.flow == 0, !(isController && step.isInside) else {
          return
        }
        search.enter(step, from)
      }
    }
    let ranks = network.index.ranks.base
    return search.held.sorted { ranks[$0] < ranks[$1] }.map {
      IsolationHold(
        element: NetworkElement(index: UInt32(truncatingIfNeeded: $0)),
        kind: $0 < network.junctionCount ? .oneWayTerminals : .oneWayEdge)
    }
  }
}

/// Follows supply through one-way elements opened one at a time.
private struct HoldSearch {
  private let tracer: Tracer
  private let supply: FloodRule
  /// Stops of supply but for the barriers, of which only the isolating ones are closed.
  private let plain: FloodRule
  private let closedNodes: Set<UInt32>
  private let closedSpans: Set<UInt32>
  /// Junctions with a terminal that is closed: they are isolating, not isolated.
  private let closedDevices: Set<Int>
  private(set) var held: Set<Int> = []
  /// Nodes from which no supply flows into the result.
  private var fruitless: Set<Int> = []

  init(_ tracer: Tracer, _ supply: FloodRule, _ isolating: IsolationBounds) {
    self.tracer = tracer
    self.supply = supply
    var plain = supply
    plain.stopMarks = 0
    self.plain = plain
    closedNodes = Set(isolating.nodes)
    closedSpans = Set(isolating.spans)
    closedDevices = Set(isolating.nodes.compactMap { tracer.junction(Int($0)) })
  }

  /// Takes a step out of what is supplied, against what its element permits.
  mutating func enter(_ step: Tracer.Step, _ from: Int) {
    guard let element = element(of: step, from), !held.contains(element),
      tracer.leadsOn(step, from, supply)
    else { return }
    if meets(step, from, opened: element) { held.insert(element) }
  }

  private func element(of step: Tracer.Step, _ from: Int) -> Int? {
    if step.span >= 0 { return tracer.network.junctionCount + tracer.edge(step.span) }
    return step.isInside ? tracer.junction(from) : nil
  }

  /// Whether supply that takes a step meets the result, with an element open both ways.
  private mutating func meets(_ first: Tracer.Step, _ from: Int, opened: Int) -> Bool {
    var seen: Set<Int> = []
    var list: [Int] = []
    // Nodes from which the element leads on again are fruitless for others alone.
    let isSingle = isSingle(opened)
    func take(_ step: Tracer.Step) -> Bool {
      if step.span >= 0 {
        if tracer.spans.has(step.span, Tracer.Mark.result) { return true }
        if tracer.asksSpans,
          closedSpans.contains(UInt32(step.span)) || tracer.stops(span: step.span, plain)
        {
          return false
        }
      }
      if tracer.nodes.has(step.target, Tracer.Mark.result), !isClosed(step.target) { return true }
      if tracer.nodes.has(step.target, Tracer.Mark.stillSupplied)
        || closedNodes.contains(UInt32(step.target)) || tracer.stops(node: step.target, plain)
        || (isSingle && fruitless.contains(step.target))
      {
        return false
      }
      if seen.insert(step.target).inserted { list.append(step.target) }
      return false
    }
    if take(first) { return true }
    while let node = list.popLast() {
      let isController = tracer.isStoppingController(node)
      var isMet = false
      tracer.forEachStep(node) { step in
        guard !isMet, step.flow != 0, tracer.leadsOn(step, node, supply) else { return }
        if !tracer.isPermitted(step, node, isController, supply) {
          guard !(isController && step.isInside), element(of: step, node) == opened else { return }
        }
        isMet = take(step)
      }
      if isMet { return true }
    }
    if isSingle { fruitless.formUnion(seen) }
    return false
  }

  private func isClosed(_ node: Int) -> Bool {
    tracer.junction(node).map { closedDevices.contains($0) } ?? false
  }

  /// Whether there is one way through an element at most.
  private func isSingle(_ element: Int) -> Bool {
    let (network, graph) = (tracer.network, tracer.graph)
    if element < network.junctionCount {
      return graph.nodeStarts.base[element + 1] - graph.nodeStarts.base[element] == 2
    }
    return tracer.spans(ofEdge: element - network.junctionCount).count == 1
  }
}
