/// What stops a trace, what it counts and what it returns.
public struct TraceConfiguration: Sendable, Hashable {
  /// Upstream, downstream and isolation: whether elements whose flow may run either way belong to
  /// the result. False leaves them out, with a warning.
  public var allowIndeterminateFlow = true
  /// Whether conditions and functions do not hold at starting locations.
  public var ignoreBarriersAtStartingPoints = false
  /// Whether barriers that were reached belong to the result. Devices with terminals always do.
  public var includeBarriers = true
  /// Whether what contains an element of the result belongs to it, and what contains that.
  public var includeContainers = false
  /// Whether what an element of the result contains belongs to it, and what that contains.
  public var includeContent = false
  /// Isolation: whether the isolated elements belong to the result, beside the isolating ones.
  public var includeIsolatedFeatures = false
  /// Whether structures to which elements of the result are attached belong to it.
  public var includeStructures = false
  /// What stops traversal.
  public var traversability = Traversability()
  /// What stops the second pass, once the controllers are known.
  public var filter = TraceFilter()
  /// Values that run from the controllers outward, and stop traversal where their tests fail.
  public var propagators: [Propagator] = []
  /// What is worked out over the result, in the order of the result's `functionResults`.
  public var functions: [TraceFunction] = []
  /// What is returned: elements of any of these asset types; empty for all.
  public var outputAssetTypes: [AssetTypeReference] = []
  /// What is returned: elements that pass; nil for all.
  public var outputCondition: TraceCondition?
  /// Shortest path: the network attribute whose sum is least, by name.
  public var shortestPathAttribute: String?

  /// A configuration without barriers, filters and functions.
  public init() {}
}

/// Which elements a condition is asked of.
public enum TraversabilityScope: String, Sendable, Hashable, CaseIterable {
  /// Junctions alone; edges alone; both.
  case junctions, edges, junctionsAndEdges
}

/// What stops traversal.
public struct Traversability: Sendable, Hashable {
  /// Elements that pass it are barriers; nil for none.
  public var barriers: TraceCondition?
  /// Each of them makes barriers.
  public var functionBarriers: [FunctionBarrier]
  /// Which elements `barriers` and `functionBarriers` are asked of.
  public var scope: TraversabilityScope

  /// What stops traversal; nothing, unless given.
  public init(
    barriers: TraceCondition? = nil, functionBarriers: [FunctionBarrier] = [],
    scope: TraversabilityScope = .junctionsAndEdges
  ) {
    self.barriers = barriers
    self.functionBarriers = functionBarriers
    self.scope = scope
  }
}

/// What stops the second pass of a trace, once the controllers are found.
public struct TraceFilter: Sendable, Hashable {
  /// Elements that pass it are filter barriers; nil for none.
  public var barriers: TraceCondition?
  /// Each of them makes filter barriers.
  public var functionBarriers: [FunctionBarrier]
  /// Which elements `barriers` and `functionBarriers` are asked of.
  public var scope: TraversabilityScope
  /// Limits the result to the nearest elements of some kinds; nil for no limit.
  public var nearestNeighbor: NearestNeighbor?

  /// What stops the second pass; nothing, unless given.
  public init(
    barriers: TraceCondition? = nil, functionBarriers: [FunctionBarrier] = [],
    scope: TraversabilityScope = .junctionsAndEdges, nearestNeighbor: NearestNeighbor? = nil
  ) {
    self.barriers = barriers
    self.functionBarriers = functionBarriers
    self.scope = scope
    self.nearestNeighbor = nearestNeighbor
  }
}

/// Limits a result to the elements of some kinds that are nearest to the starts.
public struct NearestNeighbor: Sendable, Hashable {
  /// How many are wanted.
  public var count: Int
  /// The network attribute whose sum over edges is the distance, by name.
  public var costAttribute: String
  /// Elements of any of these categories or asset types count.
  public var categories: [String]
  /// Kinds of features that count, beside those of `categories`.
  public var assetTypes: [AssetTypeReference]

  /// So many of the nearest elements, by the sum of a network attribute.
  public init(
    count: Int, costAttribute: String, categories: [String] = [],
    assetTypes: [AssetTypeReference] = []
  ) {
    self.count = count
    self.costAttribute = costAttribute
    self.categories = categories
    self.assetTypes = assetTypes
  }
}

/// A kind of features by its codes.
public struct AssetTypeReference: Sendable, Hashable {
  /// The id of the source.
  public var sourceID: Int
  /// Nil for all of the source.
  public var assetGroup: Int?
  /// Nil for all of the group.
  public var assetType: Int?

  /// All features of a source, of a group, or of one asset type.
  public init(sourceID: Int, assetGroup: Int? = nil, assetType: Int? = nil) {
    self.sourceID = sourceID
    self.assetGroup = assetGroup
    self.assetType = assetType
  }
}
