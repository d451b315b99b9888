/// The filter barriers of an isolation trace and the isolated elements, all in element order.
public struct IsolationResult: Sendable, Hashable {
  /// The barriers to close: the smallest set of the barriers around the start that cuts off the
  /// start. This set is unique.
  public var isolating: [IsolationBarrier] = []
  /// Barriers that also bound the area but need not be operated.
  public var boundingOnly: [IsolationBarrier] = []
  /// The elements without supply if the `isolating` barriers are closed.
  public var isolated: [TracedElement] = []
  /// Elements around the start that have no supply even if no barrier is closed, because they are
  /// beyond closed valves, or because the start itself is closed. These elements are not in
  /// `isolated`.
  public var alreadyWithoutSupply: [TracedElement] = []
  /// The number of isolated elements of each asset type, in the order of the definition; devices count
  /// once.
  public var lost: [AssetTypeCount] = []
  /// One-way elements that must block flow in the other direction, so that the isolated elements
  /// remain without supply.
  public var heldBy: [IsolationHold] = []
  /// Controllers that no barrier cuts off from the start. If there are any, `isolating` and
  /// `isolated` are empty.
  public var controllersNotIsolated: [TracedElement] = []
  /// The plan that isolates the start if `controllersNotIsolated` are shut; nil if there are no
  /// such controllers.
  public var partialPlan: PartialIsolationPlan?

  /// Creates an empty result.
  public init() {}
}

/// A one-way element on which an isolation relies. If only the isolating barriers were closed, and
/// only this element permitted flow in both directions, supply from a controller would enter the
/// isolated area.
public struct IsolationHold: Sendable, Hashable {
  /// The kind of one-way element.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// An edge that permits flow in one direction, such as a check valve or a pump.
    case oneWayEdge
    /// A device with a terminal path that permits flow in one direction.
    case oneWayTerminals
  }

  /// The edge or the device.
  public var element: NetworkElement
  /// The kind of one-way element.
  public var kind: Kind

  /// Creates a one-way element on which an isolation relies.
  public init(element: NetworkElement, kind: Kind) {
    self.element = element
    self.kind = kind
  }
}

/// A plan for controllers that cannot be cut off from the start. If the barriers are closed and the
/// controllers themselves are shut, the start is isolated.
public struct PartialIsolationPlan: Sendable, Hashable {
  /// The smallest set of the barriers around the start that cuts off the start from the other
  /// controllers.
  public var isolating: [IsolationBarrier]
  /// The controllers to shut, because no barrier is between the controllers and the start.
  public var shut: [TracedElement]
  /// Barriers that also bound the area but need not be operated.
  public var boundingOnly: [IsolationBarrier]
  /// The elements that would be without supply, including the controllers. Elements that these controllers
  /// supply on the sides away from the start are not included.
  public var isolated: [TracedElement]
  /// The number of elements of each asset type that would be isolated.
  public var lost: [AssetTypeCount]

  /// Creates a plan; lists are empty unless given.
  public init(
    isolating: [IsolationBarrier] = [], shut: [TracedElement] = [],
    boundingOnly: [IsolationBarrier] = [], isolated: [TracedElement] = [],
    lost: [AssetTypeCount] = []
  ) {
    self.isolating = isolating
    self.shut = shut
    self.boundingOnly = boundingOnly
    self.isolated = isolated
    self.lost = lost
  }
}

/// A valve, or a location on an edge, that bounds an isolated area.
public struct IsolationBarrier: Sendable, Hashable {
  /// The reason why a barrier must be closed, or does not need to be closed.
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// The barrier must be closed, because a controller supplies it from outside the area.
    case suppliedFromBeyond
    /// The barrier is a subnetwork controller itself.
    case isController
    /// No controller supplies the elements beyond the barrier.
    case deadEnd
    /// The elements beyond the barrier are supplied only through the isolated area.
    case suppliedThroughArea
    /// Flow can pass the barrier only out of the area.
    case flowsAway
    /// The area is on all sides of the barrier.
    case insideArea
    /// Closing the barrier would not isolate the start, because a controller cannot be cut off.
    case notIsolated
  }

  /// The valve, at the terminal that the area reaches, or the location on an edge.
  public var location: TraceLocation
  /// The reason why the barrier must be closed, or does not need to be closed.
  public var reason: Reason
  /// The reason as one line of text.
  public var why: String

  /// Creates a barrier with the reason for its role.
  public init(location: TraceLocation, reason: Reason, why: String) {
    self.location = location
    self.reason = reason
    self.why = why
  }
}

/// The number of elements of an asset type.
public struct AssetTypeCount: Sendable, Hashable {
  /// The id of the source.
  public var sourceID: Int
  /// The code of the asset group.
  public var assetGroup: Int
  /// The code of the asset type in the group.
  public var assetType: Int
  /// The number of elements; devices count once.
  public var count: Int

  /// Creates a count.
  public init(sourceID: Int, assetGroup: Int, assetType: Int, count: Int) {
    self.sourceID = sourceID
    self.assetGroup = assetGroup
    self.assetType = assetType
    self.count = count
  }
}
