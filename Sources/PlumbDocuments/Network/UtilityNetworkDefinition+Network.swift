import PlumbCore
import PlumbFormats
import PlumbNetwork
import PlumbRaster

extension UtilityNetworkDefinition {
  /// Creates the definition from Esri's data element of a network.
  ///
  /// A source without a name is named after its domain network and use, such as `Pipeline Device`.
  ///
  /// - Parameter dataTypes: the types of network attributes by id, for attributes without a type in
  ///   the definition.
  /// - Throws: for unsupported parts of a tier's configuration.
  package init(
    _ esri: UtilityNetworkDataElement,
    dataTypes: [Int: PlumbNetwork.NetworkAttribute.DataType] = [:]
  ) throws(NetworkError) {
    let attributes = esri.networkAttributes.map { attribute in
      let type =
        Self.dataType(attribute.dataType) ?? dataTypes[attribute.id]
        ?? (attribute.isApportionable ? .real : .text)
      return PlumbNetwork.NetworkAttribute(
        id: attribute.id, name: attribute.name, dataType: type,
        isApportionable: attribute.isApportionable && type != .text)
    }
    let reading = TraceReading(attributes: attributes, isLenient: true)
    var domains: [PlumbNetwork.DomainNetwork] = []
    for domain in esri.domainNetworks { domains.append(try Self.domain(domain, reading)) }
    self.init(
      domainNetworks: domains, networkAttributes: attributes, categories: esri.categories,
      terminalConfigurations: esri.terminalConfigurations.map(Self.configuration))
  }

  /// Returns the type for `esriNetworkAttributeDataTypeInteger`, `esriNADTDouble` and similar
  /// names; nil for other names.
  package static func dataType(_ name: String?) -> PlumbNetwork.NetworkAttribute.DataType? {
    guard let name = name?.lowercased() else { return nil }
    let known: [(String, PlumbNetwork.NetworkAttribute.DataType)] = [
      ("integer", .integer), ("boolean", .integer), ("date", .integer), ("double", .real),
      ("float", .real), ("single", .real), ("real", .real), ("string", .text), ("text", .text),
    ]
    return known.first { name.hasSuffix($0.0) }?.1
  }

  private static func domain(
    _ domain: UtilityNetworkDataElement.DomainNetwork, _ reading: TraceReading
  ) throws(NetworkError) -> PlumbNetwork.DomainNetwork {
    var tiers: [PlumbNetwork.Tier] = []
    for tier in domain.tiers {
      var configuration: TraceConfiguration?
      if let esri = tier.updateSubnetworkTraceConfiguration {
        do throws(NetworkError) {
          configuration = try reading.configuration(esri)
        } catch {
          throw NetworkError(error.kind, "tier \(tier.name.printable): \(error.message)")
        }
      }
      tiers.append(
        PlumbNetwork.Tier(
          id: tier.id, name: tier.name, rank: tier.rank,
          topology: tier.topology == .mesh ? .mesh : .radial, traceConfiguration: configuration))
    }
    return PlumbNetwork.DomainNetwork(
      id: domain.id, name: domain.name, isStructureNetwork: domain.isStructureNetwork,
      tierDefinition: domain.tierDefinition == .hierarchical ? .hierarchical : .partitioned,
      controllerType: domain.subnetworkControllerType == .sink ? .sink : .source, tiers: tiers,
      sources: sources(of: domain))
  }

  private static func sources(
    of domain: UtilityNetworkDataElement.DomainNetwork
  ) -> [PlumbNetwork.NetworkSource] {
    let all = domain.junctionSources + domain.edgeSources
    return all.map { source in
      let plain = "\(domain.name) \(source.usageType.rawValue)"
      let isShared = all.count { $0.name == nil && $0.usageType == source.usageType } > 1
      return PlumbNetwork.NetworkSource(
        id: source.id, layerID: source.layerID,
        name: source.name ?? (isShared ? "\(plain) \(source.id)" : plain),
        usage: usage(source.usageType),
        assetGroups: source.assetGroups.map { group in
          PlumbNetwork.AssetGroup(
            code: group.code, name: group.name,
            assetTypes: group.assetTypes.map { type in
              PlumbNetwork.AssetType(
                code: type.code, name: type.name, categories: type.categories,
                terminalConfigurationID: type.terminalConfigurationID,
                connectsAtInnerVertices: type.connectivityPolicy != .endVertex)
            })
        })
    }
  }

  private static func usage(
    _ type: UtilityNetworkDataElement.UsageType
  ) -> PlumbNetwork.NetworkSource.Usage {
    switch type {
    case .device: .device
    case .junction: .junction
    case .line: .line
    case .assembly: .assembly
    case .subnetLine: .subnetLine
    case .structureJunction: .structureJunction
    case .structureLine: .structureEdge
    case .structureBoundary: .structureBoundary
    case .junctionObject: .junctionObject
    case .edgeObject: .edgeObject
    case .structureJunctionObject: .structureJunctionObject
    case .structureEdgeObject: .structureEdgeObject
    }
  }

  /// Adds the paths `All` and `None` if these paths are implied but not listed.
  private static func configuration(
    _ esri: UtilityNetworkDataElement.TerminalConfiguration
  ) -> PlumbNetwork.TerminalConfiguration {
    let ids = esri.terminals.map(\.id)
    let all = ids.indices.flatMap { first in
      ids[(first + 1)...].map { PlumbNetwork.TerminalPath.Pair(from: ids[first], to: $0) }
    }
    var paths = esri.validConfigurationPaths.map { path in
      PlumbNetwork.TerminalPath(
        name: path.name,
        pairs: path.joinsAll
          ? all
          : path.terminalPaths.map {
            PlumbNetwork.TerminalPath.Pair(from: $0.fromTerminalID, to: $0.toTerminalID)
          })
    }
    if let name = esri.defaultConfiguration, !paths.contains(where: { $0.name == name }) {
      paths.append(
        PlumbNetwork.TerminalPath(name: name, pairs: name.lowercased() == "none" ? [] : all))
    }
    return PlumbNetwork.TerminalConfiguration(
      id: esri.id, name: esri.name,
      traversability: esri.traversabilityModel == .directional ? .directional : .bidirectional,
      terminals: esri.terminals.map {
        PlumbNetwork.Terminal(id: $0.id, name: $0.name, isUpstream: $0.isUpstreamTerminal)
      }, validPaths: paths, defaultPath: esri.defaultConfiguration)
  }
}
