/// What a utility network is made of: its domains, tiers, sources, attributes and terminals, but not
/// its features.
public struct UtilityNetworkDefinition: Sendable, Hashable {
  /// The utilities' networks and, where there is one, that of structures.
  public var domainNetworks: [DomainNetwork]
  /// All values that features carry for traces; features list theirs in this order.
  public var networkAttributes: [NetworkAttribute]
  /// Names of all categories. Those that only asset types name need not stand here.
  public var categories: [String]
  /// The terminals that asset types have, by their ids.
  public var terminalConfigurations: [TerminalConfiguration]

  /// A definition; it is checked when a network is built.
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
    /// Where the commodity comes from; where it goes to.
    case source, sink
  }

  /// Unique in the definition.
  public var id: Int
  /// What traces and people call it.
  public var name: String
  /// Whether its features carry other networks, as poles and ducts do.
  public var isStructureNetwork: Bool
  /// How its tiers lie in one another.
  public var tierDefinition: TierDefinition
  /// Which way flow runs between controllers and customers.
  public var controllerType: ControllerType
  /// Its levels; empty for a structure network.
  public var tiers: [Tier]
  /// The classes of its features.
  public var sources: [NetworkSource]

  /// A domain network whose controllers are sources, unless said otherwise.
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
  /// What a tier's subnetworks are shaped like; traces find loops for themselves and do not go by
  /// it.
  public enum Topology: String, Sendable, Hashable {
    /// Without loops and with one controller; with loops or several controllers.
    case radial, mesh
  }

  /// Unique in its domain network.
  public var id: Int
  /// What traces and people call it.
  public var name: String
  /// The position that its document gives it among the tiers; traces do not go by it.
  public var rank: Int
  /// What its subnetworks are shaped like, for people.
  public var topology: Topology
  /// What a trace of the tier does unless its parameters say otherwise; nil without.
  public var traceConfiguration: TraceConfiguration?

  /// A tier without a trace configuration of its own, unless given.
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
