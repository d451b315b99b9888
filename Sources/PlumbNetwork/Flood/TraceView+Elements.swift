/// The elements of nodes and spans.
extension TraceView {
  /// Returns the nodes of a checked location; without a terminal, the nodes of all terminals.
  func nodes(_ location: TraceLocation) -> [UInt32] {
    if network.isEdge(location.element) {
      let edge = location.element.index - UInt32(network.junctionCount)
      guard let cut = cuts.cut(edge, location.fractionAlongEdge ?? 0.5) else { return [] }
      return [UInt32(graph.nodeCount + cut)]
    }
    let row = Int(location.element.index)
    let all = unsafe graph.nodeStarts.base[row]..<graph.nodeStarts.base[row + 1]
    guard let id = location.terminalID,
      let terminal = network.typeInfo(row).layout?.terminals.firstIndex(where: { $0.id == id })
    else { return Array(all) }
    return [all.lowerBound + UInt32(terminal)]
  }

  /// Returns a node's position in element order.
  func order(_ node: UInt32) -> UInt64 {
    let rank = junction(Int(node)).map { unsafe network.index.ranks.base[$0] } ?? .max
    return UInt64(rank) << 32 | UInt64(node)
  }

  /// Whether a node belongs to a device with several terminals.
  func hasTerminals(_ node: Int) -> Bool {
    guard let junction = junction(node) else { return false }
    return network.typeInfo(junction).terminalCount > 1
  }

  /// Returns the terminal of a node; nil if the node's junction has no terminals.
  func terminalID(_ node: Int) -> Int? {
    guard node < graph.nodeCount else { return nil }
    let type = unsafe graph.nodeInfo.base[node].type
    guard type != NodeInfo.noType, network.catalog.haveTerminals[Int(type)],
      let junction = junction(node), let layout = network.typeInfo(junction).layout
    else { return nil }
    return unsafe layout.terminals[node - Int(graph.nodeStarts.base[junction])].id
  }
}
