/// The barriers of an isolation as elements.
extension ElementList {
  /// Returns the sort key of a node: the element, then the terminal or fraction.
  func point(_ node: UInt32) -> (UInt32, Double) {
    guard Int(node) >= view.graph.nodeCount else {
      return (UInt32(truncatingIfNeeded: view.order(node) >> 32), Double(node))
    }
    let (edge, fraction) = view.cuts.points[Int(node) - view.graph.nodeCount]
    return unsafe (network.index.ranks.base[network.junctionCount + Int(edge)], fraction)
  }

  func point(span: UInt32) -> (UInt32, Double) {
    unsafe (
      network.index.ranks.base[network.junctionCount + view.edge(Int(span))],
      view.range(Int(span)).lowerBound
    )
  }

  func elements(_ isolating: IsolationBounds) -> [TracedElement] {
    var result: [TracedElement] = []
    for node in isolating.nodes {
      if let junction = view.junction(Int(node)) {
        result.append(
          TracedElement(
            element: NetworkElement(index: UInt32(junction)), terminalID: view.terminalID(Int(node))
          ))
      } else if Int(node) >= view.graph.nodeCount {
        let (edge, fraction) = view.cuts.points[Int(node) - view.graph.nodeCount]
        result.append(
          TracedElement(
            element: NetworkElement(index: edge + UInt32(network.junctionCount)),
            positionFrom: fraction, positionTo: fraction))
      }
    }
    for span in isolating.spans {
      let range = view.range(Int(span))
      result.append(
        TracedElement(
          element: NetworkElement(index: UInt32(network.junctionCount + view.edge(Int(span)))),
          positionFrom: range.lowerBound, positionTo: range.upperBound))
    }
    return merged(result)
  }
}
