import PlumbCore

/// The possible flow of supply from the controllers, as a graph whose vertices are nodes and spans.
///
/// Arcs lead from vertex 0 to all controllers, which have no other incoming arcs. Vertex 1, the
/// goal, represents all starts if the starts are searched together. Barriers are reached but not
/// left.
struct SupplyGraph {
  static let root = 0
  static let goal = 1

  /// The two nodes of a span, as vertices.
  struct Ends {
    var first: Int
    var second: Int
    var isOneWay: Bool
    /// Whether the span is a barrier, which cannot be crossed.
    var isBarrier: Bool
  }

  let graph: DirectedGraph
  /// The ends of each span; the vertices of spans begin at `nodeEnd`.
  private let spanEnds: [Ends]
  /// The number of the last vertex that represents a node, plus 1.
  private let nodeEnd: Int
  /// The vertices of nodes and spans; valid only for nodes and spans that were found.
  private let nodeVertices: TrivialBuffer<UInt32>
  private let spanVertices: TrivialBuffer<UInt32>
  private let flood: Flood

  /// - Parameters:
  ///   - found: the nodes and spans reached by the search for the controllers.
  ///   - starts: the nodes from which arcs lead to the goal.
  init(
    _ flood: Flood, _ found: ReachableSet, controllers: [UInt32], starts: [UInt32], supply: UInt32
  ) {
    self.flood = flood
    let view = flood.view
    let nodeVertices = TrivialBuffer<UInt32>(count: view.nodeCount)
    let spanVertices = TrivialBuffer<UInt32>(count: view.spanCount)
    var next = UInt32(2)
    for node in found.nodes {
      unsafe nodeVertices.base[Int(node & ~ReachableSet.stopped)] = next
      next += 1
    }
    func vertex(_ node: some BinaryInteger) -> UInt32 { unsafe nodeVertices.base[Int(node)] }
    let nodeEnd = Int(next)
    let rule = FloodRule(mark: 0, flow: supply, within: Mark.found)
    let roots = Set(controllers)
    var ways: [SIMD2<UInt32>] = controllers.map { SIMD2(UInt32(Self.root), vertex($0)) }
    var ends: [Ends] = []
    for node in found.nodes {
      let from = Int(node & ~ReachableSet.stopped)
      if flood.stops(node: from, rule), !roots.contains(UInt32(from)) { continue }
      let isController = flood.barriers.isStoppingController(from)
      view.forEachStep(from) { step in
        guard flood.isPermitted(step, from, isController, rule) else { return }
        // The search may have stopped at a barrier without reaching the node beyond it.
        let isBarrier =
          step.span >= 0 && flood.barriers.checksSpans && flood.stops(span: step.span, rule)
        guard isBarrier || flood.leadsOn(step, from, rule) else { return }
        // The other side of a controller belongs to another subnetwork.
        if step.isInside, flood.barriers.isStoppingController(step.target) { return }
        let oneWay = step.isOneWay ? DirectedGraph.oneWay : 0
        let leadsToRoot = roots.contains(UInt32(step.target))
        guard step.span >= 0 else {
          if !leadsToRoot { ways.append(SIMD2(vertex(from), vertex(step.target) | oneWay)) }
          return
        }
        if flood.spans.set(step.span, Mark.numbered) {
          unsafe spanVertices.base[step.span] = next
          next += 1
          ends.append(
            Ends(
              first: Int(vertex(from)), second: Int(vertex(isBarrier ? from : step.target)),
              isOneWay: oneWay != 0, isBarrier: isBarrier))
        }
        let span = unsafe spanVertices.base[step.span]
        ways.append(SIMD2(vertex(from), span | oneWay))
        if !isBarrier, !leadsToRoot { ways.append(SIMD2(span, vertex(step.target) | oneWay)) }
      }
    }
    for start in starts { ways.append(SIMD2(vertex(start), UInt32(Self.goal))) }
    graph = DirectedGraph(count: Int(next), ways: ways)
    (self.nodeEnd, spanEnds) = (nodeEnd, ends)
    (self.nodeVertices, self.spanVertices) = (nodeVertices, spanVertices)
  }

  /// Returns, for each vertex, whether it is a filter barrier and not a start; empty if there are
  /// no filter barriers.
  func filters(_ found: ReachableSet, starts: [UInt32]) -> [Bool] {
    var filters = [Bool](repeating: false, count: graph.count)
    var hasAny = false
    for node in found.nodes {
      let node = Int(node & ~ReachableSet.stopped)
      guard flood.barriers.isFilterBarrier(node: node) else { continue }
      filters[vertex(node: node)] = true
      hasAny = true
    }
    for start in starts { filters[vertex(node: Int(start))] = false }
    if flood.barriers.filtersSpans {
      for span in 0..<flood.view.spanCount where hasVertex(span: span) {
        guard flood.barriers.isFilterBarrier(span: span) else { continue }
        filters[vertex(span: span)] = true
        hasAny = true
      }
    }
    return hasAny ? filters : []
  }

  /// - Precondition: the node was found.
  func vertex(node: Int) -> Int { Int(unsafe nodeVertices.base[node]) }

  /// - Precondition: `hasVertex(span:)`.
  func vertex(span: Int) -> Int { Int(unsafe spanVertices.base[span]) }

  /// Whether supply can enter a span from one of its nodes.
  func hasVertex(span: Int) -> Bool { flood.spans.has(span, Mark.numbered) }

  /// Whether supply may cross the span of a step; true if the step has no span.
  func crosses(_ step: Step) -> Bool {
    step.span < 0
      || (hasVertex(span: step.span) && ends(vertex(span: step.span))?.isBarrier == false)
  }

  /// Returns the ends of a vertex that is a span; nil for a node.
  func ends(_ vertex: Int) -> Ends? { vertex < nodeEnd ? nil : spanEnds[vertex - nodeEnd] }
}
