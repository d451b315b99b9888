import PlumbCore

/// Converts nodes and spans to elements in element order.
struct ElementList {
  let network: UtilityNetwork
  let view: TraceView

  init(_ view: TraceView) {
    network = view.network
    self.view = view
  }

  /// Returns the elements with result marks, in element order.
  func elements(_ marks: ResultMarks) -> [TracedElement] {
    var ranks: [UInt32] = []
    ranks.reserveCapacity(marks.touchedNodes.count + marks.touchedSpans.count)
    let rankOf = unsafe network.index.ranks.base
    for node in marks.touchedNodes where marks.nodes.has(Int(node), marks.mark) {
      if let junction = view.junction(Int(node)) { unsafe ranks.append(rankOf[junction]) }
    }
    for span in marks.touchedSpans where marks.spans.has(Int(span), marks.mark) {
      unsafe ranks.append(rankOf[network.junctionCount + view.edge(Int(span))])
    }
    var result: [TracedElement] = []
    result.reserveCapacity(ranks.count)
    // Sorting millions of elements is slower than one pass over all elements of the network.
    if ranks.count > network.elementCount / 16 {
      for element in (0..<network.index.order.count).lazy.map({
        unsafe network.index.order.base[$0]
      }) {
        emit(Int(element), marks, &result)
      }
    } else {
      ranks.sort()
      var before: UInt32?
      for rank in ranks where rank != before {
        before = rank
        unsafe emit(Int(network.index.order.base[Int(rank)]), marks, &result)
      }
    }
    return result
  }

  @inline(__always)
  private func emit(_ element: Int, _ marks: ResultMarks, _ result: inout [TracedElement]) {
    let (nodes, spans, mark) = (marks.nodes, marks.spans, marks.mark)
    let name = NetworkElement(index: UInt32(truncatingIfNeeded: element))
    guard element < network.junctionCount else {
      emitEdge(element - network.junctionCount, name, &result) { spans.has($0, mark) }
      return
    }
    let range = unsafe view.graph.nodeStarts.base[element]..<view.graph.nodeStarts.base[element + 1]
    for node in range where nodes.has(Int(node), mark) {
      result.append(TracedElement(element: name, terminalID: view.terminalID(Int(node))))
    }
  }

  /// Appends the parts of an edge that are in the result.
  func emitEdge(
    _ edge: Int, _ name: NetworkElement, _ result: inout [TracedElement],
    _ isResult: (Int) -> Bool
  ) {
    let all =
      unsafe Int(view.graph.spanStarts.base[edge])..<Int(view.graph.spanStarts.base[edge + 1])
    if view.cuts.isEmpty, all.count == 1 {
      guard isResult(all.lowerBound) else { return }
      result.append(TracedElement(element: name, positionTo: 1))
      return
    }
    var parts: [ClosedRange<Double>] = []
    for span in view.spans(ofEdge: edge) where isResult(span) {
      let part = view.range(span)
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

  /// Sorts elements in element order.
  func sort(_ elements: inout [TracedElement]) {
    let ranks = unsafe network.index.ranks.base
    elements.sort { a, b in
      let (first, second) = unsafe (ranks[Int(a.element.index)], ranks[Int(b.element.index)])
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

  /// Merges elements into one entry per device terminal and per edge, in element order.
  func merged(_ elements: [TracedElement]) -> [TracedElement] {
    var elements = elements
    sort(&elements)
    var result: [TracedElement] = []
    for element in elements {
      guard let last = result.last, last.element == element.element,
        last.terminalID == element.terminalID
      else {
        result.append(element)
        continue
      }
      var parts: [ClosedRange<Double>] = []
      for part in (last.ranges + element.ranges).sorted(by: { a, b in
        a.lowerBound != b.lowerBound ? a.lowerBound < b.lowerBound : a.upperBound < b.upperBound
      }) {
        if let before = parts.last, before.upperBound >= part.lowerBound {
          parts[parts.count - 1] = before.lowerBound...max(before.upperBound, part.upperBound)
        } else {
          parts.append(part)
        }
      }
      result[result.count - 1] = TracedElement(
        element: element.element, terminalID: element.terminalID,
        positionFrom: parts.first?.lowerBound ?? 0, positionTo: parts.last?.upperBound ?? 0,
        parts: parts.count > 1 ? parts : nil)
    }
    return result
  }
}
