import Plumb
import PlumbCore
import PlumbDocuments
import PlumbExpressions
import PlumbFormats
import PlumbNetwork

extension Trace {
  /// The trace parameters of a request, from its document or, if the request has no document, from
  /// its options.
  ///
  /// - Throws: an error for a name that is not in the network, or for an option that cannot be combined with
  ///   the document.
  static func parameters(
    of request: Request, in opened: OpenedNetwork, _ context: RunContext
  ) throws -> UtilityTraceParameters {
    guard let document = request.request else { return try request.parameters(in: opened) }
    let (read, warnings) =
      switch document {
      case .file(let path) where context.frontEnd != .service:
        try opened.parameters(request: path, inoperable: request.inoperable)
      case .json(let tree):
        try opened.parameters(
          of: UtilityTraceRequest(tree), inoperable: request.inoperable)
      case .file: preconditionFailure("a client does not name files of the server")
      }
    for line in warnings { context.warn(MessageTemplate(line)) }
    var parameters = read
    try options.check(request, where: .type, is: parameters.traceType.word)
    parameters.oneWayFlow = request.oneWay ?? .hold
    return parameters
  }
}

extension Trace.Request {
  /// The trace parameters of the options, which are the tier's configuration with the changes of
  /// the options.
  ///
  /// A filter in the options replaces the filter of the tier. If neither has a filter, the valves of a valve
  /// layer are filter barriers.
  /// - Throws: an error for a name that is not in the network, or for an invalid condition.
  package func parameters(in opened: OpenedNetwork) throws -> UtilityTraceParameters {
    let type = type ?? .isolation
    let network = opened.network
    let references = ElementReference(network)
    var configuration = opened.tierConfiguration(domain: domain, tier: tier) ?? TraceConfiguration()
    if let condition {
      let additional = try Self.condition(condition, .condition)
      configuration.traversability.barriers =
        configuration.traversability.barriers.map { .any([$0, additional]) } ?? additional
    }
    if let filter = try filterCondition(in: network) { configuration.filter.barriers = filter }
    opened.applyDefaultFilter(to: &configuration)
    if includesIsolated { configuration.includeIsolatedFeatures = true }
    // Work on a valve or a closed pipe requires that both of its sides are shut off, so the trace
    // must not stop at the valve or pipe.
    if type == .isolation { configuration.ignoreBarriersAtStartingPoints = true }
    if let cost { configuration.shortestPathAttribute = cost }
    return UtilityTraceParameters(
      type, startingLocations: try starts.map { try references.start($0) },
      barriers: try barriers.map { try references.barrier($0) },
      filterBarriers: try filterBarriers.map { try references.barrier($0) },
      inoperable: type == .isolation
        ? try opened.inoperable + inoperable.map { try references.element($0) } : [],
      oneWayFlow: oneWay ?? .hold, domainNetwork: domain, tier: tier,
      traceConfiguration: configuration)
  }

  /// The condition for filter barriers; nil if the request has no such condition.
  ///
  /// - Throws: an error for an unknown category, which suggests similar categories, or for an
  ///   invalid condition.
  fileprivate func filterCondition(in network: UtilityNetwork) throws -> TraceCondition? {
    if let filterCategory {
      let known = network.definition.knownCategories
      guard
        let name = known.first(where: { $0 == filterCategory })
          ?? known.first(where: { $0.lowercased() == filterCategory.lowercased() })
      else {
        throw PlumbError(
          "there is no category \(filterCategory.printable)"
            + NameSuggestions.advice(filterCategory, among: known), code: .notFound)
      }
      return .category(name)
    }
    return try filter.map { try Self.condition($0, .filter) }
  }

  private static func condition(_ text: String, _ option: Setting) throws -> TraceCondition {
    do {
      return .expression(try Condition(text))
    } catch {
      throw PlumbError("\(option)", error)
    }
  }
}

extension OpenedNetwork {
  /// The parts of the network between its valves, with a request's filter and filter barriers.
  ///
  /// - Returns: the parts, and whether the request or the network defines filter barriers, which are the
  ///   valves.
  /// - Throws: an error for a name that is not in the network.
  package func segments(
    of request: Trace.Request
  ) throws -> (found: IsolationSegments, hasValves: Bool) {
    let condition = try request.filterCondition(in: network) ?? defaultFilter
    let references = ElementReference(network)
    let locations = try request.filterBarriers.map { try references.barrier($0) }
    let found = try network.segments(
      filterBarriers: condition, locations: locations, inoperable: stuckOpen)
    return (found, condition != nil || !locations.isEmpty)
  }
}
