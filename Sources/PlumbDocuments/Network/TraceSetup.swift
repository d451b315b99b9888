import PlumbCore
import PlumbExpressions
import PlumbFormats
import PlumbNetwork
import PlumbSources

/// What a person says of a trace, in the words of the command line.
package struct TraceSetup: Sendable {
  package var type: TraceType
  package var starts: [String] = []
  package var barriers: [String] = []
  package var filterBarriers: [String] = []
  package var inoperable: [String] = []
  /// Whether check valves, pumps and other one-way elements hold.
  package var oneWayFlow = OneWayFlow.hold
  /// Elements whose asset type has the category are filter barriers.
  package var filterCategory: String?
  /// Elements that meet the condition are filter barriers.
  package var filter: String?
  /// Elements that meet the condition stop the trace, beside those of the tier's configuration.
  package var condition: String?
  /// The network attribute that the shortest path sums.
  package var cost: String?
  package var includesIsolated = false
  package var domain: String?
  package var tier: String?
  package var returnsGeometry = false

  package init(_ type: TraceType) { self.type = type }

  /// The trace's parameters: the tier's own configuration, with what was said in place of it.
  ///
  /// A filter replaces the tier's, and layered valves are filter barriers where no filter was
  /// given.
  /// - Throws: what is unknown or does not go together.
  package func parameters(in opened: OpenedNetwork) throws -> UtilityTraceParameters {
    let network = opened.network
    let references = ElementReference(network)
    var configuration = opened.tierConfiguration(domain: domain, tier: tier) ?? TraceConfiguration()
    if let text = condition {
      let given = try Self.condition(text, .condition)
      configuration.traversability.barriers =
        configuration.traversability.barriers.map { .any([$0, given]) } ?? given
    }
    if let filter = try Self.filter(category: filterCategory, condition: filter, in: network) {
      configuration.filter.barriers = filter
    }
    opened.applyDefaultFilter(to: &configuration)
    if includesIsolated { configuration.includeIsolatedFeatures = true }
    // Who works on a valve, or on a pipe that is shut, needs both its sides dead.
    if type == .isolation { configuration.ignoreBarriersAtStartingPoints = true }
    if let cost { configuration.shortestPathAttribute = cost }
    return UtilityTraceParameters(
      type, startingLocations: try starts.map { try references.start($0) },
      barriers: try barriers.map { try references.barrier($0) },
      filterBarriers: try filterBarriers.map { try references.barrier($0) },
      inoperable: type == .isolation
        ? try opened.inoperable + inoperable.map { try references.element($0) } : [],
      oneWayFlow: oneWayFlow,
      domainNetwork: domain, tier: tier, traceConfiguration: configuration,
      returnsGeometry: returnsGeometry)
  }

  /// What makes filter barriers; nil where nothing was said.
  ///
  /// - Throws: an unknown category with near ones, a condition that does not read.
  fileprivate static func filter(
    category: String?, condition: String?, in network: UtilityNetwork
  ) throws -> TraceCondition? {
    if let category {
      let known = network.definition.knownCategories
      guard
        let name = known.first(where: { $0 == category })
          ?? known.first(where: { $0.lowercased() == category.lowercased() })
      else {
        throw PlumbError(
          "there is no category \(category.printable)" + NearText.advice(category, among: known),
          code: .notFound)
      }
      return .category(name)
    }
    return try condition.map { try Self.condition($0, .filter) }
  }

  private static func condition(_ text: String, _ setting: Setting) throws -> TraceCondition {
    do {
      return .expression(try Condition(text))
    } catch {
      throw PlumbError("\(setting)", error)
    }
  }
}

extension UtilityNetworkDefinition {
  /// Those of the definition, and those that asset types alone name.
  package var knownCategories: [String] {
    let types = domainNetworks.flatMap(\.sources).flatMap(\.assetGroups).flatMap(\.assetTypes)
    var seen: Set<String> = []
    return (categories + types.flatMap(\.categories)).filter { seen.insert($0).inserted }
  }
}

extension OpenedNetwork {
  /// The parts of the network between its valves, as they lie under a setup's filter and filter
  /// barriers.
  ///
  /// - Returns: the parts, and whether anything may be closed at all.
  /// - Throws: what is unknown.
  package func segments(
    between setup: TraceSetup
  ) throws -> (found: IsolationSegments, hasValves: Bool) {
    let condition =
      try TraceSetup.filter(
        category: setup.filterCategory, condition: setup.filter, in: network) ?? defaultFilter
    let references = ElementReference(network)
    let locations = try setup.filterBarriers.map { try references.barrier($0) }
    let found = try network.segments(
      filterBarriers: condition, locations: locations, inoperable: stuckOpen)
    return (found, condition != nil || !locations.isEmpty)
  }

  /// The configuration of a tier; nil where it has none or which one is meant is not said.
  package func tierConfiguration(domain: String?, tier: String?) -> TraceConfiguration? {
    let domains = network.definition.domainNetworks
    let tiered = domains.filter { !$0.tiers.isEmpty }
    let found =
      if let domain {
        domains.first { $0.name == domain }
          ?? domains.first { $0.name.lowercased() == domain.lowercased() }
      } else {
        tiered.count == 1 ? tiered[0] : nil
      }
    guard let tiers = found?.tiers else { return nil }
    guard let tier else { return tiers.count == 1 ? tiers[0].traceConfiguration : nil }
    return
      (tiers.first { $0.name == tier }
      ?? tiers.first { $0.name.lowercased() == tier.lowercased() })?.traceConfiguration
  }

  /// Makes layered valves filter barriers where the configuration has no filter.
  package func applyDefaultFilter(to configuration: inout TraceConfiguration) {
    if configuration.filter.barriers == nil, configuration.filter.functionBarriers.isEmpty {
      configuration.filter.barriers = defaultFilter
    }
  }

  /// A request as a trace of the network, and what of it was passed over, one line each.
  ///
  /// - Throws: what the network does not have, and what no trace does.
  package func parameters(
    of request: UtilityTraceRequest, inoperable: [String] = []
  ) throws -> (UtilityTraceParameters, warnings: [String]) {
    var (parameters, warnings) = try request.parameters(in: network)
    if defaultFilter != nil {
      var configuration =
        parameters.traceConfiguration
        ?? tierConfiguration(domain: parameters.domainNetwork, tier: parameters.tier)
        ?? TraceConfiguration()
      applyDefaultFilter(to: &configuration)
      parameters.traceConfiguration = configuration
    }
    let references = ElementReference(network)
    parameters.inoperable = try inoperable.map { try references.element($0) }
    if parameters.traceType == .isolation { parameters.inoperable += self.inoperable }
    return (parameters, warnings)
  }

  /// A request in JSON as a trace of the network, and what of it was passed over, one line each.
  ///
  /// - Throws: a line with the file and the position in it.
  package func parameters(
    request path: String, inoperable: [String] = []
  ) throws -> (UtilityTraceParameters, warnings: [String]) {
    let file = try DocumentFile(path: path)
    do {
      let request = try file.bytes.withUnsafeBytes { try UtilityTraceRequest(json: $0) }
      let (parameters, warnings) = try parameters(of: request, inoperable: inoperable)
      return (parameters, warnings.map { "\(path.printable): \($0)" })
    } catch {
      throw PlumbError("\(path.printable)", error, context: FailureContext(file: path))
    }
  }
}
