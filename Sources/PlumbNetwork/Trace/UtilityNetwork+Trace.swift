import PlumbCore

extension UtilityNetwork {
  /// Traces the network on a separate thread, so that other tasks are not blocked. Several tasks
  /// may trace concurrently.
  ///
  /// ```swift
  /// let result = try await network.traceResult(of: parameters)
  /// ```
  ///
  /// - Throws: the errors of `trace(_:)`; `CancellationError` if the task was cancelled before the
  ///   work began.
  public func traceResult(
    of parameters: UtilityTraceParameters
  ) async throws -> UtilityTraceResult {
    try await Workers.inBackground { [self] _ in try trace(parameters) }
  }

  /// Traces the network. Any number of threads may call this method concurrently.
  ///
  /// - Throws: an error for invalid parameters, a start that is a barrier, missing controllers,
  ///   controllers of several subnetworks, or two starts that no path joins. An isolation that
  ///   cannot cut off a controller does not throw; the result reports the controller.
  /// - Complexity: O(reached elements); upstream, downstream and loop traces take a multiple of that time.
  public func trace(
    _ parameters: UtilityTraceParameters
  ) throws(NetworkError) -> UtilityTraceResult {
    let plan = try TracePlan(parameters, self)
    for location in parameters.startingLocations { try check(location, isStart: true) }
    for location in parameters.barriers + parameters.filterBarriers {
      try check(location, isStart: false)
    }
    for element in parameters.inoperable where Int(element.index) >= elementCount {
      throw NetworkError(.unknownElement, "an inoperable element is not in this network")
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
    return try withScratch(extra: cuts.points.count) { scratch throws(NetworkError) in
      let view = TraceView(self, cuts, isOpen: parameters.oneWayFlow == .open)
      let barriers = Barriers(view, scratch, plan, parameters)
      let starts = try TraceStarts(barriers, plan, parameters)
      var run = TraceRun(plan, parameters, starts.nodes, Flood(barriers, scratch))
      var result = try run.result()
      result.startingPointsIgnored = !starts.ignored.isEmpty
      result.warnings = starts.warnings + result.warnings
      return result
    }
  }

  func check(_ location: TraceLocation, isStart: Bool) throws(NetworkError) {
    guard Int(location.element.index) < elementCount else {
      throw NetworkError(.unknownElement, "a location is not in this network")
    }
    let name = name(of: location.element)
    if isEdge(location.element) {
      guard location.terminalID == nil else {
        throw NetworkError(.badParameters, "\(name) is an edge and has no terminals")
      }
      if let fraction = location.fractionAlongEdge, !(fraction >= 0 && fraction <= 1) {
        throw NetworkError(
          .badParameters, "\(name): the fraction \(fraction) is not between 0 and 1")
      }
      return
    }
    guard location.fractionAlongEdge == nil else {
      throw NetworkError(
        .badParameters, "\(name) is not an edge, so it cannot have a fraction along the edge")
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
}
