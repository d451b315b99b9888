import PlumbCore

/// A feature by what the data call it.
public struct ElementName: Sendable, Hashable {
  /// The id of the source that the feature is of.
  public var sourceID: Int
  /// The feature's id, unique in its source.
  public var globalID: String

  /// The name of a feature.
  public init(sourceID: Int, globalID: String) {
    self.sourceID = sourceID
    self.globalID = globalID
  }
}

/// A feature that is a junction in the graph: a device, a junction, an assembly.
public struct NetworkJunction: Sendable {
  /// The id of its source in the definition.
  public var sourceID: Int
  /// Unique in its source.
  public var globalID: String
  /// What the source's layer calls it; nil where it is not known.
  public var objectID: Int64?
  /// The code of its asset group.
  public var assetGroup: Int
  /// The code of its asset type in the group.
  public var assetType: Int
  /// Nil for one without a shape, such as an object; it takes no part in coincidence.
  public var point: SIMD2<Double>?
  /// Values of the definition's network attributes, in their order; missing ones are null.
  public var attributes: [FieldValue]
  /// The current valid path by name; nil for the default of the terminal configuration.
  public var terminalPath: String?
  /// Where subnetworks begin or end at it; empty for most.
  public var controllers: [SubnetworkController]

  /// A junction without terminal path and controllers, unless given.
  public init(
    sourceID: Int, globalID: String, objectID: Int64? = nil, assetGroup: Int, assetType: Int,
    point: SIMD2<Double>?, attributes: [FieldValue] = [], terminalPath: String? = nil,
    controllers: [SubnetworkController] = []
  ) {
    self.sourceID = sourceID
    self.globalID = globalID
    self.objectID = objectID
    self.assetGroup = assetGroup
    self.assetType = assetType
    self.point = point
    self.attributes = attributes
    self.terminalPath = terminalPath
    self.controllers = controllers
  }
}

/// That a device is where subnetworks of a tier begin (sources) or end (sinks).
public struct SubnetworkController: Sendable, Hashable {
  /// The id of the domain network.
  public var domainNetworkID: Int
  /// The id of the tier in the domain network.
  public var tierID: Int
  /// Needed where the device has several terminals.
  public var terminalID: Int?
  /// Empty for an unnamed subnetwork, which goes with any other.
  public var subnetworkNames: [String]

  /// A controller of a tier, at one terminal of its device.
  public init(
    domainNetworkID: Int, tierID: Int, terminalID: Int? = nil, subnetworkNames: [String] = []
  ) {
    self.domainNetworkID = domainNetworkID
    self.tierID = tierID
    self.terminalID = terminalID
    self.subnetworkNames = subnetworkNames
  }
}

/// A feature that is an edge in the graph: a pipe, a cable.
public struct NetworkEdge: Sendable {
  /// The id of its source in the definition.
  public var sourceID: Int
  /// Unique in its source.
  public var globalID: String
  /// What the source's layer calls it; nil where it is not known.
  public var objectID: Int64?
  /// The code of its asset group.
  public var assetGroup: Int
  /// The code of its asset type in the group.
  public var assetType: Int
  /// None for an edge without a shape, else two or more. They may all be one point.
  public var vertices: [SIMD2<Double>]
  /// Values of the definition's network attributes, in their order; missing ones are null.
  public var attributes: [FieldValue]
  /// What its first vertex connects to.
  public var from: EdgeEnd
  /// What its last vertex connects to.
  public var to: EdgeEnd
  /// Which ways it lets flow pass.
  public var flow: EdgeFlow

  /// An edge that connects by coincidence and lets flow pass both ways, unless said otherwise.
  public init(
    sourceID: Int, globalID: String, objectID: Int64? = nil, assetGroup: Int, assetType: Int,
    vertices: [SIMD2<Double>], attributes: [FieldValue] = [], from: EdgeEnd = EdgeEnd(),
    to: EdgeEnd = EdgeEnd(), flow: EdgeFlow = .bothWays
  ) {
    self.sourceID = sourceID
    self.globalID = globalID
    self.objectID = objectID
    self.assetGroup = assetGroup
    self.assetType = assetType
    self.vertices = vertices
    self.attributes = attributes
    self.from = from
    self.to = to
    self.flow = flow
  }
}

/// What an end of an edge connects to.
public struct EdgeEnd: Sendable, Hashable {
  /// Nil for the junction that is there, by coincidence.
  public var junction: ElementName?
  /// Needed where the junction has several terminals.
  public var terminalID: Int?

  /// An end at a junction, or, without one, at whatever junction is there.
  public init(_ junction: ElementName? = nil, terminalID: Int? = nil) {
    self.junction = junction
    self.terminalID = terminalID
  }
}

/// Which ways an edge lets flow pass, seen from its first vertex. Closed edges are conditions.
public enum EdgeFlow: UInt8, Sendable, Hashable {
  /// Either way.
  case bothWays = 3
  /// From the first vertex to the last alone.
  case forward = 1
  /// From the last vertex to the first alone.
  case backward = 2
}

/// A connection that is not by point.
public enum NetworkAssociation: Sendable, Hashable {
  /// Two junctions, or a junction and an edge.
  case connectivity(AssociationEnd, AssociationEnd)
  /// A feature that lies in another, such as a valve in a vault; nothing flows through it.
  case containment(container: ElementName, content: ElementName)
  /// A feature that a structure carries, such as a line on a pole; nothing flows through it.
  case structuralAttachment(structure: ElementName, attached: ElementName)
}

/// One side of a connectivity association.
public struct AssociationEnd: Sendable, Hashable {
  /// The feature that is connected.
  public var element: ElementName
  /// Needed where a junction has several terminals.
  public var terminalID: Int?
  /// Edges: 0 and 1 are the ends, between them is mid-span.
  public var percentAlong: Double?

  /// An end of an association, at a terminal of a device or along an edge where it is said.
  public init(_ element: ElementName, terminalID: Int? = nil, percentAlong: Double? = nil) {
    self.element = element
    self.terminalID = terminalID
    self.percentAlong = percentAlong
  }
}
