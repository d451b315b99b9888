import PlumbCore

/// From marks to elements.
extension Tracer {
  /// Makes a flood's reach the result, its barriers as the configuration says.
  func take(_ reach: Reach, _ rule: FloodRule, _ plan: TracePlan) {
    let keepsBarriers = plan.configuration.includeBarriers
    for node in reach.nodes {
      let item = Int(node & ~Reach.stopped)
      if node & Reach.stopped != 0, !keepsBarriers, !isStoppingController(item),
        !hasTerminals(item)
      {
        continue
      }
      if nodes.set(item, Mark.result) { touchedNodes.append(UInt32(item)) }
    }
    crossedSpans(reach, rule) { span in
      if spans.set(span, Mark.result) { touchedSpans.append(UInt32(span)) }
    }
    for span in reach.stoppedSpans where keepsBarriers {
      if spans.set(Int(span), Mark.result) { touchedSpans.append(span) }
    }
  }

  func hasTerminals(_ node: Int) -> Bool {
    guard let junction = junction(node) else { return false }
    return network.typeInfo(junction).terminalCount > 1
  }

  /// The elements with result marks, in element order.
  func markedElements() -> [TracedElement] {
    var ranks: [UInt32] = []
    ranks.reserveCapacity(touchedNodes.count + touchedSpans.count)
    let rankOf = network.index.ranks.base
    for node in touchedNodes where nodes.has(Int(node), Mark.result) {
      if let junction = junction(Int(node)) { ranks.append(rankOf[junction]) }
    }
    for span in touchedSpans where spans.has(Int(span), Mark.result) {
      ranks.append(rankOf[network.junctionCount + edge(Int(span))])
    }
    var result: [TracedElement] = []
    result.reserveCapacity(ranks.count)
    // Sorting millions costs more than walking all elements once.
    if ranks.count > network.elementCount / 16 {
      for element in network.index.order.pointer { emit(Int(element), &result) }
    } else {
      ranks.sort()
      var before: UInt32?
      for rank in ranks where rank != before {
        before = rank
        emit(Int(network.index.order.base[Int(rank)]), &result)
      }
    }
    return result
  }

  private func emit(_ element: Int, _ result: inout [TracedElement]) {
    let name = NetworkElement(index: UInt32(truncatingIfNeeded: element))
    guard element < network.junctionCount else {
      emitEdge(element - network.junctionCount, name, &result) { spans.has($0, Mark.result) }
      return
    }
    let range = graph.nodeStarts.base[element]..<graph.nodeStarts.base[element + 1]
    for node in range where nodes.has(Int(node), Mark.result) {
      result.append(TracedElement(element: name, terminalID: terminalID(Int(node))))
    }
  }

  /// Appends the parts of an edge that are in the result.
  func emitEdge(
    _ edge: Int, _ name: NetworkElement, _ result: inout [TracedElement],
    _ isResult: (Int) -> Bool
  ) {
    let all = Int(graph.spanStarts.base[edge])..<Int(graph.spanStarts.base[edge + 1])
    if cuts.isEmpty, all.count == 1 {
      guard isResult(all.lowerBound) else { return }
      result.append(TracedElement(element: name, positionTo: 1))
      return
    }
    var parts: [ClosedRange<Double>] = []
    for span in spans(ofEdge: edge) where isResult(span) {
      let part = range(span)
      if let last = parts.last, last.upperBound >= part.lowerBound {
        parts[parts.count - 1] = last.lowerBound...max(last.upperBound, part.upperBound)
      } else {
        parts.append(part)
      }
    }
    guard let first = parts.first, let last = parts.last else { return }
    result.append(
      TracedElement(
        element: name, positionFrom: first.lowerBound, positionTo: last.upperBound,
        parts: parts.count > 1 ? parts : nil))
  }

  /// The terminal of a node; nil where its junction has none.
  func terminalID(_ node: Int) -> Int? {
    guard node < graph.nodeCount else { return nil }
    let type = graph.nodeInfo.base[node].type
    guard type != NodeInfo.noType, network.catalog.haveTerminals[Int(type)],
      let junction = junction(node), let layout = network.typeInfo(junction).layout
    else { return nil }
    return layout.terminals[node - Int(graph.nodeStarts.base[junction])].id
  }

  // MARK: What is returned

  /// Makes a result of the marks, or of elements in element order that are known already.
  func finish(
    _ plan: TracePlan, _ parameters: UtilityTraceParameters, _ starts: [UInt32],
    whole: [TracedElement]? = nil
  ) throws(NetworkError) -> UtilityTraceResult {
    var result = UtilityTraceResult()
    if let nearest = plan.configuration.filter.nearestNeighbor, plan.type != .shortestPath {
      result.elements = try self.nearest(nearest, starts, &result.foundAllNearest)
    } else {
      result.elements = whole ?? markedElements()
    }
    try complete(&result, plan, parameters)
    return result
  }

  /// Adds containers, content and structures, then limits what is returned and works out functions.
  func complete(
    _ result: inout UtilityTraceResult, _ plan: TracePlan, _ parameters: UtilityTraceParameters
  ) throws(NetworkError) {
    addAssociated(&result.elements, plan.configuration)
    try limit(&result.elements, plan.configuration)
    for function in plan.configuration.functions {
      result.functionResults.append(
        TraceFunctionResult(function: function, value: try value(function, result.elements)))
    }
    if parameters.returnsGeometry { result.geometry = geometry(result.elements) }
  }

