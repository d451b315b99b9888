/// A class of features that take part in a network.
public struct NetworkSource: Sendable, Hashable {
  /// What the features of a source are for.
  public enum Usage: String, Sendable, Hashable, CaseIterable {
    /// What flow passes through or is controlled by; what joins; what carries flow; what holds
    /// devices; the outline of a subnetwork.
    case device, junction, line, assembly, subnetLine
    /// The same without a shape.
    case junctionObject, edgeObject, assemblyObject
    /// What carries the network: poles, ducts, and the areas round them.
    case structureJunction, structureEdge, structureBoundary
    /// The same without a shape.
    case structureJunctionObject, structureEdgeObject

    /// Whether the features hold or carry others and let nothing flow through them.
    public var isStructural: Bool {
      switch self {
      case .assembly, .assemblyObject, .structureJunction, .structureEdge, .structureBoundary,
        .structureJunctionObject, .structureEdgeObject:
        true
      default: false
      }
    }

    /// Whether the features are edges, with two ends; all others are junctions in the graph, and
    /// those that nothing connects, such as assemblies, stand alone.
    public var isEdge: Bool {
      switch self {
      case .line, .subnetLine, .edgeObject, .structureEdge, .structureEdgeObject: true
      default: false
      }
    }
  }

  /// Unique among all sources of the network.
  public var id: Int
  /// The id of the layer that shows the source; nil without.
  public var layerID: Int?
  /// What people and messages call it.
  public var name: String
  /// What its features are for.
  public var usage: Usage
  /// The major kinds of its features.
  public var assetGroups: [AssetGroup]

  /// A class of features.
  public init(
    id: Int, layerID: Int? = nil, name: String, usage: Usage, assetGroups: [AssetGroup] = []
  ) {
    self.id = id
    self.layerID = layerID
    self.name = name
    self.usage = usage
    self.assetGroups = assetGroups
  }
}

/// A major kind of features of a source.
public struct AssetGroup: Sendable, Hashable {
  /// Unique in its source.
  public var code: Int
  /// What people call it.
  public var name: String
  /// The kinds of features in the group.
  public var assetTypes: [AssetType]

  /// A major kind of features.
  public init(code: Int, name: String, assetTypes: [AssetType] = []) {
    self.code = code
    self.name = name
    self.assetTypes = assetTypes
  }
}

/// A kind of features of an asset group.
public struct AssetType: Sendable, Hashable {
  /// Unique in its asset group.
  public var code: Int
  /// What people call it.
  public var name: String
  /// Names that conditions go by, such as `Isolating`.
  public var categories: [String]
  /// The terminals that features of the type have; nil for none, one nameless connection.
  public var terminalConfigurationID: Int?
  /// Edges: whether junctions on inner vertices connect mid-span. Associations do in either case.
  public var connectsAtInnerVertices: Bool

  /// A kind of features without terminals, unless said otherwise.
  public init(
    code: Int, name: String, categories: [String] = [], terminalConfigurationID: Int? = nil,
    connectsAtInnerVertices: Bool = true
  ) {
    self.code = code
    self.name = name
    self.categories = categories
    self.terminalConfigurationID = terminalConfigurationID
    self.connectsAtInnerVertices = connectsAtInnerVertices
  }
}
