import PlumbCore

/// Floods whose barriers depend on the way: breadth first, element by element, equally far ones in
/// element order.
extension Tracer {
  /// A node, or a span with the top bit set.
  private struct Visit {
    var item: UInt32
    var rank: UInt32
    /// Places without an element come in the order of those before them.
    var before: Int
    var element: Int?
    var values: [RunningValue]
  }

  func orderedFlood(_ starts: [UInt32], _ rule: FloodRule) -> Reach {
    var reach = Reach()
    var shared = rule.functions.map { _ in RunningValue() }
    var level: [Visit] = []
    for start in starts where nodes.set(Int(start), rule.mark) {
      level.append(
        visit(node: Int(start), before: 0, values: rule.functions.map { _ in RunningValue() }))
    }
    var isStart = true
    while !level.isEmpty {
      level.sort { a, b in
        if a.rank != b.rank { return a.rank < b.rank }
        return a.element == nil ? a.before < b.before : isBefore(a.item, b.item)
      }
      var nextLevel: [Visit] = []
      for (position, var visit) in level.enumerated() {
        let isSpan = visit.item & Reach.stopped != 0
        let item = Int(visit.item & ~Reach.stopped)
        let isExempt = !isSpan && nodes.has(item, Mark.exempt)
        var stops = take(&visit, &shared, rule) && !isExempt
        if isSpan {
          stops = stops || self.stops(span: item, rule)
          if stops {
            reach.stoppedSpans.append(UInt32(item))
            continue
          }
          for node in ends(item) where nodes.set(node, rule.mark) {
            nextLevel.append(
              self.visit(
                node: node, before: position, values: visit.values, previous: visit.element))
          }
          continue
        }
        if !isStart { stops = stops || self.stops(node: item, rule) }
        reach.nodes.append(UInt32(item) | (stops ? Reach.stopped : 0))
        if stops { continue }
        let isController = isStoppingController(item)
        forEachStep(item) { step in
          guard isPermitted(step, item, isController, rule) else { return }
          let isStop = step.span >= 0 && asksSpans && self.stops(span: step.span, rule)
          guard isStop ? mayReachStop(step, item, rule) : leadsOn(step, item, rule) else { return }
          if step.span >= 0 {
            guard spans.set(step.span, rule.mark) else { return }
            let edge = network.junctionCount + edge(step.span)
            nextLevel.append(
              Visit(
                item: UInt32(step.span) | Reach.stopped, rank: network.index.ranks.base[edge],
                before: position, element: edge, values: visit.values))
            return
          }
          guard nodes.set(step.target, rule.mark) else { return }
          nextLevel.append(
            self.visit(
              node: step.target, before: position, values: visit.values, previous: visit.element))
        }
      }
      level = nextLevel
      isStart = false
    }
    // Spans have their marks already: those that were crossed get them again when they are collected.
    for span in orderedSpans(reach, rule) { spans.clear(span, rule.mark) }
    return reach
  }

  private func orderedSpans(_ reach: Reach, _ rule: FloodRule) -> [Int] {
    var result: [Int] = []
    let stopped = Set(reach.stoppedSpans)
    for node in reach.nodes where node & Reach.stopped == 0 {
      forEachStep(Int(node)) { step in
        if step.span >= 0, !stopped.contains(UInt32(step.span)) { result.append(step.span) }
      }
    }
    return result
  }

  private func isBefore(_ a: UInt32, _ b: UInt32) -> Bool {
    let isSpan = a & Reach.stopped != 0
    guard isSpan else { return a < b }
    let (first, second) = (range(Int(a & ~Reach.stopped)), range(Int(b & ~Reach.stopped)))
    return first.lowerBound != second.lowerBound
      ? first.lowerBound < second.lowerBound : first.upperBound < second.upperBound
  }

  private func visit(
    node: Int, before: Int, values: [RunningValue], previous: Int? = nil
  ) -> Visit {
    let element = junction(node)
    return Visit(
      item: UInt32(node), rank: element.map { network.index.ranks.base[$0] } ?? .max,
      before: before, element: element == previous ? nil : element, values: values)
  }

  /// The nodes of a span.
  func ends(_ span: Int) -> [Int] {
    let nodes =
      span < graph.spanCount ? graph.spanNodes.base[span] : cuts.parts[span - graph.spanCount].nodes
    return [Int(nodes.x), Int(nodes.y)]
  }

  /// Takes an element's values.
  ///
  /// - Returns: whether one of the functions stops there.
  private func take(
    _ visit: inout Visit, _ shared: inout [RunningValue], _ rule: FloodRule
  ) -> Bool {
    guard let element = visit.element else { return false }
    let isEdge = element >= network.junctionCount
    var stops = false
    for (index, function) in rule.functions.enumerated() {
      if function.scope == (isEdge ? .junctions : .edges) { continue }
      var value = 1.0
      if let attribute = function.attribute {
        guard network.value(attribute, element) != .null else { continue }
        value = network.number(attribute, element) ?? 1
        if isEdge, function.isApportionable {
          let range = range(Int(visit.item & ~Reach.stopped))
          value *= range.upperBound - range.lowerBound
        }
      }
      let result: Double?
      if function.barrier.useLocalValues {
        visit.values[index].take(value)
        result = visit.values[index].value(function.barrier.type)
      } else {
        shared[index].take(value)
        result = shared[index].value(function.barrier.type)
      }
      if let result, function.barrier.operator.holds(result, function.barrier.value) {
        stops = true
      }
    }
    return stops
  }
}
