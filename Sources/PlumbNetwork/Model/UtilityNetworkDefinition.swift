/// The structure of a utility network: its domains, tiers, sources, attributes and terminals, without
/// its features.
public struct UtilityNetworkDefinition: Sendable, Hashable {
  /// The networks of the utilities and, if there is one, the structure network.
  public var domainNetworks: [DomainNetwork]
  /// The feature attributes that traces use; the values of each feature are in this order.
  public var networkAttributes: [NetworkAttribute]
  /// The names of all categories. Categories of the asset types may be omitted.
  public var categories: [String]
  /// The terminal configurations that asset types refer to by id.
  public var terminalConfigurations: [TerminalConfiguration]

  /// Creates a definition, which is validated when a network is built.
  public init(
    domainNetworks: [DomainNetwork], networkAttributes: [NetworkAttribute] = [],
    categories: [String] = [], terminalConfigurations: [TerminalConfiguration] = []
  ) {
    self.domainNetworks = domainNetworks
    self.networkAttributes = networkAttributes
    self.categories = categories
    self.terminalConfigurations = terminalConfigurations
  }
}

/// The network of one utility, or of the structures that carry other networks.
public struct DomainNetwork: Sendable, Hashable {
  /// The relation between the tiers of a domain network.
  public enum TierDefinition: String, Sendable, Hashable {
    /// A feature belongs to one tier: traversal stops at every controller.
    case partitioned
    /// A feature may belong to several tiers: traversal stops only at controllers of the traced tier.
    case hierarchical
  }

  /// Whether controllers are the origin or the destination of the commodity, such as water.
  public enum ControllerType: String, Sendable, Hashable {
    /// `source` for the origin of the commodity, `sink` for its destination.
    case source, sink
  }

  /// The id, unique in the definition.
  public var id: Int
  /// The name in traces and for display.
  public var name: String
  /// Whether the features carry other networks, as poles and ducts do.
  public var isStructureNetwork: Bool
  /// The relation between the tiers.
  public var tierDefinition: TierDefinition
  /// The direction of flow between controllers and customers.
  public var controllerType: ControllerType
  /// The levels of the network; empty for a structure network.
  public var tiers: [Tier]
  /// The classes of the network's features.
  public var sources: [NetworkSource]

  /// Creates a domain network; controllers are sources by default.
  public init(
    id: Int, name: String, isStructureNetwork: Bool = false,
    tierDefinition: TierDefinition = .partitioned, controllerType: ControllerType = .source,
    tiers: [Tier] = [], sources: [NetworkSource] = []
  ) {
    self.id = id
    self.name = name
    self.isStructureNetwork = isStructureNetwork
    self.tierDefinition = tierDefinition
    self.controllerType = controllerType
    self.tiers = tiers
    self.sources = sources
  }
}

/// A level of a domain network, such as transmission or distribution.
public struct Tier: Sendable, Hashable {
  /// The topology of a tier's subnetworks. Traces ignore the topology and detect loops themselves.
  public enum Topology: String, Sendable, Hashable {
    /// A `radial` subnetwork has no loops and one controller. A `mesh` subnetwork has loops or
    /// several controllers.
    case radial, mesh
  }

  /// The id, unique in its domain network.
  public var id: Int
  /// The name in traces and for display.
  public var name: String
  /// The rank of the tier in the source document; traces ignore the rank.
  public var rank: Int
  /// The topology of the tier's subnetworks, for information only.
  public var topology: Topology
  /// The default configuration for traces of the tier; nil for none.
  public var traceConfiguration: TraceConfiguration?

  /// Creates a tier; without a trace configuration by default.
  public init(
    id: Int, name: String, rank: Int = 1, topology: Topology = .radial,
    traceConfiguration: TraceConfiguration? = nil
  ) {
    self.id = id
    self.name = name
    self.rank = rank
    self.topology = topology
    self.traceConfiguration = traceConfiguration
  }
}