  private func addAssociated(
    _ elements: inout [TracedElement], _ configuration: TraceConfiguration
  ) {
    var rows: [PairRows] = []
    if configuration.includeContainers { rows.append(network.containers) }
    if configuration.includeContent { rows.append(network.content) }
    rows = rows.filter { !$0.isEmpty }
    let structures = configuration.includeStructures ? network.structures : nil
    guard !rows.isEmpty || structures?.isEmpty == false else { return }
    var seen = Set(elements.map(\.element.index))
    var added: [UInt32] = []
    let first = Array(seen)
    // Each kind goes on along itself: a container's container, but not a container's other content.
    for row in rows {
      var queue = first
      var reached = Set(first)
      while let element = queue.popLast() {
        row.forEach(element) { other in
          guard reached.insert(other).inserted else { return }
          queue.append(other)
          if seen.insert(other).inserted { added.append(other) }
        }
      }
    }
    if let structures {
      for element in first + added {
        structures.forEach(element) { other in
          if seen.insert(other).inserted { added.append(other) }
        }
      }
    }
    elements += added.map { element in
      TracedElement(
        element: NetworkElement(index: element),
        positionTo: Int(element) < network.junctionCount ? 0 : 1)
    }
    sort(&elements)
  }

  /// Puts elements in element order.
  func sort(_ elements: inout [TracedElement]) {
    let ranks = network.index.ranks.base
    elements.sort { a, b in
      let (first, second) = (ranks[Int(a.element.index)], ranks[Int(b.element.index)])
      if first != second { return first < second }
      return terminalOrder(a) < terminalOrder(b)
    }
  }

  private func terminalOrder(_ element: TracedElement) -> Int {
    guard let id = element.terminalID,
      let layout = network.typeInfo(Int(element.element.index)).layout
    else { return -1 }
    return layout.terminals.firstIndex { $0.id == id } ?? -1
  }

  private func limit(
    _ elements: inout [TracedElement], _ configuration: TraceConfiguration
  ) throws(NetworkError) {
    if !configuration.outputAssetTypes.isEmpty {
      let keeps = try network.types(configuration.outputAssetTypes)
      elements.removeAll { !keeps[network.names.type(Int($0.element.index))] }
    }
    if let condition = configuration.outputCondition {
      let test = try ElementTest(condition, network)
      elements.removeAll { element in
        let row = Int(element.element.index)
        return !test.holds(row, type: network.names.type(row), network)
      }
    }
  }

  private func value(
    _ function: TraceFunction, _ elements: [TracedElement]
  ) throws(NetworkError) -> Double? {
    let attribute = try network.functionAttribute(function.attribute, function.type)
    let test = try function.condition.map { condition throws(NetworkError) in
      try ElementTest(condition, network)
    }
    let isApportionable =
      attribute.map { network.definition.networkAttributes[$0].isApportionable } ?? false
    var running = RunningValue()
    var before: UInt32?
    for traced in elements {
      // A device counts once, whatever its terminals.
      if before == traced.element.index { continue }
      before = traced.element.index
      let row = Int(traced.element.index)
      if let test, !test.holds(row, type: network.names.type(row), network) { continue }
      guard let attribute else {
        running.take(1)
        continue
      }
      guard network.value(attribute, row) != .null else { continue }
      var value = network.number(attribute, row) ?? 1
      if isApportionable, row >= network.junctionCount {
        value *= traced.ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) }
      }
      running.take(value)
    }
    return running.value(function.type)
  }

  private func geometry(_ elements: [TracedElement]) -> TracedGeometry {
    var points: [SIMD2<Double>] = []
    var lines: [SIMD2<Double>] = []
    var ends: [Int] = []
    var before: UInt32?
    for traced in elements where traced.element.index != before {
      before = traced.element.index
      if let place = network.place(of: traced.element) { points.append(place) }
      guard network.isEdge(traced.element) else { continue }
      for part in traced.ranges {
        let vertices = network.vertices(of: traced.element, in: part)
        guard vertices.count > 1 else { continue }
        lines += vertices
        ends.append(lines.count)
      }
    }
    return TracedGeometry(
      multipoint: points.isEmpty ? nil : Multipoint(VertexList(points)),
      polyline: ends.isEmpty ? nil : Polyline(VertexList(lines), partEnds: ends))
  }
}

extension UtilityNetwork {
  /// Whether each type of the catalog is one of those named.
  ///
  /// - Throws: `unknownName` for one that no type is.
  func types(_ references: [AssetTypeReference]) throws(NetworkError) -> [Bool] {
    var result = catalog.types.map { _ in false }
    for reference in references {
      var isKnown = false
      for (index, type) in catalog.types.enumerated()
      where type.key.sourceID == reference.sourceID
        && reference.assetGroup ?? type.key.group == type.key.group
        && reference.assetType ?? type.key.type == type.key.type
      {
        result[index] = true
        isKnown = true
      }
      guard isKnown else {
        throw NetworkError(
          .unknownName,
          "there is no asset type \(reference.assetGroup.map { "\($0)" } ?? "any"), "
            + "\(reference.assetType.map { "\($0)" } ?? "any") of source \(reference.sourceID)")
      }
    }
    return result
  }
}
