import PlumbCore

/// Least sums from a start.
extension Tracer {
  /// A sum and, among equal sums, the number of steps.
  struct Cost: Comparable {
    var sum: Double
    var steps: Int

    static func < (a: Cost, b: Cost) -> Bool {
      a.sum != b.sum ? a.sum < b.sum : a.steps < b.steps
    }
  }

  private struct Entry {
    var cost: Cost
    var node: UInt32
  }

  /// The share of an edge's value that a span has; nil for an edge without a value.
  ///
  /// - Throws: `badParameters` for a value below 0.
  private func cost(_ attribute: Int, span: Int) throws(NetworkError) -> Double? {
    let edge = network.junctionCount + edge(span)
    guard let value = network.number(attribute, edge) else { return nil }
    guard value >= 0 else {
      throw NetworkError(
        .badParameters,
        "\(network.names.name(edge)): the cost \(value) is below 0, and no sum is least then")
    }
    let range = range(span)
    return value * (range.upperBound - range.lowerBound)
  }

  /// The costs from some nodes, over steps that `passes`; junctions cost nothing.
  private func costs(
    _ starts: [UInt32], _ attribute: Int, _ rule: FloodRule, until target: UInt32?
  ) throws(NetworkError) -> [UInt32: Cost] {
    var known: [UInt32: Cost] = [:]
    var final: Set<UInt32> = []
    var heap = Heap<Entry> { $0.cost < $1.cost }
    for start in starts {
      known[start] = Cost(sum: 0, steps: 0)
      heap.push(Entry(cost: Cost(sum: 0, steps: 0), node: start))
    }
    var failure: NetworkError?
    while let entry = heap.pop() {
      guard final.insert(entry.node).inserted else { continue }
      if entry.node == target { break }
      let from = Int(entry.node)
      if !starts.contains(entry.node), stops(node: from, rule) { continue }
      let isController = isStoppingController(from)
      forEachStep(from) { step in
        guard mayPass(step, from, isController, rule) else { return }
        var next = Cost(sum: entry.cost.sum, steps: entry.cost.steps + 1)
        if step.span >= 0 {
          if asksSpans, stops(span: step.span, rule) { return }
          do throws(NetworkError) {
            guard let cost = try cost(attribute, span: step.span) else {
              costless.insert(edge(step.span))
              return
            }
            next.sum += cost
          } catch { failure = error }
        }
        let target = UInt32(step.target)
        if let old = known[target], old <= next { return }
        known[target] = next
        heap.push(Entry(cost: next, node: target))
      }
      if let failure { throw failure }
    }
    return known
  }

  func shortestPath(
    _ plan: TracePlan, _ parameters: UtilityTraceParameters, _ starts: [UInt32]
  ) throws(NetworkError) -> UtilityTraceResult {
    guard let name = plan.configuration.shortestPathAttribute else { return UtilityTraceResult() }
    let attribute = try network.numberAttribute(name)
    guard plan.functions.isEmpty, plan.filterFunctions.isEmpty else {
      throw NetworkError(.badParameters, "the shortest path takes no function barriers")
    }
    guard let from = starts.first, let to = starts.last else { return UtilityTraceResult() }
    var rule = FloodRule(mark: 0)
    rule.stopsAtFilters = true
    let known = try costs([from], attribute, rule, until: to)
    guard let cost = known[to] else {
      let names = parameters.startingLocations.map { network.name(of: $0.element) }
      var reason = costlessEdges(name).map { "; \($0)" } ?? ""
      rule.stopsAtFilters = false
      if try costs([from], attribute, rule, until: to)[to] != nil {
        reason = "; filter barriers lie between them"
      }
      throw NetworkError(.noPath, "no path joins \(names.joined(separator: " and "))" + reason)
    }
    if let reason = costlessEdges(name) { warnings.append(reason) }
    // Back from the end, each time to the least element among those on a path of least cost.
    var node = to
    mark(node: node)
    while node != from {
      var best: (edge: UInt32, before: UInt64, order: Double, step: Step)?
      guard let here = known[node] else { break }
      var failure: NetworkError?
      forEachStep(Int(node)) { step in
        let before = UInt32(step.target)
        guard let there = known[before], there.steps == here.steps - 1,
          step.flow != 0, before == from || !stops(node: step.target, rule),
          !(step.isInside && isStoppingController(step.target))
        else { return }
        var sum = there.sum
        if step.span >= 0 {
          if asksSpans, stops(span: step.span, rule) { return }
          do throws(NetworkError) {
            guard let cost = try self.cost(attribute, span: step.span) else { return }
            sum += cost
          } catch { failure = error }
        }
        guard sum == here.sum else { return }
        let edge =
          step.span < 0
          ? 0 : network.index.ranks.base[network.junctionCount + edge(step.span)] + 1
        let start = step.span < 0 ? 0 : range(step.span).lowerBound
        let candidate = (edge, order(before), start, step)
        if let known = best,
          (known.edge, known.before, known.order) <= (candidate.0, candidate.1, candidate.2)
        {
          return
        }
        best = candidate
      }
      if let failure { throw failure }
      guard let step = best?.step else { break }
      if step.span >= 0, spans.set(step.span, Mark.result) {
        touchedSpans.append(UInt32(step.span))
      }
      node = UInt32(step.target)
      mark(node: node)
    }
    var result = try finish(plan, parameters, starts)
    result.pathCost = cost.sum
    return result
  }

