import PlumbCore

/// The identity of a feature in the data.
public struct ElementName: Sendable, Hashable {
  /// The id of the feature's source.
  public var sourceID: Int
  /// The feature's id, unique in its source.
  public var globalID: String

  /// Creates the name of a feature.
  public init(sourceID: Int, globalID: String) {
    self.sourceID = sourceID
    self.globalID = globalID
  }
}

/// A feature that is a junction in the graph: a device, a junction or an assembly.
public struct NetworkJunction: Sendable {
  /// The id of the feature's source in the definition.
  public var sourceID: Int
  /// The feature's id, unique in its source.
  public var globalID: String
  /// The feature's object id in the source's layer; nil if unknown.
  public var objectID: Int64?
  /// The code of the asset group.
  public var assetGroup: Int
  /// The code of the asset type in the group.
  public var assetType: Int
  /// The location; nil for a junction without a shape, such as a junction object. Such a junction does not
  /// connect by location.
  public var point: SIMD2<Double>?
  /// The values of the definition's network attributes, in their order; missing values are null.
  public var attributes: [FieldValue]
  /// The name of the current valid path; nil for the default of the terminal configuration.
  public var terminalPath: String?
  /// The subnetworks that begin or end at the junction; empty for most junctions.
  public var controllers: [SubnetworkController]

  /// Creates a junction; without a terminal path or controllers by default.
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

/// Defines a device as the beginning (source) or end (sink) of subnetworks of a tier.
public struct SubnetworkController: Sendable, Hashable {
  /// The id of the domain network.
  public var domainNetworkID: Int
  /// The id of the tier in the domain network.
  public var tierID: Int
  /// The id of the terminal; required if the device has several terminals.
  public var terminalID: Int?
  /// The names of the subnetworks; empty for an unnamed subnetwork, which is compatible with any other.
  public var subnetworkNames: [String]

  /// Creates a controller of a tier at one terminal of its device.
  public init(
    domainNetworkID: Int, tierID: Int, terminalID: Int? = nil, subnetworkNames: [String] = []
  ) {
    self.domainNetworkID = domainNetworkID
    self.tierID = tierID
    self.terminalID = terminalID
    self.subnetworkNames = subnetworkNames
  }
}

/// A feature that is an edge in the graph, such as a pipe or a cable.
public struct NetworkEdge: Sendable {
  /// The id of the feature's source in the definition.
  public var sourceID: Int
  /// The feature's id, unique in its source.
  public var globalID: String
  /// The feature's object id in the source's layer; nil if unknown.
  public var objectID: Int64?
  /// The code of the asset group.
  public var assetGroup: Int
  /// The code of the asset type in the group.
  public var assetType: Int
  /// The vertices: none for an edge without a shape, otherwise two or more, which may all be at the same
  /// point.
  public var vertices: [SIMD2<Double>]
  /// The values of the definition's network attributes, in their order; missing values are null.
  public var attributes: [FieldValue]
  /// The connection of the first vertex.
  public var from: EdgeEnd
  /// The connection of the last vertex.
  public var to: EdgeEnd
  /// The permitted directions of flow.
  public var flow: EdgeFlow

  /// Creates an edge. By default, the edge connects by location and permits flow in both
  /// directions.
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

/// The connection of an end of an edge.
public struct EdgeEnd: Sendable, Hashable {
  /// The junction to which the end connects; nil for the junction at the same location.
  public var junction: ElementName?
  /// The id of the terminal; required if the junction has several terminals.
  public var terminalID: Int?

  /// Creates an end that connects to the given junction or, if `junction` is nil, to the junction
  /// at the same location.
  public init(_ junction: ElementName? = nil, terminalID: Int? = nil) {
    self.junction = junction
    self.terminalID = terminalID
  }
}

/// The permitted directions of flow of an edge, relative to its first vertex. Closed edges are modelled
/// by conditions.
public enum EdgeFlow: UInt8, Sendable, Hashable {
  /// Both directions.
  case bothWays = 3
  /// Only from the first vertex to the last.
  case forward = 1
  /// Only from the last vertex to the first.
  case backward = 2
}

/// A relation of two features that does not depend on their locations.
public enum NetworkAssociation: Sendable, Hashable {
  /// A connection between two junctions, or between a junction and an edge.
  case connectivity(AssociationEnd, AssociationEnd)
  /// A feature inside another feature, such as a valve in a vault. Containment does not conduct
  /// flow.
  case containment(container: ElementName, content: ElementName)
  /// A feature attached to a structure, such as a line on a pole. Attachment does not conduct flow.
  case structuralAttachment(structure: ElementName, attached: ElementName)
}

/// One side of a connectivity association.
public struct AssociationEnd: Sendable, Hashable {
  /// The connected feature.
  public var element: ElementName
  /// The id of the terminal; required for a junction with several terminals.
  public var terminalID: Int?
  /// The position along an edge, as a fraction: 0 and 1 are the ends, and values between them are mid-span.
  public var percentAlong: Double?

  /// Creates an end of an association, optionally at a terminal of a device or along an edge.
  public init(_ element: ElementName, terminalID: Int? = nil, percentAlong: Double? = nil) {
    self.element = element
    self.terminalID = terminalID
    self.percentAlong = percentAlong
  }
}
