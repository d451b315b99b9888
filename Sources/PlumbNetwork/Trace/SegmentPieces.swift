import PlumbCore

/// Groups the nodes and spans that are not separated by a valve.
struct SegmentPieces {
  private let barriers: Barriers
  private let view: TraceView
  private let network: UtilityNetwork
  private let graph: NetworkGraph
  private var groups: UnionFind
  private let isValve: TrivialBuffer<Bool>
  /// The number of each group's piece, at the index of the group's root node or, for a span between two valves,
  /// at the number of nodes plus the span; -1 for none.
  private var pieces: [Int32]
  private var count = 0

  init(_ barriers: Barriers) {
    self.barriers = barriers
    view = barriers.view
    network = barriers.network
    graph = view.graph
    let nodeCount = view.nodeCount
    groups = UnionFind(nodeCount)
    isValve = TrivialBuffer(count: nodeCount)
    pieces = Array(
      repeating: -1, count: nodeCount + view.spanCount)
    for node in 0..<nodeCount { unsafe isValve.base[node] = barriers.isFilterBarrier(node: node) }
    for span in 0..<view.spanCount {
      guard !isCut(span), !isValve(span: span) else { continue }
      let ends = ends(span)
      if unsafe !isValve.base[ends.0], unsafe !isValve.base[ends.1] { groups.join(ends.0, ends.1) }
    }
    for node in 0..<graph.nodeCount where unsafe !isValve.base[node] {
      for index in graph.arcRange(node) {
        let arc = unsafe graph.arcs.base[index]
        if !arc.isSpan, unsafe !isValve.base[Int(arc.target)] { groups.join(node, Int(arc.target)) }
      }
    }
  }

  private func isCut(_ span: Int) -> Bool {
    view.cuts.filter & (1 &<< UInt64(span & 63)) != 0
      && view.cuts.partsOfSpan[UInt32(span)] != nil
  }

  private func isValve(span: Int) -> Bool {
    barriers.filtersSpans && barriers.isFilterBarrier(span: span)
  }

  @inline(__always)
  private func ends(_ span: Int) -> (Int, Int) {
    let nodes =
      unsafe span < graph.spanCount
      ? graph.spanNodes.base[span] : view.cuts.parts[span - graph.spanCount].nodes
    return (Int(nodes.x), Int(nodes.y))
  }

  /// Returns the group of a span: the group of one of its nodes or, between two valves, a separate
  /// group.
  private mutating func group(span: Int) -> Int {
    let ends = ends(span)
    if unsafe !isValve.base[ends.0] { return groups.root(ends.0) }
    if unsafe !isValve.base[ends.1] { return groups.root(ends.1) }
    return view.nodeCount + span
  }

  private mutating func piece(_ group: Int) -> Int {
    if pieces[group] < 0 {
      pieces[group] = Int32(count)
      count += 1
    }
    return Int(pieces[group])
  }

