/// Decides which elements are on simple paths of supply, as far as this is possible in limited time.
///
/// A vertex is upstream if a simple path leads from the controllers to the vertex, and from the
/// vertex to a start. A vertex is downstream if a simple path leads from the controllers to a
/// start, and from the start to the vertex. If some arcs are one-way, it is hard to decide in
/// general whether the two halves of a path can avoid each other. The following rules are used:
///
/// - There is no simple path if another vertex is on every path to the vertex and on every path
///   from the vertex.
/// - Otherwise, there is a simple path if all arcs of the vertex's strongly connected component are
///   two-way (Menger's theorem). At most one half of a path enters any other component.
/// - In a component with one-way arcs, a vertex is confirmed if there is a simple path without
///   these arcs.
/// - A vertex is confirmed if a search finds a path.
struct SupplyPaths {
  enum Certainty: UInt8, Comparable {
    case no, possible, yes
    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }

  let supply: SupplyGraph
  /// For each vertex, whether it is a filter barrier; empty if there are none. The half of a path
  /// that the second pass follows does not cross filter barriers. The other half may cross them.
  private let filters: [Bool]
  private var graph: DirectedGraph { supply.graph }
  /// The number of arcs that the trial searches may visit.
  private var budget = 20_000_000
  private(set) var certainties: [Certainty]
  private var finder: PathFinder

  init(_ supply: SupplyGraph, filters: [Bool]) {
    self.supply = supply
    self.filters = filters
    certainties = Array(repeating: .no, count: supply.graph.count)
    finder = PathFinder(supply.graph)
  }

  private func isFilter(_ vertex: Int) -> Bool { !filters.isEmpty && filters[vertex] }

  private mutating func raise(_ vertex: Int, _ certainty: Certainty) {
    if certainties[vertex] < certainty { certainties[vertex] = certainty }
  }

  // MARK: Upstream

  /// Determines which vertices supply the starts. In the graph, arcs lead from the starts to the goal.
  mutating func findUpstream() {
    var part = DirectedGraph.Part()
    var back = DirectedGraph.Part(isReversed: true, ends: filters)
    var isMember = Self.meeting(
      DominatorTree(graph, root: SupplyGraph.root, part),
      DominatorTree(graph, root: SupplyGraph.goal, back))
    // Without filters, both halves of a path visit only the remaining vertices, so excluding
    // vertices may allow further vertices to be excluded.
    if filters.isEmpty {
      for _ in 0..<3 {
        (part.members, back.members) = (isMember, isMember)
        let before = isMember
        isMember = Self.meeting(
          DominatorTree(graph, root: SupplyGraph.root, part),
          DominatorTree(graph, root: SupplyGraph.goal, back))
        if isMember == before { break }
      }
      part.members = isMember
    }
    let components = StrongComponents(graph, part)
    let hard = hardGroups(components)
    var open: [Int] = []
    for vertex in 2..<graph.count where isMember[vertex] {
      let isHard = hard[Int(components.groups[vertex])]
      raise(vertex, isHard ? .possible : .yes)
      if isHard { open.append(vertex) }
    }
    guard !open.isEmpty else { return }
    let down = DominatorTree(graph, root: SupplyGraph.root, part)
    let up = DominatorTree(graph, root: SupplyGraph.goal, back)
    certifyTwoWay(open, components, down, up)
    certifyByTrees(open, part, back)
    // Search only within the group (the strongly connected component), because a vertex of another
    // group is on at most one half.
    for vertex in open where budget > 0 && certainties[vertex] == .possible {
      let group = components.groups[vertex]
      let isIn = { (other: Int) in components.groups[other] == group }
      certifyUpstream(vertex, isIn, down, up)
    }
  }

