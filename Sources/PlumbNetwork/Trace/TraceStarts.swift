import PlumbCore

/// The starts of a trace: its starting locations that are not barriers.
struct TraceStarts {
  private(set) var nodes: [UInt32] = []
  private(set) var ignored: [TraceLocation] = []
  /// Warnings about ignored starting locations.
  private(set) var warnings: [String] = []

  /// - Throws: `startIsBarrier` if all starting locations are barriers or, for a shortest path, if
  ///   one starting location is a barrier.
  init(
    _ barriers: Barriers, _ plan: TracePlan, _ parameters: UtilityTraceParameters
  ) throws(NetworkError) {
    let (network, view) = (barriers.network, barriers.view)
    var found: [UInt32] = []
    for location in parameters.startingLocations {
      let isEdge = network.isEdge(location.element)
      let spans =
        isEdge ? view.spans(ofEdge: Int(location.element.index) - network.junctionCount) : []
      let nodes = view.nodes(location)
      if plan.configuration.ignoreBarriersAtStartingPoints {
        for node in nodes where barriers.isBarrier(node: Int(node)) {
          _ = barriers.nodes.set(Int(node), Mark.shut)
        }
        for span in spans where barriers.isBarrier(span: span) {
          _ = barriers.spans.set(span, Mark.shut)
        }
        for node in nodes { _ = barriers.nodes.set(Int(node), Mark.exempt) }
        for span in spans { _ = barriers.spans.set(span, Mark.exempt) }
      }
      let stops =
        nodes.contains { barriers.isBarrier(node: Int($0)) }
        || spans.contains { barriers.isBarrier(span: $0) }
        || (plan.type == .isolation
          && (nodes.contains { barriers.isFilterBarrier(node: Int($0)) }
            || spans.contains { barriers.isFilterBarrier(span: $0) }))
      if stops { ignored.append(location) } else { found += nodes }
    }
    guard plan.type != .shortestPath || ignored.isEmpty, !found.isEmpty else {
      let names = ignored.map { network.name(of: $0.element) }.joined(separator: ", ")
      throw NetworkError(
        .startIsBarrier,
        "\(names): the start is a barrier that stops the trace; choose a start next to the barrier")
    }
    for location in ignored {
      warnings.append(
        "\(network.name(of: location.element)): the start is a barrier and was ignored")
    }
    var seen: Set<UInt32> = []
    nodes = found.filter { seen.insert($0).inserted }
  }
}
