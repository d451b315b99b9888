import PlumbCore

extension UtilityNetwork {
  /// Traces the network. Any number of threads may do so at once.
  ///
  /// - Throws: what is wrong with the parameters, a start that is a barrier, the lack of controllers,
  ///   controllers of several subnetworks, or two starts that no path joins. An isolation that leaves
  ///   a controller uncut does not throw: its result says so.
  /// - Complexity: O(what is reached); upstream, downstream and loops take a multiple of it.
  public func trace(
    _ parameters: UtilityTraceParameters
  ) throws(NetworkError) -> UtilityTraceResult {
    let plan = try TracePlan(parameters, self)
    for location in parameters.startingLocations { try check(location, isStart: true) }
    for location in parameters.barriers + parameters.filterBarriers {
      try check(location, isStart: false)
    }
    for element in parameters.inoperable where Int(element.index) >= elementCount {
      throw NetworkError(.unknownElement, "an inoperable element is not of this network")
    }
    let cuts = EdgeCuts(
      (parameters.startingLocations.map { ($0, true) }
        + (parameters.barriers + parameters.filterBarriers).map { ($0, false) })
        .compactMap { location, isStart -> (edge: UInt32, fraction: Double)? in
          guard isEdge(location.element) else { return nil }
          guard let fraction = location.fractionAlongEdge ?? (isStart ? 0.5 : nil) else {
            return nil
          }
          return (location.element.index - UInt32(junctionCount), fraction)
        }, graph)
    return try withScratch(extra: cuts.places.count) { scratch throws(NetworkError) in
      let tracer = Tracer(self, scratch, cuts)
      tracer.prepare(plan, parameters)
      let starts = try tracer.starts(plan, parameters)
      var result = try tracer.run(plan, parameters, starts.nodes)
      result.startingPointsIgnored = starts.areSomeIgnored
      result.warnings = tracer.warnings
      return result
    }
  }

  func check(_ location: TraceLocation, isStart: Bool) throws(NetworkError) {
    guard Int(location.element.index) < elementCount else {
      throw NetworkError(.unknownElement, "a location is not of this network")
    }
    let name = name(of: location.element)
    if isEdge(location.element) {
      guard location.terminalID == nil else {
        throw NetworkError(.badParameters, "\(name) is an edge and has no terminals")
      }
      if let fraction = location.fractionAlongEdge, !(fraction >= 0 && fraction <= 1) {
        throw NetworkError(
          .badParameters, "\(name): a fraction of \(fraction) is not between 0 and 1")
      }
      return
    }
    guard location.fractionAlongEdge == nil else {
      throw NetworkError(.badParameters, "\(name) is no edge: it has no fraction along it")
    }
    let info = typeInfo(Int(location.element.index))
    guard isStart || location.terminalID != nil else { return }
    do {
      _ = try catalog.terminal(
        location.terminalID, info, names.globalID(Int(location.element.index)))
    } catch {
      throw NetworkError(
        error.kind == .terminalMissing ? .terminalMissing : .badParameters, error.message)
    }
  }

  /// The nodes of a checked location: of all terminals where none is named.
  func nodes(_ location: TraceLocation, _ cuts: EdgeCuts) -> [UInt32] {
    if isEdge(location.element) {
      let edge = location.element.index - UInt32(junctionCount)
      guard let cut = cuts.cut(edge, location.fractionAlongEdge ?? 0.5) else { return [] }
      return [UInt32(graph.nodeCount + cut)]
    }
    let row = Int(location.element.index)
    let all = graph.nodeStarts.base[row]..<graph.nodeStarts.base[row + 1]
    guard let id = location.terminalID,
      let terminal = typeInfo(row).layout?.terminals.firstIndex(where: { $0.id == id })
    else { return Array(all) }
    return [all.lowerBound + UInt32(terminal)]
  }
}

