import PlumbCore

/// The parameters of a trace, checked against the network.
struct TracePlan {
  let type: TraceType
  let configuration: TraceConfiguration
  /// The traced tier; nil if no tier is given and none is needed.
  private(set) var tier: (domain: DomainNetwork, tier: Tier)?
  private(set) var controllerTier: ControllerTier?
  let barrierTests: [ElementTest]
  let filterTests: [ElementTest]
  let functions: [BoundFunctionBarrier]
  let filterFunctions: [BoundFunctionBarrier]

  init(_ parameters: UtilityTraceParameters, _ network: UtilityNetwork) throws(NetworkError) {
    type = parameters.traceType
    let needsTier: Bool =
      switch type {
      case .connected, .loops, .shortestPath: false
      default: true
      }
    var tier = try Self.tier(parameters, network, isNeeded: needsTier)
    var controllerTier: ControllerTier? = type == .shortestPath ? nil : .any
    if let name = parameters.targetTier, let known = tier {
      let target = try Self.find(name, known.domain)
      tier = (known.domain, target)
      controllerTier = .only(domain: known.domain.id, tier: target.id)
    } else if let tier, tier.domain.tierDefinition == .hierarchical {
      controllerTier = .only(domain: tier.domain.id, tier: tier.tier.id)
    }
    if type == .connected { controllerTier = nil }
    self.tier = tier
    self.controllerTier = controllerTier
    configuration =
      parameters.traceConfiguration ?? tier?.tier.traceConfiguration ?? TraceConfiguration()

    let traversability = configuration.traversability
    let filter = configuration.filter
    barrierTests = try ElementTest.tests(traversability.barriers, traversability.scope, network)
    filterTests = try ElementTest.tests(filter.barriers, filter.scope, network)
    functions = try Self.functions(
      traversability.functionBarriers, traversability.scope, network)
    filterFunctions = try Self.functions(filter.functionBarriers, filter.scope, network)
    guard !parameters.startingLocations.isEmpty else {
      throw NetworkError(.badParameters, "a trace needs a starting location")
    }
    switch type {
    case .shortestPath:
      guard parameters.startingLocations.count == 2 else {
        throw NetworkError(
          .badParameters,
          "the shortest path needs two starting locations, not \(parameters.startingLocations.count)"
        )
      }
      guard configuration.shortestPathAttribute != nil else {
        throw NetworkError(.badParameters, "the shortest path needs a network attribute to sum")
      }
    case .isolation:
      guard
        !parameters.filterBarriers.isEmpty || filter.barriers != nil
          || !filter.functionBarriers.isEmpty
      else {
        throw NetworkError(
          .badParameters,
          "an isolation needs filter barriers: locations, a condition or a function")
      }
    default: break
    }
  }

  private static func functions(
    _ barriers: [FunctionBarrier], _ scope: TraversabilityScope, _ network: UtilityNetwork
  ) throws(NetworkError) -> [BoundFunctionBarrier] {
    var result: [BoundFunctionBarrier] = []
    for barrier in barriers { result.append(try BoundFunctionBarrier(barrier, scope, network)) }
    return result
  }

  private static func tier(
    _ parameters: UtilityTraceParameters, _ network: UtilityNetwork, isNeeded: Bool
  ) throws(NetworkError) -> (domain: DomainNetwork, tier: Tier)? {
    let domains = network.definition.domainNetworks
    let tiered = domains.filter { !$0.tiers.isEmpty }
    let domain: DomainNetwork
    if let name = parameters.domainNetwork {
      guard
        let known = domains.first(where: { $0.name == name })
          ?? domains.first(where: { $0.name.lowercased() == name.lowercased() })
      else {
        throw NetworkError(
          .unknownName,
          "there is no domain network \(name.printable)"
            + NameSuggestions.advice(name, among: domains.map(\.name)))
      }
      domain = known
    } else if tiered.count == 1 {
      domain = tiered[0]
    } else {
      guard isNeeded || parameters.tier != nil || parameters.targetTier != nil else { return nil }
      throw NetworkError(
        .badParameters,
        "the trace needs a domain network with tiers"
          + NameSuggestions.advice("", among: tiered.map(\.name)))
    }
    if let name = parameters.tier { return (domain, try find(name, domain)) }
    if domain.tiers.count == 1 { return (domain, domain.tiers[0]) }
    if let name = parameters.targetTier { return (domain, try find(name, domain)) }
    guard isNeeded else { return nil }
    throw NetworkError(
      .badParameters,
      "the trace needs a tier of \(domain.name.printable)"
        + NameSuggestions.advice("", among: domain.tiers.map(\.name)))
  }

  private static func find(_ name: String, _ domain: DomainNetwork) throws(NetworkError) -> Tier {
    guard
      let known = domain.tiers.first(where: { $0.name == name })
        ?? domain.tiers.first(where: { $0.name.lowercased() == name.lowercased() })
    else {
      throw NetworkError(
        .unknownName,
        "\(domain.name.printable) has no tier \(name.printable)"
          + NameSuggestions.advice(name, among: domain.tiers.map(\.name)))
    }
    return known
  }

  var isSource: Bool { tier?.domain.controllerType != .sink }
  /// The flow of a step in the direction of supply, away from a controller. Supply follows the flow
  /// for sources, and is against the flow for sinks.
  var supply: UInt32 { isSource ? Arc.outBit : Arc.inBit }
  var against: UInt32 { isSource ? Arc.inBit : Arc.outBit }
}
