import PlumbCore
import PlumbFormats
import PlumbNetwork
import PlumbSources

extension UtilityNetworkDefinition {
  /// The categories in the definition, and other categories that occur in asset types.
  package var knownCategories: [String] {
    let types = domainNetworks.flatMap(\.sources).flatMap(\.assetGroups).flatMap(\.assetTypes)
    var seen: Set<String> = []
    return (categories + types.flatMap(\.categories)).filter { seen.insert($0).inserted }
  }
}

extension OpenedNetwork {
  /// The trace configuration of a tier; nil if the tier has none, or is ambiguous.
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

  /// Uses the valves of the valve layer as filter barriers if the configuration has no filter.
  package func applyDefaultFilter(to configuration: inout TraceConfiguration) {
    if configuration.filter.barriers == nil, configuration.filter.functionBarriers.isEmpty {
      configuration.filter.barriers = defaultFilter
    }
  }

  /// Converts a request to the parameters of a trace of the network. Also returns the ignored
  /// members of the request, one line each.
  ///
  /// - Throws: if the request contains names that the network lacks, or options that traces do not
  ///   support.
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

  /// Converts a JSON request to the parameters of a trace of the network. Also returns the ignored
  /// members of the request, one line each.
  ///
  /// - Throws: a one-line error with the file and the position in the file.
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
