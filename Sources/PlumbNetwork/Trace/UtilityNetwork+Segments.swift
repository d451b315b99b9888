import PlumbCore

extension UtilityNetwork {
  /// The pieces into which closing every valve cuts the network.
  ///
  /// Flow may run any way and through everything but valves: closed devices, one-way edges and paths
  /// of terminals that do not join all conduct. A piece without a junction, or without an edge, is one
  /// too. Structures and assemblies are in no piece.
  ///
  /// - Parameters:
  ///   - condition: what elements are valves; nil for none.
  ///   - scope: which elements the condition is asked of.
  ///   - locations: more valves, also along edges.
  ///   - inoperable: elements that are no valves, whatever the condition and the locations say.
  /// - Throws: what is wrong with the condition or a location.
  /// - Complexity: O(elements).
  public func segments(
    filterBarriers condition: TraceCondition?, scope: TraversabilityScope = .junctionsAndEdges,
    locations: [TraceLocation] = [], inoperable: [NetworkElement] = []
  ) throws(NetworkError) -> IsolationSegments {
    for location in locations { try check(location, isStart: false) }
    for element in inoperable { try check(TraceLocation(element), isStart: false) }
    let cuts = EdgeCuts(
      locations.compactMap { location in
        guard isEdge(location.element), let fraction = location.fractionAlongEdge else {
          return nil
        }
        return (location.element.index - UInt32(junctionCount), fraction)
      }, graph)
    return try withScratch(extra: cuts.places.count) { scratch throws(NetworkError) in
      let tracer = Tracer(self, scratch, cuts)
      var configuration = TraceConfiguration()
      configuration.filter = TraceFilter(barriers: condition, scope: scope)
      tracer.markInoperable(inoperable)
      try tracer.prepare(segments: configuration, locations)
      var pieces = SegmentPieces(tracer)
      return pieces.segments()
    }
  }
}

extension Tracer {
  /// Sets the valves.
  fileprivate func prepare(
    segments configuration: TraceConfiguration, _ locations: [TraceLocation]
  ) throws(NetworkError) {
    for location in locations {
      if network.isEdge(location.element), location.fractionAlongEdge == nil {
        for span in spans(ofEdge: Int(location.element.index) - network.junctionCount) {
          _ = spans.set(span, Mark.filterBarrier)
        }
        filtersSpans = true
      } else {
        for node in network.nodes(location, cuts) { _ = nodes.set(Int(node), Mark.filterBarrier) }
      }
    }
    guard let condition = configuration.filter.barriers else { return }
    let scope = configuration.filter.scope
    let catalog = network.catalog
    let test = try ElementTest(condition, network).limited { type in
      let isEdge = catalog.sources[catalog.types[type].source].usage.isEdge
      return scope != (isEdge ? .junctions : .edges)
    }
    filterTests = test.isNever ? [] : [test]
    filtersSpans =
      filtersSpans
      || catalog.types.indices.contains {
        test.byType[$0] != 0 && catalog.sources[catalog.types[$0].source].usage.isEdge
      }
  }
}

/// Groups nodes and spans that no valve parts.
private struct SegmentPieces {
  let tracer: Tracer
  private var groups: UnionFind
  private let isValve: TrivialBuffer<Bool>
  /// Of each group's root, and after those of each span between two valves: the piece, or -1.
  private var pieces: [Int32]
  private var count = 0

  init(_ tracer: Tracer) {
    self.tracer = tracer
    let graph = tracer.graph
    let nodeCount = graph.nodeCount + tracer.cuts.places.count
    groups = UnionFind(nodeCount)
    isValve = TrivialBuffer(count: nodeCount)
    pieces = Array(
      repeating: -1, count: nodeCount + graph.spanCount + tracer.cuts.parts.count)
    for node in 0..<nodeCount { isValve.base[node] = tracer.isFilterBarrier(node: node) }
    for span in 0..<graph.spanCount + tracer.cuts.parts.count {
      guard !isCut(span), !isValve(span: span) else { continue }
      let ends = ends(span)
      if !isValve.base[ends.0], !isValve.base[ends.1] { groups.join(ends.0, ends.1) }
    }
    for node in 0..<graph.nodeCount where !isValve.base[node] {
      for index in graph.arcRange(node) {
        let arc = graph.arcs.base[index]
        if !arc.isSpan, !isValve.base[Int(arc.target)] { groups.join(node, Int(arc.target)) }
      }
    }
  }

  private func isCut(_ span: Int) -> Bool {
    tracer.cuts.filter & (1 &<< UInt64(span & 63)) != 0
      && tracer.cuts.partsOfSpan[UInt32(span)] != nil
  }

  private func isValve(span: Int) -> Bool {
    tracer.filtersSpans && tracer.isFilterBarrier(span: span)
  }

