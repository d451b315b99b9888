/// What a utility network is made of: its domains, tiers, sources, attributes and terminals, but not
/// its features.
public struct UtilityNetworkDefinition: Sendable, Hashable {
  public var domainNetworks: [DomainNetwork]
  public var networkAttributes: [NetworkAttribute]
  /// Names of all categories. Those that only asset types name need not stand here.
  public var categories: [String]
  public var terminalConfigurations: [TerminalConfiguration]

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

/// A network of one utility, or the structures that carry others.
public struct DomainNetwork: Sendable, Hashable {
  /// How tiers lie in one another.
  public enum TierDefinition: String, Sendable, Hashable {
    /// A feature belongs to one tier: traversal stops at any controller.
    case partitioned
    /// A feature may belong to several: traversal stops at controllers of the traced tier only.
    case hierarchical
  }

  /// Whether controllers are where the commodity comes from or where it goes to.
  public enum ControllerType: String, Sendable, Hashable {
    case source, sink
  }

  public var id: Int
  public var name: String
  public var isStructureNetwork: Bool
  public var tierDefinition: TierDefinition
  public var controllerType: ControllerType
  public var tiers: [Tier]
  public var sources: [NetworkSource]

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
  public enum Topology: String, Sendable, Hashable {
    case radial, mesh
  }

  /// Unique in its domain network.
  public var id: Int
  public var name: String
  public var rank: Int
  public var topology: Topology
  /// What a trace of the tier does unless its parameters say otherwise; nil without.
  public var traceConfiguration: TraceConfiguration?

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