  /// Returns the vertices that no other vertex dominates in both trees.
  private static func meeting(_ down: DominatorTree, _ up: DominatorTree) -> [Bool] {
    var sums = RangeSums(count: up.order.count)
    var result = [Bool](repeating: false, count: down.parents.count)
    var above: [Int] = []
    for position in down.order.indices {
      let vertex = Int(down.order[position])
      while let last = above.last, Int(down.bounds[last].y) <= position {
        if up.isReached(last) { sums.add(-1, to: up.bounds[last]) }
        above.removeLast()
      }
      if up.isReached(vertex), sums.value(at: Int(up.bounds[vertex].x)) == 0 {
        result[vertex] = true
      }
      if up.isReached(vertex) { sums.add(1, to: up.bounds[vertex]) }
      above.append(vertex)
    }
    return result
  }

  /// Returns, for each group, whether the group is hard to decide. A group is hard to decide if it
  /// has one-way arcs, or filters, which stop only one half of a path.
  private func hardGroups(_ components: StrongComponents) -> [Bool] {
    var hard = components.areOneWay
    for (vertex, isFilter) in filters.enumerated() where isFilter {
      let group = components.groups[vertex]
      if group != DominatorTree.none, components.sizes[Int(group)] > 1 { hard[Int(group)] = true }
    }
    return hard
  }

  /// Confirms vertices by paths that use neither one-way arcs nor filters of a hard group.
  private mutating func certifyTwoWay(
    _ open: [Int], _ components: StrongComponents, _ down: DominatorTree, _ up: DominatorTree
  ) {
    let (root, goal) = (SupplyGraph.root, SupplyGraph.goal)
    let groups = components.groups
    var ways: [SIMD2<UInt32>] = []
    for vertex in open where !isFilter(vertex) {
      let vertexNumber = UInt32(truncatingIfNeeded: vertex)
      var (isEntry, isExit) = (false, false)
      for index in graph.ins.range(vertex) {
        let source = graph.ins.target(index)
        if groups[source] != groups[vertex], down.isReached(source) { isEntry = true }
      }
      for index in graph.outs.range(vertex) {
        let target = graph.outs.target(index)
        if groups[target] != groups[vertex] {
          if up.isReached(target), !isFilter(target) { isExit = true }
        } else if !graph.outs.isOneWay(index), !isFilter(target) {
          ways.append(SIMD2(vertexNumber, UInt32(truncatingIfNeeded: target)))
        }
      }
      // All groups are added to one graph between the root and the goal; no path leads from one group to
      // another.
      if isEntry { ways.append(SIMD2(UInt32(root), vertexNumber)) }
      if isExit { ways.append(SIMD2(vertexNumber, UInt32(goal))) }
    }
    let twoWay = DirectedGraph(count: graph.count, ways: ways)
    let isMember = Self.meeting(
      DominatorTree(twoWay, root: root, DirectedGraph.Part()),
      DominatorTree(twoWay, root: goal, DirectedGraph.Part(isReversed: true)))
    for vertex in open where isMember[vertex] { raise(vertex, .yes) }
  }

  /// Confirms vertices by paths whose halves are in random path trees.
  private mutating func certifyByTrees(
    _ open: [Int], _ part: DirectedGraph.Part, _ back: DirectedGraph.Part
  ) {
    guard open.contains(where: { certainties[$0] == .possible }) else { return }
    let seeds: ClosedRange<UInt64> = 1...4
    let heads = seeds.map { PathTree(graph, root: SupplyGraph.root, part, seed: $0) }
    let tails = seeds.map { PathTree(graph, root: SupplyGraph.goal, back, seed: $0) }
    for vertex in open where budget > 0 && certainties[vertex] == .possible {
      let ends = tails.compactMap { $0.path(from: vertex) }
      search: for tree in heads {
        guard let head = tree.path(from: vertex) else { continue }
        let visited = Set(head.dropFirst())
        for tail in ends {
          budget -= head.count + tail.count
          guard tail.allSatisfy({ !visited.contains($0) }) else { continue }
          markSupplied(head, tail)
          break search
        }
      }
    }
  }

