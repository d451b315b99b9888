import PlumbCore
import PlumbFormats
import PlumbNetwork

/// An EPANET network as a utility network.
///
/// - The sources are `junction`, `reservoir`, `tank`, `pipe`, `pump`, `valve` and, for a valve
///   layer, `isolation_valve`. Global ids are EPANET's ids, and `link@node` for a valve of the
///   layer.
/// - There is one domain network with one tier, both named `network`. Reservoirs and tanks are the
///   controllers of one unnamed subnetwork, and have the category `Subnetwork Controller`.
/// - Elements whose `status` is `closed` stop traversal unless the trace has another configuration.
/// - Check valves, pumps, and active pressure reducing and pressure sustaining valves allow flow
///   only from their start to their end, because EPANET closes them when the head difference
///   reverses. A valve whose status is fixed at OPEN is treated as a plain link. Flow control,
///   pressure breaker, throttle, positional and general purpose valves allow flow in both
///   directions. EPANET's flow control valve is open while the flow is reversed.
/// - A valve of the layer has the category `Isolating` and is located between the link's end and
///   the node. If its `status` in the layer is closed, the valve stops traversal like a closed
///   link.
enum EPANETUtility {
  /// The name of the only domain network and of its only tier.
  package static let tier = "network"
  /// The category of the valves of a valve layer.
  package static let isolating = "Isolating"
  /// The category of reservoirs and tanks.
  package static let controller = "Subnetwork Controller"

  package enum Source: Int, CaseIterable {
    case junction = 1
    case reservoir, tank, pipe, pump, valve
    case isolationValve

    package var name: String { self == .isolationValve ? "isolation_valve" : "\(self)" }

    package var usage: NetworkSource.Usage {
      switch self {
      case .junction: .junction
      case .reservoir, .tank, .isolationValve: .device
      case .pipe, .pump, .valve: .line
      }
    }

    package var categories: [String] {
      switch self {
      case .reservoir, .tank: [EPANETUtility.controller]
      case .isolationValve: [EPANETUtility.isolating]
      default: []
      }
    }

    /// The asset types: for valves, EPANET's valve types; for other sources, a single type with the code 1.
    package var assetTypes: [AssetType] {
      guard self == .valve else {
        return [AssetType(code: 1, name: name, categories: categories)]
      }
      return EPANETNetwork.ValveType.allCases.enumerated().map { index, type in
        AssetType(code: index + 1, name: type.rawValue)
      }
    }

    package init(_ kind: EPANETNetwork.NodeKind) {
      switch kind {
      case .junction: self = .junction
      case .reservoir: self = .reservoir
      case .tank: self = .tank
      }
    }

    package init(_ kind: EPANETNetwork.LinkKind) {
      switch kind {
      case .pipe: self = .pipe
      case .pump: self = .pump
      case .valve: self = .valve
      }
    }
  }

  /// The network attributes, in the order of their values. Lengths, diameters and elevations are in the
  /// file's units.
  package static let attributes: [NetworkAttribute] = [
    NetworkAttribute(id: 1, name: "status", dataType: .text),
    NetworkAttribute(id: 2, name: "length", dataType: .real, isApportionable: true),
    NetworkAttribute(id: 3, name: "diameter", dataType: .real),
    NetworkAttribute(id: 4, name: "roughness", dataType: .real),
    NetworkAttribute(id: 5, name: "minor_loss", dataType: .real),
    NetworkAttribute(id: 6, name: "setting", dataType: .real),
    NetworkAttribute(id: 7, name: "elevation", dataType: .real),
    NetworkAttribute(id: 8, name: "demand", dataType: .real),
    NetworkAttribute(id: 9, name: "tag", dataType: .text),
  ]

  /// Whether a definition was created by this type for an EPANET network.
  static func defines(_ definition: UtilityNetworkDefinition) -> Bool {
    guard let domain = definition.domainNetworks.first, domain.name == tier else { return false }
    let names = Source.allCases.map(\.name)
    return domain.sources.count >= names.count - 1
      && zip(domain.sources, names).allSatisfy { $0.name == $1 }
  }

  package static func definition(hasValveLayer: Bool) -> UtilityNetworkDefinition {
    var configuration = TraceConfiguration()
    configuration.traversability.barriers = .attribute("status", .equal, .value(.text("closed")))
    let sources = Source.allCases.filter { hasValveLayer || $0 != .isolationValve }
    return UtilityNetworkDefinition(
      domainNetworks: [
        DomainNetwork(
          id: 1, name: tier,
          tiers: [
            Tier(id: 1, name: tier, topology: .mesh, traceConfiguration: configuration)
          ],
          sources: sources.map { source in
            NetworkSource(
              id: source.rawValue, name: source.name, usage: source.usage,
              assetGroups: [AssetGroup(code: 1, name: source.name, assetTypes: source.assetTypes)])
          })
      ],
      networkAttributes: attributes, categories: [controller, isolating])
  }

