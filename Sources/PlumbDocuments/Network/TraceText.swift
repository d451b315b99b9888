import PlumbCore
import PlumbNetwork

extension UtilityTraceResult {
  /// Returns the result as text: the request, whether the trace succeeded, and the actions to take.
  ///
  /// - Parameters:
  ///   - listsIsolated: whether isolated elements are listed instead of only counted.
  public func text(
    _ parameters: UtilityTraceParameters, in network: UtilityNetwork, listsIsolated: Bool
  ) -> String {
    let starts = parameters.startingLocations.map { network.name(at: $0) }
      .joined(separator: ", ")
    var lines: [String] = []
    if let isolation {
      lines = isolation.lines(starts, in: network, listsIsolated: listsIsolated)
    } else {
      lines.append(
        "\(parameters.traceType.rawValue) trace from \(starts): "
          + network.breakdown(of: elements).total)
      if let pathCost { lines.append("Least sum: \(Self.number(pathCost))") }
      if let foundAllNearest, !foundAllNearest {
        lines.append("Fewer elements were found than requested.")
      }
      lines += network.breakdown(of: elements).lines
      if !elements.isEmpty { lines.append("Elements:") }
      lines += elements.map { "  " + network.name(of: $0) }
    }
    if !possible.isEmpty {
      lines.append("Possible, not certain: \(network.breakdown(of: possible).total)")
      lines += possible.map { "  " + network.name(of: $0) }
    }
    if !functionResults.isEmpty { lines.append("Functions:") }
    for result in functionResults {
      let of = result.function.attribute.map { " of \($0.printable)" } ?? ""
      let value = result.value.map(Self.number) ?? "none"
      lines.append("  \(result.function.type.rawValue)\(of): \(value)")
    }
    return lines.joined(separator: "\n")
  }

  fileprivate static func number(_ value: Double) -> String {
    Int64(exactly: value).map { String($0) } ?? String(value)
  }
}

extension IsolationResult {
  fileprivate func lines(
    _ starts: String, in network: UtilityNetwork, listsIsolated: Bool
  ) -> [String] {
    var lines: [String] = []
    if !controllersNotIsolated.isEmpty {
      let names = controllersNotIsolated.map { network.name(of: $0) }.joined(separator: ", ")
      lines.append("NOT ISOLATED: nothing cuts \(starts) off from \(names)")
    } else if isolating.isEmpty {
      lines.append("Isolation of \(starts): nothing to close")
    } else {
      lines.append(
        "Isolation of \(starts): close \(isolating.count) "
          + (isolating.count == 1 ? "valve" : "valves"))
    }
    func list(_ title: String, _ barriers: [IsolationBarrier]) {
      if !barriers.isEmpty { lines.append(title) }
      lines += barriers.map { "  \(network.name(at: $0.location)): \($0.why.printable)" }
    }
    if let partialPlan {
      lines.append(
        "Partial plan, with \(partialPlan.shut.count == 1 ? "this source" : "these sources") shut:")
      lines += partialPlan.shut.map {
        "  \(network.name(of: $0)): shut it, because no valve lies between it and the start"
      }
    }
    list("Close:", partialPlan?.isolating ?? isolating)
    list(
      partialPlan == nil
        ? "Also bounds the area; no need to operate:"
        : "Also bounds the area; no need to operate once the plan is done:",
      partialPlan?.boundingOnly ?? boundingOnly)
    if !heldBy.isEmpty { lines.append("Held by:") }
    lines += heldBy.map { "  \(network.name(of: $0.element)): \(network.why($0))" }
    let total = (partialPlan?.lost ?? lost).reduce(0) { $0 + $1.count }
    let count = UtilityNetwork.count(total, entries: (partialPlan?.isolated ?? isolated).count)
    guard partialPlan == nil else {
      lines.append("The plan would isolate \(count)")
      return lines + dryLines(in: network, listsAll: listsIsolated)
    }
    lines.append("Isolated: \(count)")
    for count in lost {
      lines.append("  \(count.count) \(network.label(of: count))")
    }
    if listsIsolated, !isolated.isEmpty {
      lines.append("Isolated elements:")
      lines += isolated.map { "  " + network.name(of: $0) }
    }
    return lines + dryLines(in: network, listsAll: listsIsolated)
  }

  private func dryLines(in network: UtilityNetwork, listsAll: Bool) -> [String] {
    if alreadyWithoutSupply.isEmpty { return [] }
    return [
      "Already without supply: \(network.breakdown(of: alreadyWithoutSupply).total)"
    ] + (listsAll ? alreadyWithoutSupply.map { "  " + network.name(of: $0) } : [])
  }
}

extension UtilityNetwork {
  /// Returns a count such as `113 elements, 131 by terminal`. The second number counts a device
  /// once for each terminal, as in JSON.
  fileprivate static func count(_ elements: Int, entries: Int) -> String {
    let count = "\(elements) \(elements == 1 ? "element" : "elements")"
    return entries == elements ? count : "\(count), \(entries) by terminal"
  }

  /// Returns the numbers of elements by asset type.
  fileprivate func breakdown(of elements: [TracedElement]) -> (total: String, lines: [String]) {
    let counts = counts(of: elements)
    return (
      Self.count(counts.reduce(0) { $0 + $1.count }, entries: elements.count),
      counts.map { "  \($0.count) \(label(of: $0))" }
    )
  }

  /// Returns a label such as `Pipeline Device, Meter, Customer`, without repeated names.
  package func label(of count: AssetTypeCount) -> String {
    let names = names(of: count)
    var words = [names.source]
    for name in [names.group, names.type] where words.last != name { words.append(name) }
    return words.map(\.printable).joined(separator: ", ")
  }

  /// Returns the name of a location, followed by the fraction along an edge or by the terminal.
  package func name(at location: TraceLocation) -> String {
    let name = name(of: location.element)
    if let fraction = location.fractionAlongEdge { return "\(name) at \(fraction)" }
    return terminal(location.terminalID, of: location.element).map { "\(name):\($0)" } ?? name
  }

  fileprivate func name(of traced: TracedElement) -> String {
    let name = name(of: traced.element)
    guard isEdge(traced.element) else {
      return terminal(traced.terminalID, of: traced.element).map { "\(name):\($0)" } ?? name
    }
    if traced.ranges == [0...1] { return name }
    return name + " from "
      + traced.ranges.map { "\($0.lowerBound) to \($0.upperBound)" }.joined(separator: ", ")
  }

  private func terminal(_ id: Int?, of element: NetworkElement) -> String? {
    id.map { id in
      describe(element).terminals.first { $0.id == id }?.name.printable ?? String(id)
    }
  }
}
