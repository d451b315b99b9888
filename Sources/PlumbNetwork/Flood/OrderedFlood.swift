import PlumbCore

/// A flood whose barriers depend on the path. The flood is breadth first, element by element, and
/// in element order at equal distance.
struct OrderedFlood {
  /// A node, or a span with the top bit set.
  private struct Visit {
    var item: UInt32
    var rank: UInt32
    /// The position of the preceding visit, which determines the order of points without an element.
    var before: Int
    var element: Int?
    var values: [RunningValue]
  }

  private let flood: Flood
  private let view: TraceView
  private let rule: FloodRule

  /// The progress of the flood.
  private struct State {
    var reachable = ReachableSet()
    /// The running values over the whole traversal.
    var shared: [RunningValue]
    var nextLevel: [Visit] = []
  }

  init(_ flood: Flood, _ rule: FloodRule) {
    self.flood = flood
    view = flood.view
    self.rule = rule
  }

  /// Floods from starting nodes, which are crossed unless a function stops the flood at the node.
  func reachable(_ starts: [UInt32]) -> ReachableSet {
    var state = State(shared: rule.functions.map { _ in RunningValue() })
    var level: [Visit] = []
    for start in starts where flood.nodes.set(Int(start), rule.mark) {
      level.append(
        visit(node: Int(start), before: 0, values: rule.functions.map { _ in RunningValue() }))
    }
    var isStart = true
    while !level.isEmpty {
      level.sort { a, b in
        if a.rank != b.rank { return a.rank < b.rank }
        return a.element == nil ? a.before < b.before : isBefore(a.item, b.item)
      }
      state.nextLevel = []
      for (position, var visit) in level.enumerated() {
        if visit.item & ReachableSet.stopped != 0 {
          cross(span: &visit, position, &state)
        } else {
          cross(node: &visit, position, isStart: isStart, &state)
        }
      }
      level = state.nextLevel
      isStart = false
    }
    // All reached spans are marked. Clear the marks of crossed spans, because collecting the spans
    // marks them again.
    for span in crossedSpans(state.reachable) { flood.spans.clear(span, rule.mark) }
    return state.reachable
  }

  private func cross(span visit: inout Visit, _ position: Int, _ state: inout State) {
    let span = Int(visit.item & ~ReachableSet.stopped)
    if accumulate(&visit, &state.shared) || flood.stops(span: span, rule) {
      state.reachable.stoppedSpans.append(UInt32(span))
      return
    }
    for node in view.ends(span) where flood.nodes.set(node, rule.mark) {
      state.nextLevel.append(
        self.visit(node: node, before: position, values: visit.values, previous: visit.element))
    }
  }

  private func cross(
    node visit: inout Visit, _ position: Int, isStart: Bool, _ state: inout State
  ) {
    let node = Int(visit.item)
    let isExempt = flood.nodes.has(node, Mark.exempt)
    let isStop = accumulate(&visit, &state.shared) && !isExempt
    let stops = isStop || (!isStart && flood.stops(node: node, rule))
    state.reachable.nodes.append(UInt32(node) | (stops ? ReachableSet.stopped : 0))
    if stops { return }
    let isController = flood.barriers.isStoppingController(node)
    view.forEachStep(node) { step in
      guard flood.isPermitted(step, node, isController, rule) else { return }
      let isStop =
        step.span >= 0 && flood.barriers.checksSpans && flood.stops(span: step.span, rule)
      guard isStop ? flood.mayReachStop(step, node, rule) : flood.leadsOn(step, node, rule) else {
        return
      }
      if step.span >= 0 {
        guard flood.spans.set(step.span, rule.mark) else { return }
        let edge = view.network.junctionCount + view.edge(step.span)
        unsafe state.nextLevel.append(
          Visit(
            item: UInt32(step.span) | ReachableSet.stopped,
            rank: view.network.index.ranks.base[edge],
            before: position, element: edge, values: visit.values))
        return
      }
      guard flood.nodes.set(step.target, rule.mark) else { return }
      state.nextLevel.append(
        self.visit(
          node: step.target, before: position, values: visit.values, previous: visit.element))
    }
  }

  private func crossedSpans(_ reachable: ReachableSet) -> [Int] {
    var result: [Int] = []
    let stopped = Set(reachable.stoppedSpans)
    for node in reachable.nodes where node & ReachableSet.stopped == 0 {
      view.forEachStep(Int(node)) { step in
        if step.span >= 0, !stopped.contains(UInt32(step.span)) { result.append(step.span) }
      }
    }
    return result
  }

  private func isBefore(_ a: UInt32, _ b: UInt32) -> Bool {
    let isSpan = a & ReachableSet.stopped != 0
    guard isSpan else { return a < b }
    let (first, second) = (
      view.range(Int(a & ~ReachableSet.stopped)), view.range(Int(b & ~ReachableSet.stopped))
    )
    return first.lowerBound != second.lowerBound
      ? first.lowerBound < second.lowerBound : first.upperBound < second.upperBound
  }

  private func visit(
    node: Int, before: Int, values: [RunningValue], previous: Int? = nil
  ) -> Visit {
    let element = view.junction(node)
    return Visit(
      item: UInt32(node), rank: element.map { unsafe view.network.index.ranks.base[$0] } ?? .max,
      before: before, element: element == previous ? nil : element, values: values)
  }

  /// Adds an element's values.
  ///
  /// - Returns: whether one of the functions stops the flood at the element.
  private func accumulate(_ visit: inout Visit, _ shared: inout [RunningValue]) -> Bool {
    guard let element = visit.element else { return false }
    let isEdge = element >= view.network.junctionCount
    var stops = false
    for (index, function) in rule.functions.enumerated() {
      if function.scope == (isEdge ? .junctions : .edges) { continue }
      var value = 1.0
      if let attribute = function.attribute {
        guard view.network.value(attribute, element) != .null else { continue }
        value = view.network.number(attribute, element) ?? 1
        if isEdge, function.isApportionable {
          let range = view.range(Int(visit.item & ~ReachableSet.stopped))
          value *= range.upperBound - range.lowerBound
        }
      }
      let result: Double?
      if function.barrier.useLocalValues {
        visit.values[index].include(value)
        result = visit.values[index].value(function.barrier.type)
      } else {
        shared[index].include(value)
        result = shared[index].value(function.barrier.type)
      }
      if let result, function.barrier.operator.holds(result, function.barrier.value) {
        stops = true
      }
    }
    return stops
  }
}
