import PlumbCore
import PlumbFormats
import PlumbNetwork

extension UtilityTraceRequest {
  /// Converts the request to the parameters of a trace of a network. Also returns the ignored
  /// members of the request, one line each.
  ///
  /// - Throws: if the request contains names that the network lacks, or options that traces do not
  ///   support.
  package func parameters(
    in network: UtilityNetwork
  ) throws(NetworkError) -> (UtilityTraceParameters, warnings: [String]) {
    var warnings: [String] = []
    var starts: [TraceLocation] = []
    var barriers: [TraceLocation] = []
    var filters: [TraceLocation] = []
    for (index, location) in traceLocations.enumerated() {
      let position = "traceLocations[\(index)]"
      let known = try location.location(in: network, position)
      switch location.type {
      case .startingPoint: starts.append(known)
      case .barrier: location.isFilterBarrier ? filters.append(known) : barriers.append(known)
      }
    }
    if let id = traceConfigurationGlobalID, traceConfiguration == nil {
      throw NetworkError(
        .badParameters,
        "traceConfigurationGlobalId \(id.printable): stored configurations are not supported; specify the "
          + "traceConfiguration itself")
    }
    let reading = TraceReading(attributes: network.definition.networkAttributes)
    var configuration: TraceConfiguration?
    if let esri = traceConfiguration {
      // If a configuration only names the tier, the tier's own configuration remains in effect.
      if !esri.onlyNamesTier { configuration = try reading.configuration(esri) }
      if let name = esri.subnetworkName {
        warnings.append("subnetworkName \(name.printable) is ignored: the start determines it")
      }
      for (name, flag) in [
        ("includeUpToFirstSpatialContainer", esri.includeUpToFirstSpatialContainer),
        ("validateConsistency", esri.validateConsistency),
        ("validateLocatability", esri.validateLocatability),
      ] where flag == true {
        warnings.append("\(name) is ignored")
      }
    }
    for type in resultTypes {
      switch type.type {
      case .elements, .aggregatedGeometry: break
      default: warnings.append("resultTypes: \(type.type.rawValue) is not supported")
      }
    }
    let parameters = UtilityTraceParameters(
      type, startingLocations: starts, barriers: barriers, filterBarriers: filters,
      domainNetwork: traceConfiguration?.domainNetworkName, tier: traceConfiguration?.tierName,
      targetTier: traceConfiguration?.targetTierName, traceConfiguration: configuration,
      returnsGeometry: resultTypes.contains { $0.type == .aggregatedGeometry })
    return (parameters, warnings)
  }

  private var type: PlumbNetwork.TraceType {
    switch traceType {
    case .connected: .connected
    case .subnetwork: .subnetwork
    case .subnetworkController: .subnetworkControllers
    case .upstream: .upstream
    case .downstream: .downstream
    case .loops: .loops
    case .shortestPath: .shortestPath
    case .isolation: .isolation
    }
  }
}

extension UtilityTraceConfiguration {
  /// Whether the configuration only names the tier, and sets nothing else that affects a trace.
  fileprivate var onlyNamesTier: Bool {
    var rest = self
    (rest.domainNetworkName, rest.tierName, rest.targetTierName, rest.subnetworkName) =
      (nil, nil, nil, nil)
    (rest.validateConsistency, rest.validateLocatability) = (nil, nil)
    return rest == Self.nothing
  }

  private static let nothing: UtilityTraceConfiguration? = Array("{}".utf8).withUnsafeBytes {
    try? UtilityTraceConfiguration(json: $0)
  }
}

extension UtilityTraceRequest.Location {
  fileprivate func location(
    in network: UtilityNetwork, _ position: String
  ) throws(NetworkError) -> TraceLocation {
    var found = network.elements(ofID: globalID)
    // Extends Esri's protocol: `source:globalid` is accepted too, because an id may occur in several sources.
    if found.isEmpty, let named = network.element(named: globalID) { found = [named] }
    guard let element = found.first else {
      let near = NameSuggestions.nearest(
        globalID, among: network.elements.lazy.map { network.globalID(of: $0) })
      throw NetworkError(
        .unknownElement,
        "\(position): the network has no feature \(globalID.printable)"
          + (near.isEmpty
            ? "" : "; did you mean \(near.map(\.printable).joined(separator: " or "))?"))
    }
    guard found.count == 1 else {
      throw NetworkError(
        .ambiguousElement,
        "\(position): \(globalID.printable) may be "
          + found.map { network.name(of: $0) }.joined(separator: " or ") + ": use one of these")
    }
    if network.isEdge(element) {
      return TraceLocation(element, fractionAlongEdge: percentAlong)
    }
    let terminals = network.describe(element).terminals
    // In Esri's requests, the terminal of a feature without terminals is 1.
    let terminal = terminals.isEmpty && terminalID == 1 ? nil : terminalID
    if terminal == nil, type == .startingPoint, terminals.count > 1 {
      throw NetworkError(
        .terminalMissing,
        "\(position): \(network.name(of: element)) has several terminals: specify the terminalId, "
          + terminals.map { "\($0.id) (\($0.name.printable))" }.joined(separator: " or "))
    }
    return TraceLocation(element, terminalID: terminal)
  }
}