  /// Creates the network.
  ///
  /// - Parameter valves: a layer that was read for this network.
  /// - Throws: an error with the element that cannot be converted.
  package static func network(
    _ file: EPANETNetwork, valves: EPANETValveLayer? = nil
  ) throws(NetworkError) -> UtilityNetwork {
    var builder = try NetworkBuilder(
      definition(hasValveLayer: valves != nil),
      options: NetworkBuilder.Options(connectsByLocation: false))
    builder.reserve(
      junctions: file.nodes.count + (valves?.valves.count ?? 0), edges: file.links.count)
    for (index, node) in file.nodes.enumerated() {
      try builder.add(junction(node, tag: file.nodeTags[index]))
    }
    var layered: [Int: [Int]] = [:]
    for valve in valves?.valves ?? [] {
      let node = file.nodes[valve.node]
      let id = "\(file.links[valve.link].id)@\(node.id)"
      try builder.add(
        NetworkJunction(
          sourceID: Source.isolationValve.rawValue, globalID: id, assetGroup: 1, assetType: 1,
          point: node.point,
          attributes: attributes.map { attribute in
            guard attribute.name == "status", let isClosed = valve.isClosed else { return .null }
            return .text(isClosed ? "closed" : "open")
          }))
      builder.add(
        .connectivity(
          AssociationEnd(ElementName(sourceID: Source.isolationValve.rawValue, globalID: id)),
          AssociationEnd(name(of: node))))
      layered[valve.link, default: []].append(valve.node)
    }
    for (index, link) in file.links.enumerated() {
      let points = points(of: index, in: file)
      let end = { (node: Int) -> EdgeEnd in
        guard layered[index]?.contains(node) == true else {
          return EdgeEnd(name(of: file.nodes[node]))
        }
        return EdgeEnd(
          ElementName(
            sourceID: Source.isolationValve.rawValue,
            globalID: "\(link.id)@\(file.nodes[node].id)"))
      }
      try builder.add(
        NetworkEdge(
          sourceID: Source(link.kind).rawValue, globalID: link.id, assetGroup: 1,
          assetType: assetType(of: link), vertices: points,
          attributes: attributes(of: link, tag: file.linkTags[index]), from: end(link.start),
          to: end(link.end), flow: flow(of: link)))
    }
    return try builder.build()
  }

  /// Returns the inoperable valves of a layer, and the open valves among them.
  package static func inoperable(
    _ layer: EPANETValveLayer, of file: EPANETNetwork, in network: UtilityNetwork
  ) throws(NetworkError) -> (all: [NetworkElement], open: [NetworkElement]) {
    var (all, open): ([NetworkElement], [NetworkElement]) = ([], [])
    for valve in layer.valves where !valve.isOperable {
      let element = try network.element(
        sourceID: Source.isolationValve.rawValue,
        globalID: "\(file.links[valve.link].id)@\(file.nodes[valve.node].id)")
      all.append(element)
      if valve.isClosed != true { open.append(element) }
    }
    return (all, open)
  }

  /// The reservoirs and tanks.
  package static func controllers(of file: EPANETNetwork) -> [OpenedNetwork.Controller] {
    file.nodes.lazy.filter { $0.kind != .junction }.map { node in
      OpenedNetwork.Controller(
        element: name(of: node), controller: SubnetworkController(domainNetworkID: 1, tierID: 1))
    }
  }

  private static func name(of node: EPANETNetwork.Node) -> ElementName {
    ElementName(sourceID: Source(node.kind).rawValue, globalID: node.id)
  }

  private static func junction(_ node: EPANETNetwork.Node, tag: String?) -> NetworkJunction {
    let isController = node.kind != .junction
    return NetworkJunction(
      sourceID: Source(node.kind).rawValue, globalID: node.id, assetGroup: 1, assetType: 1,
      point: node.point,
      attributes: [
        .null, .null, .null, .null, .null, .null, .real(node.elevation),
        isController ? .null : .real(node.demand), tag.map { .text($0) } ?? .null,
      ],
      controllers: isController ? [SubnetworkController(domainNetworkID: 1, tierID: 1)] : [])
  }

  private static func attributes(of link: EPANETNetwork.Link, tag: String?) -> [FieldValue] {
    let status: String =
      switch link.status {
      case .open: "open"
      case .closed: "closed"
      case .active: "active"
      case .checkValve: "cv"
      }
    let isPipe = link.kind == .pipe
    return [
      .text(status), .real(link.length), link.kind == .pump ? .null : .real(link.diameter),
      isPipe ? .real(link.roughness) : .null, link.kind == .pump ? .null : .real(link.minorLoss),
      link.setting.map { .real($0) } ?? .null, .null, .null, tag.map { .text($0) } ?? .null,
    ]
  }

  private static func assetType(of link: EPANETNetwork.Link) -> Int {
    guard let type = link.valveType,
      let index = EPANETNetwork.ValveType.allCases.firstIndex(of: type)
    else { return 1 }
    return index + 1
  }

  private static func flow(of link: EPANETNetwork.Link) -> EdgeFlow {
    switch link.kind {
    case .pump: return .forward
    case .pipe: return link.status == .checkValve ? .forward : .bothWays
    case .valve:
      let isOneWay = link.valveType == .pressureReducing || link.valveType == .pressureSustaining
      return isOneWay && link.status != .open ? .forward : .bothWays
    }
  }

  /// The points of a link; empty if an end has no location.
  private static func points(of link: Int, in file: EPANETNetwork) -> [SIMD2<Double>] {
    guard let start = file.nodes[file.links[link].start].point,
      let end = file.nodes[file.links[link].end].point
    else { return [] }
    return [start] + file.vertices(ofLink: link) + [end]
  }
}
