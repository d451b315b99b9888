/// A utility network's definition, in Esri's words: what `FeatureServer/queryDataElements` returns.
public struct UtilityNetworkDataElement: Sendable, Hashable {
  public var domainNetworks: [DomainNetwork]
  public var networkAttributes: [NetworkAttribute]
  /// Names of the network's categories.
  public var categories: [String]
  public var terminalConfigurations: [TerminalConfiguration]
  /// The source that associations count as, where they are elements.
  public var associationSourceID: Int?
  /// The source of junctions that the network makes itself, where lines meet without a feature.
  public var systemJunctionSourceID: Int?

  // MARK: Domain networks

  public enum TierDefinition: String, Sendable, CaseIterable {
    case partitioned = "Partitioned"
    case hierarchical = "Hierarchical"
    /// A structure network's.
    case none = "None"
  }

  public enum SubnetworkControllerType: String, Sendable, CaseIterable {
    case source = "Source"
    case sink = "Sink"
  }

  public struct DomainNetwork: Sendable, Hashable {
    public var id: Int
    public var name: String
    /// Whether it holds poles, ducts and the like, which carry other networks.
    public var isStructureNetwork: Bool
    public var tierDefinition: TierDefinition
    /// Nil in a structure network.
    public var subnetworkControllerType: SubnetworkControllerType?
    public var tiers: [Tier]
    public var junctionSources: [NetworkSource]
    public var edgeSources: [NetworkSource]
  }

  public enum TierTopology: String, Sendable, CaseIterable {
    case radial = "Radial"
    case mesh = "Mesh"
  }

  public struct Tier: Sendable, Hashable {
    public var id: Int
    public var name: String
    /// 1 is nearest to the sources.
    public var rank: Int
    public var topology: TierTopology
    public var groupName: String?
    /// The field that holds the names of a feature's subnetworks.
    public var subnetworkFieldName: String?
    /// Whether controllers of one subnetwork need not be connected.
    public var supportsDisjointSubnetworks: Bool
    public var validSubnetworkControllers: [AssetCode]
    public var validDevices: [AssetCode]
    public var validLines: [AssetCode]
    public var validJunctions: [AssetCode]
    /// The default of traces within the tier.
    public var updateSubnetworkTraceConfiguration: UtilityTraceConfiguration?
  }

  /// An asset type within a source that is known otherwise.
  public struct AssetCode: Sendable, Hashable {
    public var assetGroupCode: Int
    public var assetTypeCode: Int
  }

  // MARK: Sources

  public enum UsageType: String, Sendable, CaseIterable {
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

  public struct NetworkSource: Sendable, Hashable {
    public var id: Int
    public var layerID: Int?
    public var name: String?
    public var usageType: UsageType
    /// Such as `ASSETTYPE`.
    public var assetTypeFieldName: String?
    public var assetGroups: [AssetGroup]
  }

  public struct AssetGroup: Sendable, Hashable {
    public var code: Int
    public var name: String
    public var assetTypes: [AssetType]
  }

  public enum ConnectivityPolicy: String, Sendable, CaseIterable {
    /// Lines connect at their ends only.
    case endVertex = "EndVertex"
    /// Lines connect at every vertex.
    case anyVertex = "AnyVertex"
  }

  public enum AssociationRole: String, Sendable, CaseIterable {
    case none = "None"
    case container = "Container"
    case structure = "Structure"
  }

  public struct AssetType: Sendable, Hashable {
    public var code: Int
    public var name: String
    /// Nil where the type has no terminals to tell apart.
    public var terminalConfigurationID: Int?
    public var categories: [String]
    /// Nil where it is not said.
    public var connectivityPolicy: ConnectivityPolicy?
    public var associationRole: AssociationRole
  }

  // MARK: Network attributes

  public struct NetworkAttribute: Sendable, Hashable {
    public var id: Int
    public var name: String
    /// Esri's name of the type, such as `esriNADTInteger`.
    public var dataType: String?
    /// Whether a part of an edge has its share of the value.
    public var isApportionable: Bool
    public var domainName: String?
    /// The attribute that this one stands in for while it is propagated.
    public var attributeToSubstitute: String?
    public var assignments: [Assignment]
  }

  /// Where an attribute's values come from.
  public struct Assignment: Sendable, Hashable {
    public var networkSourceID: Int
    public var fieldName: String?
  }

  // MARK: Terminals

  public enum TraversabilityModel: String, Sendable, CaseIterable {
    case bidirectional = "Bidirectional"
    case directional = "Directional"
  }

  public struct TerminalConfiguration: Sendable, Hashable {
    public var id: Int
    public var name: String
    public var traversabilityModel: TraversabilityModel
    public var terminals: [Terminal]
    public var validConfigurationPaths: [ConfigurationPath]
    /// The name of one of the paths, or `All` or `None`.
    public var defaultConfiguration: String?
  }

  public struct Terminal: Sendable, Hashable {
    public var id: Int
    public var name: String
    public var isUpstreamTerminal: Bool
  }

  /// Terminals that a device joins while it is in one position.
  public struct ConfigurationPath: Sendable, Hashable {
    public var id: Int
    public var name: String
    /// `All`, `None`, or pairs of terminals' names.
    public var description: String?
    public var terminalPaths: [TerminalPath]

    /// Whether every terminal is joined with every other; services then list no pairs.
    public var joinsAll: Bool {
      terminalPaths.isEmpty && (description ?? name).lowercased() == "all"
    }
  }

  public struct TerminalPath: Sendable, Hashable {
    public var fromTerminalID: Int
    public var toTerminalID: Int
  }
}