  /// What to say of edges that no path took since they have no cost; nil when there are none.
  private func costlessEdges(_ attribute: String) -> String? {
    let names = costless.map { network.names.name(network.junctionCount + $0) }
    guard let name = names.min() else { return nil }
    return costless.count == 1
      ? "\(name) has no \(attribute.printable): no path was sought along it"
      : "\(costless.count) edges have no \(attribute.printable), among them \(name): no path was "
        + "sought along them"
  }

  private func mark(node: UInt32) {
    if nodes.set(Int(node), Mark.result) { touchedNodes.append(node) }
  }

  // MARK: Nearest neighbour

  func nearest(
    _ wanted: NearestNeighbor, _ starts: [UInt32], _ foundAll: inout Bool?
  ) throws(NetworkError) -> [TracedElement] {
    guard wanted.count > 0 else {
      throw NetworkError(.badParameters, "a nearest neighbour count of \(wanted.count)")
    }
    let attribute = try network.numberAttribute(wanted.costAttribute)
    var types = try network.types(wanted.assetTypes)
    for name in wanted.categories {
      let category = try network.categoryIndex(name)
      for (index, type) in network.catalog.types.enumerated()
      where type.categories.contains(category) { types[index] = true }
    }
    var rule = FloodRule(mark: 0)
    rule.within = Mark.result
    rule.stopsAtFilters = true
    let known = try costs(starts, attribute, rule, until: nil)
    var byElement: [UInt32: Double] = [:]
    for (node, cost) in known {
      guard let junction = junction(Int(node)), types[network.names.type(junction)] else {
        continue
      }
      byElement[UInt32(junction)] = min(byElement[UInt32(junction)] ?? .infinity, cost.sum)
    }
    for span in touchedSpans where spans.has(Int(span), Mark.result) {
      let element = UInt32(network.junctionCount + edge(Int(span)))
      guard types[network.names.type(Int(element))] else { continue }
      for node in ends(Int(span)) {
        guard let cost = known[UInt32(node)] else { continue }
        byElement[element] = min(byElement[element] ?? .infinity, cost.sum)
      }
    }
    let ranks = network.index.ranks.base
    let chosen = byElement.sorted {
      $0.value != $1.value ? $0.value < $1.value : ranks[Int($0.key)] < ranks[Int($1.key)]
    }.prefix(wanted.count)
    foundAll = chosen.count == wanted.count
    let keeps = Set(chosen.map(\.key))
    return markedElements().filter { keeps.contains($0.element.index) }
  }
}

/// A binary heap, the least first.
struct Heap<Element> {
  private var items: [Element] = []
  private let isLess: (Element, Element) -> Bool

  init(_ isLess: @escaping (Element, Element) -> Bool) { self.isLess = isLess }

  mutating func push(_ item: Element) {
    items.append(item)
    var index = items.count - 1
    while index > 0, isLess(items[index], items[(index - 1) / 2]) {
      items.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func pop() -> Element? {
    guard let last = items.popLast() else { return nil }
    guard let first = items.first else { return last }
    items[0] = last
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < items.count && isLess(items[child], items[least]) { least = child }
      if least == index { return first }
      items.swapAt(index, least)
      index = least
    }
  }
}
