/// A class of features that take part in a network.
public struct NetworkSource: Sendable, Hashable {
  /// The role of a source's features.
  public enum Usage: String, Sendable, Hashable, CaseIterable {
    /// In this order: elements that pass or control flow, connection points, carriers of flow,
    /// containers of devices, and outlines of subnetworks.
    case device, junction, line, assembly, subnetLine
    /// Junctions, edges and assemblies without a shape.
    case junctionObject, edgeObject, assemblyObject
    /// Structures that carry the network: poles, ducts, and the areas around them.
    case structureJunction, structureEdge, structureBoundary
    /// Structure junctions and edges without a shape.
    case structureJunctionObject, structureEdgeObject

    /// Whether the features contain or carry other features and do not conduct flow.
    public var isStructural: Bool {
      switch self {
      case .assembly, .assemblyObject, .structureJunction, .structureEdge, .structureBoundary,
        .structureJunctionObject, .structureEdgeObject:
        true
      default: false
      }
    }

    /// Whether the features are edges, with two ends; other features are junctions in the graph. Junctions
    /// that do not connect, such as assemblies, are isolated.
    public var isEdge: Bool {
      switch self {
      case .line, .subnetLine, .edgeObject, .structureEdge, .structureEdgeObject: true
      default: false
      }
    }
  }

  /// The id, unique among all sources of the network.
  public var id: Int
  /// The id of the layer that shows the source; nil for none.
  public var layerID: Int?
  /// The display name, also used in messages.
  public var name: String
  /// The role of the source's features.
  public var usage: Usage
  /// The major kinds of the source's features.
  public var assetGroups: [AssetGroup]

  /// Creates a class of features.
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

/// A major kind of feature in a source.
public struct AssetGroup: Sendable, Hashable {
  /// The code, unique in its source.
  public var code: Int
  /// The display name.
  public var name: String
  /// The kinds of features in the group.
  public var assetTypes: [AssetType]

  /// Creates a major kind of feature.
  public init(code: Int, name: String, assetTypes: [AssetType] = []) {
    self.code = code
    self.name = name
    self.assetTypes = assetTypes
  }
}

/// A kind of feature in an asset group.
public struct AssetType: Sendable, Hashable {
  /// The code, unique in its asset group.
  public var code: Int
  /// The display name.
  public var name: String
  /// The names of the type's categories, such as `Isolating`, which conditions can test.
  public var categories: [String]
  /// The id of the terminal configuration of the type's features; nil for features without terminals, which
  /// have one unnamed connection.
  public var terminalConfigurationID: Int?
  /// For edges: whether junctions on inner vertices connect mid-span. Associations can always connect
  /// mid-span.
  public var connectsAtInnerVertices: Bool

  /// Creates a kind of feature; without terminals by default.
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
