import PlumbCore

/// Isolations where all flow runs both ways: what lies beyond each barrier is searched from all of them
/// in turn, so that only what is lost, and little of what is not, is looked at.
///
/// What is beyond belongs together where it joins. Such a group has supply when it reaches a controller;
/// it is lost when there is nothing more of it. When one group is left that has neither, it is the one
/// with the controllers: they are in none of the others, nor in the region.
extension Tracer {
  /// What is lost beyond the barriers; the nodes of it are marked `supplied`, and so is the region.
  struct LocalLoss {
    /// Nodes, the top bit set for those not crossed.
    var nodes: [UInt32] = []
    var isolating: Set<UInt32> = []
  }

  /// - Parameter bounds: barriers marked as closed, none of them a controller.
  func localLoss(_ region: Reach, _ bounds: [UInt32], _ rule: FloodRule) -> LocalLoss {
    var groupOf: [UInt32: Int] = [:]
    var queues: [[UInt32]] = []
    var next: [Int] = []
    var parents: [Int] = []
    var isSupplied: [Bool] = []
    func root(_ group: Int) -> Int {
      var group = group
      while parents[group] != group { group = parents[group] }
      return group
    }
    func join(_ a: Int, _ b: Int) {
      let (a, b) = (root(a), root(b))
      if a == b { return }
      parents[max(a, b)] = min(a, b)
      if isSupplied[max(a, b)] { isSupplied[min(a, b)] = true }
    }
    func isOutside(_ node: Int) -> Bool {
      nodes.has(node, Mark.found) && !nodes.has(node, Mark.region | Mark.closed)
        && !nodes.has(node, Mark.region)
    }
    // A controller right behind a barrier is in no group.
    var isDirect = false
    for bound in bounds {
      forEachStep(Int(bound)) { step in
        if step.flow != 0, supplying.contains(UInt32(step.target)) { isDirect = true }
        guard isOutside(step.target), !stops(node: step.target, rule) else { return }
        let target = UInt32(step.target)
        if groupOf[target] != nil { return }
        groupOf[target] = queues.count
        parents.append(queues.count)
        isSupplied.append(false)
        queues.append([target])
        next.append(0)
      }
    }
    // A stride from each group in turn, until one at most is open.
    while true {
      var open: Set<Int> = []
      var hasMoved = false
      for queue in queues.indices where next[queue] < queues[queue].count {
        if !isSupplied[root(queue)] { open.insert(root(queue)) }
      }
      if open.isEmpty
        || (open.count == 1 && !isDirect && !parents.indices.contains { isSupplied[root($0)] })
      {
        if let last = open.first { isSupplied[last] = true }
        break
      }
      for queue in queues.indices where next[queue] < queues[queue].count {
        if isSupplied[root(queue)] { continue }
        hasMoved = true
        for _ in 0..<64 where next[queue] < queues[queue].count {
          let node = queues[queue][next[queue]]
          next[queue] += 1
          forEachStep(Int(node)) { step in
            guard step.flow != 0, isOutside(step.target) else { return }
            let target = UInt32(step.target)
            if supplying.contains(target) {
              isSupplied[root(queue)] = true
              return
            }
            if let other = groupOf[target] {
              join(queue, other)
              return
            }
            if stops(node: step.target, rule) { return }
            groupOf[target] = queue
            queues[queue].append(target)
          }
        }
      }
      if !hasMoved { break }
    }
    var result = LocalLoss()
    func isLost(_ node: UInt32) -> Bool {
      groupOf[node].map { !isSupplied[root($0)] } ?? false
    }
    func isFed(_ step: Step) -> Bool {
      guard step.flow != 0, nodes.has(step.target, Mark.found) else { return false }
      let target = UInt32(step.target)
      if supplying.contains(target) { return !step.isInside }
      return isOutside(step.target) && !stops(node: step.target, rule) && !isLost(target)
    }
    for bound in bounds {
      forEachStep(Int(bound)) { if isFed($0) { result.isolating.insert(bound) } }
    }
    for (queue, list) in queues.enumerated() where !isSupplied[root(queue)] { result.nodes += list }
    // What stops, next to what is lost, may have supply from elsewhere.
    var ends: Set<UInt32> = []
    for node in region.nodes where node & Reach.stopped != 0 {
      let item = node & ~Reach.stopped
      if !nodes.has(Int(item), Mark.closed) { ends.insert(item) }
    }
    for node in result.nodes + bounds {
      forEachStep(Int(node)) { step in
        guard step.flow != 0, isOutside(step.target), stops(node: step.target, rule),
          !supplying.contains(UInt32(step.target))
        else { return }
        ends.insert(UInt32(step.target))
      }
    }
    for end in ends {
      var hasSupply = false
      forEachStep(Int(end)) { if isFed($0) { hasSupply = true } }
      if hasSupply {
        _ = nodes.set(Int(end), Mark.stillSupplied)
      } else if !nodes.has(Int(end), Mark.region) {
        result.nodes.append(end | Reach.stopped)
      }
    }
    return result
  }

  /// Marks what is lost, and its spans, as the result.
  func markLocal(_ region: Reach, _ toward: FloodRule, _ bounds: [UInt32], _ loss: LocalLoss) {
    func take(_ node: UInt32) {
      _ = nodes.set(Int(node), Mark.supplied)
      if nodes.set(Int(node), Mark.result) { touchedNodes.append(node) }
    }
    func take(span: Int) {
      if span >= 0, spans.set(span, Mark.result) { touchedSpans.append(UInt32(span)) }
    }
    for node in region.nodes {
      let item = node & ~Reach.stopped
      if loss.isolating.contains(item) || nodes.has(Int(item), Mark.stillSupplied) { continue }
      take(item)
    }
    crossedSpans(region, toward) { take(span: $0) }
    for node in loss.nodes { take(node & ~Reach.stopped) }
    for node in loss.nodes where node & Reach.stopped == 0 {
      forEachStep(Int(node)) { if $0.flow != 0 { take(span: $0.span) } }
    }
    for bound in bounds {
      forEachStep(Int(bound)) { step in
        guard step.flow != 0, nodes.has(step.target, Mark.found) else { return }
        if nodes.has(step.target, Mark.result) || nodes.has(step.target, Mark.closed)
          || nodes.has(step.target, Mark.stillSupplied)
        {
          take(span: step.span)
        }
      }
    }
  }
}
