/// What an isolation trace says of its filter barriers and of what they isolate. All in element order.
public struct IsolationResult: Sendable, Hashable {
  /// What has to be closed: the one smallest set of the barriers round the start that cuts it off.
  public var isolating: [IsolationBarrier] = []
  /// What bounds the area too but need not be operated.
  public var boundingOnly: [IsolationBarrier] = []
  /// What is without supply when `isolating` is closed.
  public var isolated: [TracedElement] = []
  /// What lies round the start and had no supply before: beyond closed valves, or round a start that is
  /// closed itself. None of it is isolated.
  public var alreadyWithoutSupply: [TracedElement] = []
  /// How many elements of each asset type are isolated, in the order of the definition; devices
  /// count once.
  public var lost: [AssetTypeCount] = []
  /// One-way elements that have to hold for what is isolated to stay dead.
  public var heldBy: [IsolationHold] = []
  /// Controllers from which nothing cuts the start off: then nothing is isolating or isolated.
  public var controllersNotIsolated: [TracedElement] = []
  /// What isolates the start together with these controllers shut; nil where there are none.
  public var partialPlan: PartialIsolationPlan?

  /// A result that says nothing.
  public init() {}
}

/// A one-way element on which an isolation relies: with exactly the isolating barriers closed, and
/// this element alone open both ways, supply of a controller would come into what is isolated.
public struct IsolationHold: Sendable, Hashable {
  /// What holds.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// An edge that lets flow pass one way, such as a check valve or a pump.
    case oneWayEdge
    /// A device with a terminal path that lets flow pass one way.
    case oneWayTerminals
  }

  /// The edge or the device.
  public var element: NetworkElement
  /// What holds.
  public var kind: Kind

  /// A one-way element that has to hold.
  public init(element: NetworkElement, kind: Kind) {
    self.element = element
    self.kind = kind
  }
}

/// What can be done where controllers cannot be cut off from the start: with the barriers closed and
/// the controllers shut themselves, it is isolated.
public struct PartialIsolationPlan: Sendable, Hashable {
  /// The smallest set of the barriers round the start that cuts it off from the other controllers.
  public var isolating: [IsolationBarrier]
  /// The controllers to shut: no barrier lies between them and the start.
  public var shut: [TracedElement]
  /// What bounds the area too but need not be operated then.
  public var boundingOnly: [IsolationBarrier]
  /// What would be without supply, the controllers themselves among it; what else they supply on
  /// their sides away from the start is not looked at.
  public var isolated: [TracedElement]
  /// How many elements of each asset type would be isolated.
  public var lost: [AssetTypeCount]

  /// A plan; empty lists, unless given.
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
  /// Why a barrier is to be closed, or need not be.
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// A controller supplies it from beyond: it has to be closed.
    case suppliedFromBeyond
    /// It is a subnetwork controller itself.
    case isController
    /// No controller supplies what lies beyond it.
    case deadEnd
    /// What lies beyond is supplied through the isolated area alone.
    case suppliedThroughArea
    /// Flow passes it out of the area only.
    case flowsAway
    /// The area has it on all its sides.
    case insideArea
    /// A controller cannot be cut off, so closing it would not isolate the start.
    case notIsolated
  }

  /// The valve at the terminal that the area reaches, or the location on an edge.
  public var location: TraceLocation
  /// Why it is to be closed, or need not be.
  public var reason: Reason
  /// The reason in words, one line.
  public var why: String

  /// A barrier with the reason for its part.
  public init(location: TraceLocation, reason: Reason, why: String) {
    self.location = location
    self.reason = reason
    self.why = why
  }
}

/// How many elements of an asset type there are.
public struct AssetTypeCount: Sendable, Hashable {
  /// The id of the source.
  public var sourceID: Int
  /// The code of the asset group.
  public var assetGroup: Int
  /// The code of the asset type in the group.
  public var assetType: Int
  /// How many elements there are; devices count once.
  public var count: Int

  /// So many elements of an asset type.
  public init(sourceID: Int, assetGroup: Int, assetType: Int, count: Int) {
    self.sourceID = sourceID
    self.assetGroup = assetGroup
    self.assetType = assetType
    self.count = count
  }
}
