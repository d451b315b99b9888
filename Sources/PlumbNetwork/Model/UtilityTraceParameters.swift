/// The type of a trace.
public enum TraceType: String, Sendable, Hashable, CaseIterable {
  /// Everything connected; everything in a subnetwork; its controllers; the elements that supply the
  /// start; the elements that the start supplies; the elements on loops; the path with the least sum
  /// between two starts.
  case connected, subnetwork, subnetworkControllers, upstream, downstream, loops, shortestPath
  /// The filter barriers to close to cut the start off from all controllers.
  case isolation
}

/// The treatment of elements that permit flow in only one direction: check valves, pumps, regulators
/// and devices with directional terminal paths.
public enum OneWayFlow: String, Sendable, Hashable, CaseIterable {
  /// They permit flow in their direction and hold against the other.
  case hold
  /// They are open in both directions, for when they are not trusted to hold.
  case open
}

/// The parameters of a trace.
public struct UtilityTraceParameters: Sendable, Hashable {
  /// The type of the trace.
  public var traceType: TraceType
  /// One or more; two for the shortest path.
  public var startingLocations: [TraceLocation]
  /// Barriers of the whole traversal, including the search for controllers.
  public var barriers: [TraceLocation]
  /// Barriers of the second pass only.
  public var filterBarriers: [TraceLocation]
  /// For isolation traces: valves that cannot be operated, by element; they are not filter barriers.
  public var inoperable: [NetworkElement]
  /// Whether one-way elements hold. Connected traces and shortest paths pass them in both directions.
  public var oneWayFlow: OneWayFlow
  /// The name. nil if only one domain network has tiers, and for connected traces.
  public var domainNetwork: String?
  /// The name. nil if the domain network has only one tier, and for connected traces.
  public var tier: String?
  /// The name of the tier up to which the trace runs: its controllers count, and its configuration is
  /// the default. nil for `tier`.
  public var targetTier: String?
  /// nil for the tier's configuration, or the default one if the tier has none.
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

/// A feature of a network, as its number in that network; it is meaningless outside it.
public struct NetworkElement: Sendable, Hashable {
  package let index: UInt32

  package init(index: UInt32) { self.index = index }
}

/// A point in a network.
public struct TraceLocation: Sendable, Hashable {
  /// The feature.
  public var element: NetworkElement
  /// The terminal of a device. Required for a start at a device with several terminals; a barrier
  /// without one is at all of them.
  public var terminalID: Int?
  /// The position along an edge, 0…1 from its first vertex; nil is the middle of the edge for a start
  /// and the whole edge for a barrier.
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
