/// The type of a trace.
public enum TraceType: String, Sendable, Hashable, CaseIterable {
  /// In this order: all connected elements, all elements of a subnetwork, the controllers of a
  /// subnetwork, the elements that supply the start, the elements that the start supplies, the
  /// elements on loops, and the path between two starts with the least sum of a network attribute.
  case connected, subnetwork, subnetworkControllers, upstream, downstream, loops, shortestPath
  /// The filter barriers that have to be closed to cut the start off from all controllers.
  case isolation
}

/// The treatment of elements that permit flow in only one direction: check valves, pumps, regulators
/// and devices with directional terminal paths.
public enum OneWayFlow: String, Sendable, Hashable, CaseIterable {
  /// One-way elements permit flow in their direction and block flow in the other direction.
  case hold
  /// One-way elements are treated as open in both directions, in case they fail to block flow.
  case open
}

/// The parameters of a trace.
public struct UtilityTraceParameters: Sendable, Hashable {
  /// The type of the trace.
  public var traceType: TraceType
  /// The starting locations: one or more; two for the shortest path.
  public var startingLocations: [TraceLocation]
  /// The barriers of the whole traversal, including the search for controllers.
  public var barriers: [TraceLocation]
  /// The filter barriers, which the search for controllers ignores.
  public var filterBarriers: [TraceLocation]
  /// For isolation traces: the valves that cannot be operated, and are therefore not filter
  /// barriers.
  public var inoperable: [NetworkElement]
  /// Whether one-way elements block flow in the other direction. Connected traces and shortest
  /// paths pass one-way elements in both directions.
  public var oneWayFlow: OneWayFlow
  /// The name of the domain network; nil if only one domain network has tiers, and for connected traces.
  public var domainNetwork: String?
  /// The name of the tier; nil if the domain network has only one tier, and for connected traces.
  public var tier: String?
  /// The name of the tier up to which the trace runs: the trace uses the controllers of this tier and, by
  /// default, its configuration; nil for `tier`.
  public var targetTier: String?
  /// The configuration; nil for the tier's configuration, or for `TraceConfiguration()` if the tier has none.
  public var traceConfiguration: TraceConfiguration?
  /// Whether the result includes the shapes of its elements.
  public var returnsGeometry: Bool

  /// Creates parameters; by default with the tier's configuration and without barriers.
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

/// A feature of a network, represented by its number, which is valid only in that network.
public struct NetworkElement: Sendable, Hashable {
  package let index: UInt32

  package init(index: UInt32) { self.index = index }
}

/// A point in a network.
public struct TraceLocation: Sendable, Hashable {
  /// The feature.
  public var element: NetworkElement
  /// The terminal of a device. It is required for a start at a device with several terminals; a barrier
  /// without a terminal is at all terminals.
  public var terminalID: Int?
  /// The position along an edge, from 0 at its first vertex to 1; nil for the middle of the edge
  /// for a start, and for the whole edge for a barrier.
  public var fractionAlongEdge: Double?

  /// Creates a location at a feature, optionally at a terminal of a device or along an edge.
  public init(
    _ element: NetworkElement, terminalID: Int? = nil, fractionAlongEdge: Double? = nil
  ) {
    self.element = element
    self.terminalID = terminalID
    self.fractionAlongEdge = fractionAlongEdge
  }
}
