/// What a trace looks for.
public enum TraceType: String, Sendable, Hashable, CaseIterable {
  /// All that is connected; all of a subnetwork; its controllers; what supplies the start; what the
  /// start supplies; the elements that lie on loops; the way of the least sum between two starts.
  case connected, subnetwork, subnetworkControllers, upstream, downstream, loops, shortestPath
  /// The filter barriers to close to cut the start off from all controllers.
  case isolation
}

/// What elements are taken for that let flow pass one way only: check valves, pumps, regulators and
/// devices with directional terminal paths.
public enum OneWayFlow: String, Sendable, Hashable, CaseIterable {
  /// They let flow pass the way they permit, and hold against the other.
  case hold
  /// They are open both ways, as where nobody trusts them to hold.
  case open
}

/// What to trace, from where and how.
public struct UtilityTraceParameters: Sendable, Hashable {
  /// What the trace looks for.
  public var traceType: TraceType
  /// One or more; two for the shortest path.
  public var startingLocations: [TraceLocation]
  /// Where traversal stops, also on the way to controllers.
  public var barriers: [TraceLocation]
  /// Where only the second pass stops.
  public var filterBarriers: [TraceLocation]
  /// Isolation: valves that cannot be operated, by element: they are not a filter barriers.
  public var inoperable: [NetworkElement]
  /// Whether one-way elements hold. Connected traces and shortest paths pass them either way.
  public var oneWayFlow: OneWayFlow
  /// By name. Nil where the network has one domain network with tiers, and for connected traces.
  public var domainNetwork: String?
  /// By name. Nil where the domain network has one tier, and for connected traces.
  public var tier: String?
  /// The tier up to which the trace runs, by name: its controllers count, and its configuration is
  /// the default. Nil for `tier`.
  public var targetTier: String?
  /// Nil for the tier's own, or the plain one where it has none.
  public var traceConfiguration: TraceConfiguration?
  /// Whether the result has the shapes of its elements.
  public var returnsGeometry: Bool

  /// A trace with the tier's own configuration and without barriers, unless given.
  public init(
    _ traceType: TraceType, startingLocations: [TraceLocation], barriers: [TraceLocation] = [],
    filterBarriers: [TraceLocation] = [], inoperable: [NetworkElement] = [],
    oneWayFlow: OneWayFlow = .hold, domainNetwork: String? = nil, tier: String? = nil,
    targetTier: String? = nil,
    traceConfiguration: TraceConfiguration? = nil, returnsGeometry: Bool = false
  ) {
    self.traceType = traceType
    self.startingLocations = startingLocations
    self.barriers = barriers
    self.filterBarriers = filterBarriers
    self.inoperable = inoperable
    self.oneWayFlow = oneWayFlow
    self.domainNetwork = domainNetwork
    self.tier = tier
    self.targetTier = targetTier
    self.traceConfiguration = traceConfiguration
    self.returnsGeometry = returnsGeometry
  }
}

/// A feature of a network: its number there, of no meaning outside it.
public struct NetworkElement: Sendable, Hashable {
  package let index: UInt32

  package init(index: UInt32) { self.index = index }
}

/// A point in a network.
public struct TraceLocation: Sendable, Hashable {
  /// The feature.
  public var element: NetworkElement
  /// The terminal of a device. A start at a device with several terminals needs one; a barrier
  /// without one is at all of them.
  public var terminalID: Int?
  /// Where along an edge, 0…1 from its first vertex; nil is the middle of an edge for a start, and
  /// the whole edge for a barrier.
  public var fractionAlongEdge: Double?

  /// A location at a feature: at a terminal of a device, or along an edge, where it is said.
  public init(
    _ element: NetworkElement, terminalID: Int? = nil, fractionAlongEdge: Double? = nil
  ) {
    self.element = element
    self.terminalID = terminalID
    self.fractionAlongEdge = fractionAlongEdge
  }
}
