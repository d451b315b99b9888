/// A utility network's definition in Esri's terms, as returned by `FeatureServer/queryDataElements`.
package struct UtilityNetworkDataElement: Sendable, Hashable {
  package var domainNetworks: [DomainNetwork]
  package var networkAttributes: [NetworkAttribute]
  /// The names of the network's categories.
  package var categories: [String]
  package var terminalConfigurations: [TerminalConfiguration]
  /// The id of the network source of associations, in networks in which associations are elements.
  var associationSourceID: Int?
  /// The id of the network source of system junctions, which the network creates where lines meet without a
  /// junction feature.
  var systemJunctionSourceID: Int?

  // MARK: Domain networks

  package enum TierDefinition: String, Sendable, CaseIterable {
    case partitioned = "Partitioned"
    case hierarchical = "Hierarchical"
    /// The type of a structure network.
    case none = "None"
  }

  package enum SubnetworkControllerType: String, Sendable, CaseIterable {
    case source = "Source"
    case sink = "Sink"
  }

  package struct DomainNetwork: Sendable, Hashable {
    package var id: Int
    package var name: String
    /// Whether the domain network contains structures such as poles and ducts, which carry other networks.
    package var isStructureNetwork: Bool
    package var tierDefinition: TierDefinition
    /// The type of subnetwork controllers; nil in a structure network.
    package var subnetworkControllerType: SubnetworkControllerType?
    package var tiers: [Tier]
    package var junctionSources: [NetworkSource]
    package var edgeSources: [NetworkSource]
  }

  package enum TierTopology: String, Sendable, CaseIterable {
    case radial = "Radial"
    case mesh = "Mesh"
  }

  package struct Tier: Sendable, Hashable {
    package var id: Int
    package var name: String
    /// The rank of the tier. The tier with rank 1 is nearest to the sources.
    package var rank: Int
    package var topology: TierTopology
    package var groupName: String?
    /// The name of the field that contains the names of a feature's subnetworks.
    var subnetworkFieldName: String?
    /// Whether the controllers of one subnetwork may be in parts of the network that are not connected.
    var supportsDisjointSubnetworks: Bool
    package var validSubnetworkControllers: [AssetCode]
    var validDevices: [AssetCode]
    var validLines: [AssetCode]
    var validJunctions: [AssetCode]
    /// The default configuration of traces in the tier.
    package var updateSubnetworkTraceConfiguration: UtilityTraceConfiguration?
  }

  /// An asset type within a network source. The context determines the source.
  package struct AssetCode: Sendable, Hashable {
    package var assetGroupCode: Int
    package var assetTypeCode: Int
  }

  // MARK: Sources

  package enum UsageType: String, Sendable, CaseIterable {
    case device = "Device"
    case junction = "Junction"
    case line = "Line"
    case assembly = "Assembly"
    case subnetLine = "SubnetLine"
    case structureJunction = "StructureJunction"
    case structureLine = "StructureLine"
    case structureBoundary = "StructureBoundary"
    case junctionObject = "JunctionObject"
    case edgeObject = "EdgeObject"
    case structureJunctionObject = "StructureJunctionObject"
    case structureEdgeObject = "StructureEdgeObject"
  }

  package struct NetworkSource: Sendable, Hashable {
    package var id: Int
    package var layerID: Int?
    package var name: String?
    package var usageType: UsageType
    /// The field name, such as `ASSETTYPE`.
    var assetTypeFieldName: String?
    package var assetGroups: [AssetGroup]
  }

  package struct AssetGroup: Sendable, Hashable {
    package var code: Int
    package var name: String
    package var assetTypes: [AssetType]
  }

  package enum ConnectivityPolicy: String, Sendable, CaseIterable {
    /// Lines connect only at their ends.
    case endVertex = "EndVertex"
    /// Lines connect at every vertex.
    case anyVertex = "AnyVertex"
  }

  enum AssociationRole: String, Sendable, CaseIterable {
    case none = "None"
    case container = "Container"
    case structure = "Structure"
  }

  package struct AssetType: Sendable, Hashable {
    package var code: Int
    package var name: String
    /// The id of the terminal configuration; nil if the type has no distinct terminals.
    package var terminalConfigurationID: Int?
    package var categories: [String]
    /// The connectivity policy; nil if it is not specified.
    package var connectivityPolicy: ConnectivityPolicy?
    var associationRole: AssociationRole
  }

  // MARK: Network attributes

  package struct NetworkAttribute: Sendable, Hashable {
    package var id: Int
    package var name: String
    /// Esri's name of the type, such as `esriNADTInteger`.
    package var dataType: String?
    /// Whether the value for a part of an edge is proportional to the length of the part.
    package var isApportionable: Bool
    var domainName: String?
    /// The attribute that this attribute replaces during propagation.
    var attributeToSubstitute: String?
    package var assignments: [Assignment]
  }

  /// The source of an attribute's values.
  package struct Assignment: Sendable, Hashable {
    package var networkSourceID: Int
    package var fieldName: String?
  }

  // MARK: Terminals

  package enum TraversabilityModel: String, Sendable, CaseIterable {
    case bidirectional = "Bidirectional"
    case directional = "Directional"
  }

  package struct TerminalConfiguration: Sendable, Hashable {
    package var id: Int
    package var name: String
    package var traversabilityModel: TraversabilityModel
    package var terminals: [Terminal]
    package var validConfigurationPaths: [ConfigurationPath]
    /// The name of one of the paths, or `All` or `None`.
    package var defaultConfiguration: String?
  }

  package struct Terminal: Sendable, Hashable {
    package var id: Int
    package var name: String
    package var isUpstreamTerminal: Bool
  }

  /// The terminals that a device connects in one position.
  package struct ConfigurationPath: Sendable, Hashable {
    package var id: Int
    package var name: String
    /// `All`, `None`, or pairs of terminal names.
    package var description: String?
    package var terminalPaths: [TerminalPath]

    /// Whether all terminals are connected to each other. In this case, services do not list any
    /// pairs.
    package var joinsAll: Bool {
      terminalPaths.isEmpty && (description ?? name).lowercased() == "all"
    }
  }

  package struct TerminalPath: Sendable, Hashable {
    package var fromTerminalID: Int
    package var toTerminalID: Int
  }
}
