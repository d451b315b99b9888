/// Barriers from the parameters of a trace or of a segmentation.
extension Barriers {
  init(
    _ view: TraceView, _ scratch: TraceScratch, _ plan: TracePlan,
    _ parameters: UtilityTraceParameters
  ) {
    self.init(view, scratch)
    controllerTier = plan.controllerTier
    if plan.type != .connected {
      barrierTests = plan.barrierTests
      filterTests = plan.filterTests
    }
    mark(parameters.barriers, Mark.barrier)
    mark(parameters.filterBarriers, Mark.filterBarrier)
    mark(inoperable: parameters.inoperable)
    if needsEdges(barrierTests) { checksSpans = true }
    if needsEdges(filterTests) { (checksSpans, filtersSpans) = (true, true) }
  }

  /// Creates the barriers of a segmentation, which are the valves that separate segments.
  ///
  /// - Throws: an error if the condition is invalid.
  init(
    _ view: TraceView, _ scratch: TraceScratch, valves condition: TraceCondition?,
    _ scope: TraversabilityScope, _ locations: [TraceLocation], inoperable: [NetworkElement]
  ) throws(NetworkError) {
    self.init(view, scratch)
    mark(inoperable: inoperable)
    mark(locations, Mark.filterBarrier)
    guard let condition else { return }
    filterTests = try ElementTest.tests(condition, scope, network)
    if needsEdges(filterTests) { filtersSpans = true }
  }

  private mutating func mark(_ locations: [TraceLocation], _ mark: UInt32) {
    for location in locations {
      if network.isEdge(location.element), location.fractionAlongEdge == nil {
        let edge = Int(location.element.index) - network.junctionCount
        for span in view.spans(ofEdge: edge) { _ = spans.set(span, mark) }
        checksSpans = true
        if mark == Mark.filterBarrier { filtersSpans = true }
      } else {
        for node in view.nodes(location) { _ = nodes.set(Int(node), mark) }
      }
    }
  }

  /// Marks inoperable elements, which are never filter barriers, regardless of conditions and
  /// locations.
  private func mark(inoperable elements: [NetworkElement]) {
    for element in elements {
      if network.isEdge(element) {
        for span in view.spans(ofEdge: Int(element.index) - network.junctionCount) {
          _ = spans.set(span, Mark.inoperable)
        }
      } else {
        for node in view.nodes(TraceLocation(element)) { _ = nodes.set(Int(node), Mark.inoperable) }
      }
    }
  }

  private func needsEdges(_ tests: [ElementTest]) -> Bool {
    let catalog = network.catalog
    return tests.contains { test in
      catalog.types.indices.contains {
        test.byType[$0] != 0 && catalog.sources[catalog.types[$0].source].usage.isEdge
      }
    }
  }
}