  @inline(__always)
  private func ends(_ span: Int) -> (Int, Int) {
    let graph = tracer.graph
    let nodes =
      span < graph.spanCount
      ? graph.spanNodes.base[span] : tracer.cuts.parts[span - graph.spanCount].nodes
    return (Int(nodes.x), Int(nodes.y))
  }

  /// The group of a node or, for a span between two valves, of the span.
  private mutating func group(span: Int) -> Int {
    let ends = ends(span)
    if !isValve.base[ends.0] { return groups.root(ends.0) }
    if !isValve.base[ends.1] { return groups.root(ends.1) }
    return tracer.graph.nodeCount + tracer.cuts.places.count + span
  }

  private mutating func piece(_ group: Int) -> Int {
    if pieces[group] < 0 {
      pieces[group] = Int32(count)
      count += 1
    }
    return Int(pieces[group])
  }

  mutating func segments() -> IsolationSegments {
    let network = tracer.network
    let graph = tracer.graph
    var junctions: [(piece: Int, item: UInt32)] = []
    var edges = junctions
    var valves: [(piece: Int, item: TraceLocation)] = []
    junctions.reserveCapacity(network.junctionCount)
    edges.reserveCapacity(network.edgeCount)
    // In element order, so that pieces are numbered and filled in it.
    let catalog = network.catalog
    let isStructural = catalog.types.map { catalog.sources[$0.source].usage.isStructural }
    for element in network.index.order.pointer
    where !isStructural[network.names.type(Int(element))] {
      var seen: [Int] = []
      if Int(element) < network.junctionCount {
        let first = Int(graph.nodeStarts.base[Int(element)])
        for node in first..<Int(graph.nodeStarts.base[Int(element) + 1])
        where !isValve.base[node] {
          let piece = piece(groups.root(node))
          if node == first || !seen.contains(piece) {
            junctions.append((piece, element))
            seen.append(piece)
          }
        }
      } else if tracer.cuts.isEmpty, !tracer.filtersSpans {
        let edge = Int(element) - network.junctionCount
        let first = Int(graph.spanStarts.base[edge])
        let end = Int(graph.spanStarts.base[edge + 1])
        for span in first..<end {
          let piece = piece(group(span: span))
          if span == first || !seen.contains(piece) {
            edges.append((piece, element))
            if end - first > 1 { seen.append(piece) }
          }
        }
      } else {
        for span in tracer.spans(ofEdge: Int(element) - network.junctionCount)
        where !isValve(span: span) {
          let piece = piece(group(span: span))
          if !seen.contains(piece) {
            edges.append((piece, element))
            seen.append(piece)
          }
        }
      }
    }
    for element in network.index.order.pointer { addValves(element, &valves) }
    var result = IsolationSegments()
    (result.junctionEnds, result.junctions) = rows(junctions) { NetworkElement(index: $0) }
    (result.edgeEnds, result.edges) = rows(edges) { NetworkElement(index: $0) }
    (result.valveEnds, result.valves) = rows(valves) { $0 }
    return result
  }

  private mutating func addValves(
    _ element: UInt32, _ valves: inout [(piece: Int, item: TraceLocation)]
  ) {
    let network = tracer.network
    let graph = tracer.graph
    let name = NetworkElement(index: element)
    var seen: [Int] = []
    func add(_ piece: Int, _ location: TraceLocation) {
      if seen.contains(piece) { return }
      seen.append(piece)
      valves.append((piece, location))
    }
    if Int(element) < network.junctionCount {
      let row = Int(element)
      for node in Int(graph.nodeStarts.base[row])..<Int(graph.nodeStarts.base[row + 1])
      where isValve.base[node] {
        for piece in around(node) { add(piece, TraceLocation(name)) }
      }
      return
    }
    if tracer.cuts.isEmpty, !tracer.filtersSpans { return }
    for span in tracer.spans(ofEdge: Int(element) - network.junctionCount) {
      if isValve(span: span) {
        let ends = ends(span)
        for node in [ends.0, ends.1] where !isValve.base[node] {
          add(piece(groups.root(node)), TraceLocation(name))
        }
      }
      let cut = ends(span).1 - graph.nodeCount
      guard cut >= 0, isValve.base[cut + graph.nodeCount] else { continue }
      seen = []
      let location = TraceLocation(
        name, fractionAlongEdge: tracer.cuts.places[cut].fraction)
      for piece in around(cut + graph.nodeCount) { add(piece, location) }
    }
  }

  /// The pieces next to a valve, ascending.
  private mutating func around(_ valve: Int) -> [Int] {
    var groups: [Int] = []
    var steps: [(span: Int, target: Int)] = []
    tracer.forEachStep(valve) { steps.append(($0.span, $0.target)) }
    for (span, target) in steps {
      if span >= 0 {
        if !isValve(span: span) { groups.append(group(span: span)) }
      } else if !isValve.base[target] {
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

  /// Sorts items by piece, keeping their order.
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