  /// Records the vertices on the two halves of a path. With filters, only the second half is
  /// recorded, because the first half may cross filter barriers.
  private mutating func markSupplied(_ head: [Int], _ tail: [Int]) {
    for vertex in tail { raise(vertex, .yes) }
    if filters.isEmpty { for vertex in head { raise(vertex, .yes) } }
  }

  /// Searches for a path through a vertex: one half with the fewest arcs, then a disjoint other half.
  private mutating func certifyUpstream(
    _ vertex: Int, _ isIn: @escaping (Int) -> Bool, _ down: DominatorTree, _ up: DominatorTree
  ) {
    let graph = graph
    let filters = filters
    let isFilter = { (other: Int) in !filters.isEmpty && filters[other] }
    let isEntry = { (other: Int) in
      graph.ins.range(other).contains { index in
        let source = graph.ins.target(index)
        return !isIn(source) && down.isReached(source)
      }
    }
    let isExit = { (other: Int) in
      graph.outs.range(other).contains { index in
        let target = graph.outs.target(index)
        return !isIn(target) && up.isReached(target)
          && (target == SupplyGraph.goal || !isFilter(target))
      }
    }
    let (before, after) = (Set(down.between(vertex)), Set(up.between(vertex)))
    let isOpen = { (other: Int) in isIn(other) && down.isReached(other) && up.isReached(other) }
    func first(avoiding others: Set<Int>, _ finder: inout PathFinder, _ budget: inout Int) -> [Int]?
    {
      finder.path(from: vertex, isReversed: true, &budget, isGoal: isEntry) {
        isIn($0) && down.isReached($0) && !others.contains($0)
      }
    }
    func second(avoiding others: Set<Int>, _ finder: inout PathFinder, _ budget: inout Int)
      -> [Int]?
    {
      // This half does not cross filter barriers.
      finder.path(from: vertex, isReversed: false, &budget, isGoal: isExit) {
        isOpen($0) && !others.contains($0) && !isFilter($0)
      }
    }
    var halves: ([Int], [Int])?
    if let head = first(avoiding: after, &finder, &budget),
      let tail = second(avoiding: Set(head.dropFirst()), &finder, &budget)
    {
      halves = (head, tail)
    } else if let tail = second(avoiding: before, &finder, &budget),
      let head = first(avoiding: Set(tail.dropFirst()), &finder, &budget)
    {
      halves = (head, tail)
    }
    guard let (head, tail) = halves else { return }
    markSupplied(head, tail)
  }

  // MARK: Downstream

  /// Determines which vertices are supplied through starts.
  ///
  /// - Parameter down: the vertices on every path from the controllers.
  mutating func findDownstream(_ starts: [Int], _ down: DominatorTree) {
    let components = StrongComponents(graph, DirectedGraph.Part())
    let hard = hardGroups(components)
    for start in starts {
      let isHard = hard[Int(components.groups[start])]
      let part = downstreamPart(start, down)
      let tree = DominatorTree(graph, root: start, part)
      note(tree, start, part, isHard ? .possible : .yes)
      guard isHard else { continue }
      certifyTwoWay(start, components.groups)
      certifyByTrial(start, part, tree)
    }
  }

  /// Returns the vertices that paths from a start may visit.
  private func downstreamPart(_ start: Int, _ down: DominatorTree) -> DirectedGraph.Part {
    var part = DirectedGraph.Part(ends: filters)
    part.members = Array(repeating: true, count: graph.count)
    part.members[SupplyGraph.goal] = false
    for vertex in down.between(start) { part.members[vertex] = false }
    return part
  }