extension Tracer {
  /// Sets barriers and marks what locations say.
  func prepare(_ plan: TracePlan, _ parameters: UtilityTraceParameters) {
    controllerTier = plan.controllerTier
    if parameters.oneWayFlow == .open { openBits = Arc.outBit | Arc.inBit }
    if plan.type != .connected {
      barrierTests = plan.barrierTests
      filterTests = plan.filterTests
    }
    for (locations, mark) in [
      (parameters.barriers, Mark.barrier), (parameters.filterBarriers, Mark.filterBarrier),
    ] {
      for location in locations {
        if network.isEdge(location.element), location.fractionAlongEdge == nil {
          for span in self.spans(ofEdge: Int(location.element.index) - network.junctionCount) {
            _ = spans.set(span, mark)
          }
          asksSpans = true
          if mark == Mark.filterBarrier { filtersSpans = true }
        } else {
          for node in network.nodes(location, cuts) { _ = nodes.set(Int(node), mark) }
        }
      }
    }
    markInoperable(parameters.inoperable)
    let edgeTypes = network.catalog.types.indices.filter {
      network.catalog.sources[network.catalog.types[$0].source].usage.isEdge
    }
    func asks(_ tests: [ElementTest]) -> Bool {
      tests.contains { test in edgeTypes.contains { test.byType[$0] != 0 } }
    }
    if asks(barrierTests) { asksSpans = true }
    if asks(filterTests) { (asksSpans, filtersSpans) = (true, true) }
  }

  /// Marks what is no filter barrier, whatever else says so.
  func markInoperable(_ elements: [NetworkElement]) {
    for element in elements {
      if network.isEdge(element) {
        for span in spans(ofEdge: Int(element.index) - network.junctionCount) {
          _ = spans.set(span, Mark.inoperable)
        }
      } else {
        for node in network.nodes(TraceLocation(element), cuts) {
          _ = nodes.set(Int(node), Mark.inoperable)
        }
      }
    }
  }

  /// The spans of an edge, the parts of those that are cut.
  func spans(ofEdge edge: Int) -> [Int] {
    let all = Int(graph.spanStarts.base[edge])..<Int(graph.spanStarts.base[edge + 1])
    guard !cuts.isEmpty else { return Array(all) }
    return all.flatMap { span -> [Int] in
      guard let parts = cuts.partsOfSpan[UInt32(span)] else { return [span] }
      return parts.map { graph.spanCount + $0 }
    }
  }

  /// The nodes of the starts that are no barriers.
  ///
  /// - Throws: `startIsBarrier` when all are.
  func starts(
    _ plan: TracePlan, _ parameters: UtilityTraceParameters
  ) throws(NetworkError) -> (nodes: [UInt32], areSomeIgnored: Bool) {
    var result: [UInt32] = []
    var ignored: [TraceLocation] = []
    for location in parameters.startingLocations {
      let isEdge = network.isEdge(location.element)
      let ownSpans =
        isEdge ? spans(ofEdge: Int(location.element.index) - network.junctionCount) : []
      let found = network.nodes(location, cuts)
      if plan.configuration.ignoreBarriersAtStartingPoints {
        for node in found { _ = nodes.set(Int(node), Mark.exempt) }
        for span in ownSpans { _ = spans.set(span, Mark.exempt) }
      }
      let stops =
        found.contains { isBarrier(node: Int($0)) }
        || ownSpans.contains { isBarrier(span: $0) }
        || (plan.type == .isolation
          && (found.contains { isFilterBarrier(node: Int($0)) }
            || ownSpans.contains { isFilterBarrier(span: $0) }))
      if stops { ignored.append(location) } else { result += found }
    }
    guard plan.type != .shortestPath || ignored.isEmpty, !result.isEmpty else {
      let names = ignored.map { network.name(of: $0.element) }.joined(separator: ", ")
      throw NetworkError(
        .startIsBarrier,
        "\(names): the start is a barrier, and no trace leaves it: start beside it")
    }
    for location in ignored {
      warnings.append(
        "\(network.name(of: location.element)): the start is a barrier and was left out")
    }
    var seen: Set<UInt32> = []
    return (result.filter { seen.insert($0).inserted }, !ignored.isEmpty)
  }
}
