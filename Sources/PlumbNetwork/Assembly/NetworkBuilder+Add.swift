import PlumbCore

extension NetworkBuilder {
  /// The number of added junctions.
  public var junctionCount: Int { junctions.count }
  /// The number of added edges.
  public var edgeCount: Int { edges.count }

  /// Reserves memory for features.
  public mutating func reserve(junctions junctionCount: Int, edges edgeCount: Int) {
    junctions.reserve(junctionCount)
    edges.reserve(edgeCount)
    points.reserveCapacity(junctionCount)
    paths.reserveCapacity(junctionCount)
    vertexEnds.reserveCapacity(edgeCount)
    flows.reserveCapacity(edgeCount)
    ends.reserveCapacity(edgeCount * 2)
  }

  /// - Throws: if the feature is invalid. An invalid feature is not added.
  public mutating func add(_ junction: NetworkJunction) throws(NetworkError) {
    let type = try catalog.type(
      sourceID: junction.sourceID, group: junction.assetGroup, type: junction.assetType,
      globalID: junction.globalID, isEdge: false)
    let catalog = catalog
    let info = catalog.types[Int(type)]
    func name() -> String { catalog.name(info, junction.globalID) }
    if let point = junction.point, !(point.x.isFinite && point.y.isFinite) {
      throw NetworkError(.badFeature, "\(name()): its point \(point.x), \(point.y) is invalid")
    }
    var path = UInt8.max
    if let layout = info.layout {
      path = UInt8(layout.defaultPath)
      if let wanted = junction.terminalPath {
        guard let index = layout.pathNames.firstIndex(of: wanted) else {
          throw NetworkError(
            .badFeature,
            "\(name()): there is no terminal path \(wanted.printable)"
              + NameSuggestions.advice(wanted, among: layout.pathNames))
        }
        path = UInt8(index)
      }
    } else if let wanted = junction.terminalPath {
      throw NetworkError(
        .badFeature,
        "\(name()): terminal path \(wanted.printable), but its asset type has no terminals")
    }
    for controller in junction.controllers { try check(controller, info, junction.globalID) }
    try junctions.append(
      type: type, globalID: junction.globalID, objectID: junction.objectID,
      attributes: junction.attributes, definitions: definition.networkAttributes)
    points.append(junction.point ?? SIMD2(.nan, .nan))
    paths.append(path)
    for controller in junction.controllers {
      controllers.append((UInt32(junctions.count - 1), controller))
    }
  }

  private func check(
    _ controller: SubnetworkController, _ info: TypeInfo, _ globalID: String
  ) throws(NetworkError) {
    guard
      let domain = definition.domainNetworks.first(where: { $0.id == controller.domainNetworkID }),
      domain.tiers.contains(where: { $0.id == controller.tierID })
    else {
      throw NetworkError(
        .badFeature,
        "\(catalog.name(info, globalID)): it controls tier \(controller.tierID) of domain network "
          + "\(controller.domainNetworkID), which does not exist")
    }
    _ = try catalog.terminal(controller.terminalID, info, globalID)
  }

  /// - Throws: if the feature is invalid. An invalid feature is not added.
  public mutating func add(_ edge: NetworkEdge) throws(NetworkError) {
    let type = try catalog.type(
      sourceID: edge.sourceID, group: edge.assetGroup, type: edge.assetType,
      globalID: edge.globalID, isEdge: true)
    let catalog = catalog
    func name() -> String { catalog.name(catalog.types[Int(type)], edge.globalID) }
    guard edge.vertices.count != 1 else {
      throw NetworkError(.badFeature, "\(name()): the edge has only one vertex")
    }
    for (index, vertex) in edge.vertices.enumerated()
    where !(vertex.x.isFinite && vertex.y.isFinite) {
      throw NetworkError(
        .badFeature, "\(name()): vertex \(index + 1) at \(vertex.x), \(vertex.y) is invalid")
    }
    guard vertices.count + edge.vertices.count <= Int(UInt32.max) else {
      throw NetworkError(.tooLarge, "\(name()): more than 4,294,967,295 vertices")
    }
    for end in [edge.from, edge.to] {
      guard let junction = end.junction else { continue }
      guard catalog.sourceIndex[junction.sourceID] != nil else {
        throw NetworkError(
          .badFeature,
          "\(name()): its end is at \(junction.globalID.printable) of source \(junction.sourceID), "
            + "which does not exist")
      }
    }
    try edges.append(
      type: type, globalID: edge.globalID, objectID: edge.objectID, attributes: edge.attributes,
      definitions: definition.networkAttributes)
    vertices.append(contentsOf: edge.vertices)
    vertexEnds.append(UInt32(vertices.count))
    flows.append(edge.flow)
    for end in [edge.from, edge.to] {
      var record = EndRecord(terminalID: end.terminalID)
      if let junction = end.junction {
        record.source = Int32(catalog.sourceIndex[junction.sourceID] ?? -1)
        record.name = UInt32(endNames.count)
        try endNames.append(junction.globalID)
      }
      ends.append(record)
    }
  }

  /// Adds an association, which is resolved when the network is built.
  public mutating func add(_ association: NetworkAssociation) { associations.append(association) }
}