  /// Confirms vertices by paths that use neither one-way arcs nor filters of the start's group. The half
  /// before the start ends in the group, and the other half does not return to that half.
  private mutating func certifyTwoWay(_ start: Int, _ groups: [UInt32]) {
    var ways: [SIMD2<UInt32>] = []
    for vertex in 0..<graph.count {
      let isIn = groups[vertex] == groups[start]
      for index in graph.outs.range(vertex) {
        let target = graph.outs.target(index)
        if isIn, groups[target] == groups[start],
          graph.outs.isOneWay(index) || isFilter(vertex) || isFilter(target)
        {
          continue
        }
        ways.append(SIMD2(UInt32(truncatingIfNeeded: vertex), graph.outs.targets[index]))
      }
    }
    let twoWay = DirectedGraph(count: graph.count, ways: ways)
    let down = DominatorTree(twoWay, root: SupplyGraph.root, DirectedGraph.Part())
    guard down.isReached(start) else { return }
    let part = downstreamPart(start, down)
    note(DominatorTree(twoWay, root: start, part), start, part, .yes)
  }

  /// For each undecided vertex, searches for a path from the start to the vertex, and for a disjoint
  /// path from the controllers to the start.
  private mutating func certifyByTrial(
    _ start: Int, _ part: DirectedGraph.Part, _ tree: DominatorTree
  ) {
    certifyDownstream(start, part, [])
    for vertex in 2..<graph.count where budget > 0 {
      guard certainties[vertex] == .possible, tree.isReached(vertex) else { continue }
      var goal = vertex
      var avoided: Set<Int> = []
      if let ends = supply.ends(vertex) {
        guard ends.isOneWay, !ends.isBarrier else { continue }
        // The span is crossed, so the node at its far end is visited after the span.
        avoided = [graph.outs.target(graph.outs.range(vertex).lowerBound)]
        goal = vertex
      }
      let filters = filters
      guard
        let path = finder.path(
          from: start, isReversed: false, &budget, isGoal: { $0 == goal },
          isOpen: {
            part.members[$0] && !avoided.contains($0)
              && ($0 == goal || filters.isEmpty || !filters[$0])
          })
      else { continue }
      certifyDownstream(start, part, path.filter { $0 != start } + avoided)
    }
  }

  /// Finds a path from the controllers to the start that avoids some vertices. The vertices that can be
  /// reached from the start without visiting the other vertices of this path are certain.
  private mutating func certifyDownstream(
    _ start: Int, _ part: DirectedGraph.Part, _ avoided: [Int]
  ) {
    let avoided = Set(avoided)
    guard
      let head = finder.path(
        from: start, isReversed: true, &budget, isGoal: { $0 == SupplyGraph.root },
        isOpen: { !avoided.contains($0) })
    else { return }
    var part = part
    for vertex in head where vertex != start { part.members[vertex] = false }
    budget -= graph.outs.targets.count
    note(DominatorTree(graph, root: start, part), start, part, .yes)
  }

  /// Records whether the vertices that a tree reaches from the start are supplied. A two-way span
  /// is supplied if its far end is supplied; a one-way span is supplied if a path crosses it.
  private mutating func note(
    _ tree: DominatorTree, _ start: Int, _ part: DirectedGraph.Part, _ certainty: Certainty
  ) {
    for vertex in tree.order.lazy.map({ Int($0) }) where vertex > SupplyGraph.goal {
      guard let ends = supply.ends(vertex), !ends.isBarrier, ends.first != ends.second else {
        raise(vertex, certainty)
        continue
      }
      if isFilter(vertex) {
        if part.members[ends.first], part.members[ends.second] { raise(vertex, certainty) }
      } else if ends.isOneWay {
        guard let index = graph.outs.range(vertex).first else { continue }
        let far = graph.outs.target(index)
        if tree.isReached(far), !tree.dominates(far, vertex) { raise(vertex, certainty) }
      } else if tree.isReached(ends.first), tree.isReached(ends.second) {
        raise(vertex, certainty)
      }
    }
    // A two-way span between two certain nodes is certain, even if different paths confirm the nodes.
    for vertex in 2..<graph.count where certainties[vertex] == .possible {
      guard let ends = supply.ends(vertex), !ends.isOneWay else { continue }
      if min(certainties[ends.first], certainties[ends.second]) == .yes { raise(vertex, .yes) }
    }
  }
}
