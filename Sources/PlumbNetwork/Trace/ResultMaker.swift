import PlumbCore

/// Builds the result of a trace according to its configuration.
struct ResultMaker {
  let plan: TracePlan
  let parameters: UtilityTraceParameters
  let starts: [UInt32]
  let flood: Flood
  let network: UtilityNetwork
  let list: ElementList

  init(
    _ plan: TracePlan, _ parameters: UtilityTraceParameters, _ starts: [UInt32], _ flood: Flood
  ) {
    self.plan = plan
    self.parameters = parameters
    self.starts = starts
    self.flood = flood
    network = flood.network
    list = ElementList(flood.view)
  }

  /// Builds a result from elements in element order.
  func result(_ elements: [TracedElement]) throws(NetworkError) -> UtilityTraceResult {
    var result = UtilityTraceResult()
    result.elements = elements
    try complete(&result)
    return result
  }

  /// Builds a result from marked elements, or from the marked elements that are nearest to the starts.
  func result(_ marks: ResultMarks) throws(NetworkError) -> UtilityTraceResult {
    guard let wanted = plan.configuration.filter.nearestNeighbor, plan.type != .shortestPath else {
      return try result(list.elements(marks))
    }
    var result = UtilityTraceResult()
    let nearest = NearestElements(flood, list)
    (result.elements, result.foundAllNearest) = try nearest.find(wanted, starts, marks)
    try complete(&result)
    return result
  }

  /// Adds containers, content and structures, then limits the output and evaluates functions.
  func complete(_ result: inout UtilityTraceResult) throws(NetworkError) {
    addAssociated(&result.elements, plan.configuration)
    try limit(&result.elements, plan.configuration)
    for function in plan.configuration.functions {
      result.functionResults.append(
        TraceFunctionResult(function: function, value: try value(function, result.elements)))
    }
    if parameters.returnsGeometry { result.geometry = geometry(result.elements) }
  }

  /// Adds the elements that may belong to the result, and limits them in the same way as the
  /// elements of the result.
  func complete(
    _ result: inout UtilityTraceResult, possible: ResultMarks
  ) throws(NetworkError) {
    result.possible = list.elements(possible)
    try limit(&result.possible, plan.configuration)
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
    // Follow each relation separately: the result includes a container's container, but not other content of
    // a container.
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
    list.sort(&elements)
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
      // A device counts once, even if several terminals are reached.
      if before == traced.element.index { continue }
      before = traced.element.index
      let row = Int(traced.element.index)
      if let test, !test.holds(row, type: network.names.type(row), network) { continue }
      guard let attribute else {
        running.include(1)
        continue
      }
      guard network.value(attribute, row) != .null else { continue }
      var value = network.number(attribute, row) ?? 1
      if isApportionable, row >= network.junctionCount {
        value *= traced.ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) }
      }
      running.include(value)
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
      if let point = network.point(of: traced.element) { points.append(point) }
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
