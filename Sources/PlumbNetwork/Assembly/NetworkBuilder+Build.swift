import PlumbCore

extension NetworkBuilder {
  /// Builds the network of all added features. The order of additions does not matter.
  ///
  /// - Throws: an error with the feature's name for a duplicate id, or a missing or ambiguous connection.
  public func build() throws(NetworkError) -> UtilityNetwork {
    var faults = AssemblyFaults(isLenient: options.isLenient)
    let index = try ElementIndex(junctions, edges, catalog, &faults)
    let names = ElementIdentifiers(junctions: junctions, edges: edges, catalog: catalog)
    let assembly = try GraphAssembly(self, index, names, faults)
    var info = assembly.owners.map { owner in
      NodeInfo(
        type: owner == NetworkGraph.noJunction ? NodeInfo.noType : junctions.types[Int(owner)],
        isController: false)
    }
    var byNode: [UInt32: [SubnetworkController]] = [:]
    for (junction, controller) in controllers {
      let type = catalog.types[Int(junctions.types[Int(junction)])]
      let terminal = try catalog.terminal(
        controller.terminalID, type, junctions.identifiers.text(Int(junction)))
      let node = unsafe assembly.nodeStarts.base[Int(junction)] + UInt32(terminal)
      byNode[node, default: []].append(controller)
      info[Int(node)].isController = true
    }
    let graph = NetworkGraph(
      nodeStarts: assembly.nodeStarts, nodeOwners: assembly.owners, nodeInfo: info,
      spans: assembly.spans, links: assembly.links)
    return UtilityNetwork(
      definition: definition, names: names, index: index, graph: graph, points: points,
      vertices: vertices, vertexEnds: vertexEnds, paths: paths, controllers: byNode,
      containers: PairRows(assembly.pairs.containers, reversed: false),
      content: PairRows(assembly.pairs.containers, reversed: true),
      structures: PairRows(assembly.pairs.structures, reversed: false), faults: assembly.faults)
  }
}