  mutating func segments() -> IsolationSegments {
    var junctions: [(piece: Int, item: UInt32)] = []
    var edges = junctions
    var valves: [(piece: Int, item: TraceLocation)] = []
    junctions.reserveCapacity(network.junctionCount)
    edges.reserveCapacity(network.edgeCount)
    // Pieces are numbered and filled in element order.
    let catalog = network.catalog
    let isStructural = catalog.types.map { catalog.sources[$0.source].usage.isStructural }
    for element in (0..<network.index.order.count).lazy.map({ [network] in
      unsafe network.index.order.base[$0]
    })
    where !isStructural[network.names.type(Int(element))] {
      var seen: [Int] = []
      if Int(element) < network.junctionCount {
        let first = unsafe Int(graph.nodeStarts.base[Int(element)])
        for node in unsafe first..<Int(graph.nodeStarts.base[Int(element) + 1])
        where unsafe !isValve.base[node] {
          let piece = piece(groups.root(node))
          if node == first || !seen.contains(piece) {
            junctions.append((piece, element))
            seen.append(piece)
          }
        }
      } else if view.cuts.isEmpty, !barriers.filtersSpans {
        let edge = Int(element) - network.junctionCount
        let first = unsafe Int(graph.spanStarts.base[edge])
        let end = unsafe Int(graph.spanStarts.base[edge + 1])
        for span in first..<end {
          let piece = piece(group(span: span))
          if span == first || !seen.contains(piece) {
            edges.append((piece, element))
            if end - first > 1 { seen.append(piece) }
          }
        }
      } else {
        for span in view.spans(ofEdge: Int(element) - network.junctionCount)
        where !isValve(span: span) {
          let piece = piece(group(span: span))
          if !seen.contains(piece) {
            edges.append((piece, element))
            seen.append(piece)
          }
        }
      }
    }
    for element in (0..<network.index.order.count).lazy.map({ [network] in
      unsafe network.index.order.base[$0]
    }) { addValves(element, &valves) }
    var result = IsolationSegments()
    (result.junctionEnds, result.junctions) = rows(junctions) { NetworkElement(index: $0) }
    (result.edgeEnds, result.edges) = rows(edges) { NetworkElement(index: $0) }
    (result.valveEnds, result.valves) = rows(valves) { $0 }
    return result
  }

  private mutating func addValves(
    _ element: UInt32, _ valves: inout [(piece: Int, item: TraceLocation)]
  ) {
    let name = NetworkElement(index: element)
    var seen: [Int] = []
    func add(_ piece: Int, _ location: TraceLocation) {
      if seen.contains(piece) { return }
      seen.append(piece)
      valves.append((piece, location))
    }
    if Int(element) < network.junctionCount {
      let row = Int(element)
      for node in unsafe Int(graph.nodeStarts.base[row])..<Int(graph.nodeStarts.base[row + 1])
      where unsafe isValve.base[node] {
        for piece in around(node) { add(piece, TraceLocation(name)) }
      }
      return
    }
    if view.cuts.isEmpty, !barriers.filtersSpans { return }
    for span in view.spans(ofEdge: Int(element) - network.junctionCount) {
      if isValve(span: span) {
        let ends = ends(span)
        for node in [ends.0, ends.1] where unsafe !isValve.base[node] {
          add(piece(groups.root(node)), TraceLocation(name))
        }
      }
      let cut = ends(span).1 - graph.nodeCount
      guard cut >= 0, unsafe isValve.base[cut + graph.nodeCount] else { continue }
      seen = []
      let location = TraceLocation(
        name, fractionAlongEdge: view.cuts.points[cut].fraction)
      for piece in around(cut + graph.nodeCount) { add(piece, location) }
    }
  }

  /// Returns the pieces next to a valve in ascending order.
  private mutating func around(_ valve: Int) -> [Int] {
    var groups: [Int] = []
    var steps: [(span: Int, target: Int)] = []
    view.forEachStep(valve) { steps.append(($0.span, $0.target)) }
    for (span, target) in steps {
      if span >= 0 {
        if !isValve(span: span) { groups.append(group(span: span)) }
      } else if unsafe !isValve.base[target] {
        groups.append(self.groups.root(target))
      }
    }
    var result: [Int] = []
    for group in groups where pieces[group] >= 0 {
      let piece = Int(pieces[group])
      if !result.contains(piece) { result.append(piece) }
    }
    return result.sorted()
  }

  /// Sorts items by piece, preserving the order within each piece.
  private func rows<T, R>(
    _ items: [(piece: Int, item: T)], _ made: (T) -> R
  ) -> ([Int], [R]) {
    var ends = [Int](repeating: 0, count: count)
    for (piece, _) in items { ends[piece] += 1 }
    var sum = 0
    for piece in 0..<count {
      let size = ends[piece]
      ends[piece] = sum
      sum += size
    }
    var result: [Int] = Array(repeating: 0, count: items.count)
    for (index, item) in items.enumerated() {
      result[ends[item.piece]] = index
      ends[item.piece] += 1
    }
    return (ends, result.map { made(items[$0].item) })
  }
}
