import PlumbCore

/// Isolation for networks with bidirectional flow only. A search starts beyond each barrier, and
/// the searches advance in turn, so that the searches visit few elements in addition to the lost
/// elements.
///
/// Searches that meet are joined into one group. A group has supply if it reaches a controller. A
/// group is lost if it has visited all of its nodes without reaching a controller. If only one
/// undecided group remains and no other group has supply, the remaining group contains the
/// controllers, because the controllers are in neither the other groups nor the region.
struct LocalSearch {
  /// The elements lost beyond the barriers.
  struct Loss {
    /// The nodes; the top bit is set for nodes that are not crossed.
    var nodes: [UInt32] = []
    var isolating: Set<UInt32> = []
  }

  private let flood: Flood
  private let view: TraceView
  private let supplying: Set<UInt32>
  private let rule = FloodRule(mark: 0)
  private var groupOf: [UInt32: Int] = [:]
  /// The nodes of each group.
  private var queues: [[UInt32]] = []
  /// The number of visited nodes of each group.
  private var next: [Int] = []
  /// The group into which each group was joined; a root is its own parent.
  private var parents: [Int] = []
  /// Whether each group has supply; valid only for roots.
  private var isSupplied: [Bool] = []
  /// Whether a controller is directly beyond a barrier; such a controller is not in a group.
  private var isDirect = false

  init(_ flood: Flood, _ supplying: Set<UInt32>) {
    self.flood = flood
    view = flood.view
    self.supplying = supplying
  }

  /// - Parameter bounds: barriers that are marked as closed and are not controllers.
  mutating func loss(_ region: ReachableSet, _ bounds: [UInt32]) -> Loss {
    begin(bounds)
    // Advance each group in turn until at most one is open.
    while hasOpenGroups() {
      for queue in queues.indices where !isSupplied[root(queue)] { stride(queue) }
    }
    var loss = Loss()
    for bound in bounds {
      view.forEachStep(Int(bound)) { if isFed($0) { loss.isolating.insert(bound) } }
    }
    for (queue, list) in queues.enumerated() where !isSupplied[root(queue)] { loss.nodes += list }
    judgeEnds(region, bounds, &loss)
    return loss
  }

  // MARK: Groups

  private func root(_ group: Int) -> Int {
    var group = group
    while parents[group] != group { group = parents[group] }
    return group
  }

  private mutating func join(_ a: Int, _ b: Int) {
    let (a, b) = (root(a), root(b))
    if a == b { return }
    parents[max(a, b)] = min(a, b)
    if isSupplied[max(a, b)] { isSupplied[min(a, b)] = true }
  }

  private func isOutside(_ node: Int) -> Bool {
    flood.nodes.has(node, Mark.found) && !flood.nodes.has(node, Mark.region | Mark.closed)
  }

  /// Starts a group for each node beyond a barrier.
  private mutating func begin(_ bounds: [UInt32]) {
    let (view, flood) = (view, flood)
    for bound in bounds {
      view.forEachStep(Int(bound)) { step in
        if step.flow != 0, supplying.contains(UInt32(step.target)) { isDirect = true }
        guard isOutside(step.target), !flood.stops(node: step.target, rule) else { return }
        let target = UInt32(step.target)
        if groupOf[target] != nil { return }
        groupOf[target] = queues.count
        parents.append(queues.count)
        isSupplied.append(false)
        queues.append([target])
        next.append(0)
      }
    }
  }

  /// Whether the search must continue. If no other group has supply, the last open group contains the
  /// controllers.
  private mutating func hasOpenGroups() -> Bool {
    var open: Set<Int> = []
    for queue in queues.indices where next[queue] < queues[queue].count {
      if !isSupplied[root(queue)] { open.insert(root(queue)) }
    }
    guard let last = open.first else { return false }
    if open.count > 1 || isDirect || parents.indices.contains(where: { isSupplied[root($0)] }) {
      return true
    }
    isSupplied[last] = true
    return false
  }

  private mutating func stride(_ queue: Int) {
    let (view, flood) = (view, flood)
    for _ in 0..<64 where next[queue] < queues[queue].count {
      let node = queues[queue][next[queue]]
      next[queue] += 1
      view.forEachStep(Int(node)) { step in
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
        if flood.stops(node: step.target, rule) { return }
        groupOf[target] = queue
        queues[queue].append(target)
      }
    }
  }

  // MARK: Lost elements

  private func isLost(_ node: UInt32) -> Bool {
    groupOf[node].map { !isSupplied[root($0)] } ?? false
  }

  /// Whether a step leads to a supplied node.
  private func isFed(_ step: Step) -> Bool {
    guard step.flow != 0, flood.nodes.has(step.target, Mark.found) else { return false }
    let target = UInt32(step.target)
    if supplying.contains(target) { return !step.isInside }
    return isOutside(step.target) && !flood.stops(node: step.target, rule) && !isLost(target)
  }

  /// Determines, for each node that stops the search next to lost nodes, whether the node is
  /// supplied from elsewhere.
  private func judgeEnds(_ region: ReachableSet, _ bounds: [UInt32], _ loss: inout Loss) {
    let nodes = flood.nodes
    var ends: Set<UInt32> = []
    for node in region.nodes where node & ReachableSet.stopped != 0 {
      let item = node & ~ReachableSet.stopped
      if !nodes.has(Int(item), Mark.closed) { ends.insert(item) }
    }
    for node in loss.nodes + bounds {
      view.forEachStep(Int(node)) { step in
        guard step.flow != 0, isOutside(step.target), flood.stops(node: step.target, rule),
          !supplying.contains(UInt32(step.target))
        else { return }
        ends.insert(UInt32(step.target))
      }
    }
    for end in ends {
      var hasSupply = false
      view.forEachStep(Int(end)) { if isFed($0) { hasSupply = true } }
      if hasSupply {
        _ = nodes.set(Int(end), Mark.stillSupplied)
      } else if !nodes.has(Int(end), Mark.region) {
        loss.nodes.append(end | ReachableSet.stopped)
      }
    }
  }

  /// Marks the lost nodes and spans as the result. Nodes of the loss and of the region are marked
  /// as supplied, because they were supplied before the isolation.
  func mark(
    _ region: ReachableSet, _ toward: FloodRule, _ bounds: [UInt32], _ loss: Loss,
    _ marks: inout ResultMarks
  ) {
    let nodes = flood.nodes
    func record(_ node: UInt32) {
      _ = nodes.set(Int(node), Mark.supplied)
      marks.insert(node: node)
    }
    func record(span: Int) {
      if span >= 0 { marks.insert(span: span) }
    }
    for node in region.nodes {
      let item = node & ~ReachableSet.stopped
      if loss.isolating.contains(item) || nodes.has(Int(item), Mark.stillSupplied) { continue }
      record(item)
    }
    flood.crossedSpans(region, toward) { record(span: $0) }
    for node in loss.nodes { record(node & ~ReachableSet.stopped) }
    for node in loss.nodes where node & ReachableSet.stopped == 0 {
      view.forEachStep(Int(node)) { if $0.flow != 0 { record(span: $0.span) } }
    }
    for bound in bounds {
      view.forEachStep(Int(bound)) { step in
        guard step.flow != 0, nodes.has(step.target, Mark.found) else { return }
        if nodes.has(step.target, Mark.result) || nodes.has(step.target, Mark.closed)
          || nodes.has(step.target, Mark.stillSupplied)
        {
          record(span: step.span)
        }
      }
    }
  }
}
