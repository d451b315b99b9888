/// The barriers of a trace, its functions and the contents of its result.
public struct TraceConfiguration: Sendable, Hashable {
  /// For upstream, downstream and isolation traces: whether elements with indeterminate flow belong
  /// to the result. If false, these elements are omitted, with a warning.
  public var allowIndeterminateFlow = true
  /// Whether conditions and functions are ignored at starting locations.
  public var ignoreBarriersAtStartingPoints = false
  /// Whether reached barriers belong to the result. Barriers at devices with terminals always
  /// belong to the result.
  public var includeBarriers = true
  /// Whether the containers of result elements belong to the result, recursively.
  public var includeContainers = false
  /// Whether the content of result elements belongs to the result, recursively.
  public var includeContent = false
  /// For isolation traces: whether the isolated elements belong to the result, in addition to the isolating
  /// elements.
  public var includeIsolatedFeatures = false
  /// Whether the structures to which result elements are attached belong to the result.
  public var includeStructures = false
  /// The barriers to traversal.
  public var traversability = Traversability()
  /// The barriers of the second pass, which follows the search for controllers.
  public var filter = TraceFilter()
  /// The propagators: values that are propagated from the controllers and stop traversal where their tests
  /// fail.
  public var propagators: [Propagator] = []
  /// The functions over the result, in the order of the result's `functionResults`.
  public var functions: [TraceFunction] = []
  /// The asset types to which the result is limited; empty for all.
  public var outputAssetTypes: [AssetTypeReference] = []
  /// The condition that elements of the result have to pass; nil for all elements.
  public var outputCondition: TraceCondition?
  /// For the shortest path: the name of the network attribute whose sum is minimized.
  public var shortestPathAttribute: String?

  /// Creates a configuration without barriers, filters or functions.
  public init() {}
}

/// The elements to which a condition applies.
public enum TraversabilityScope: String, Sendable, Hashable, CaseIterable {
  /// Junctions only, edges only, or junctions and edges.
  case junctions, edges, junctionsAndEdges
}

/// The barriers to traversal.
public struct Traversability: Sendable, Hashable {
  /// The condition that makes elements barriers; nil for none.
  public var barriers: TraceCondition?
  /// The functions that set barriers. Each function sets barriers independently.
  public var functionBarriers: [FunctionBarrier]
  /// The elements to which `barriers` and `functionBarriers` apply.
  public var scope: TraversabilityScope

  /// Creates the barriers to traversal; none by default.
  public init(
    barriers: TraceCondition? = nil, functionBarriers: [FunctionBarrier] = [],
    scope: TraversabilityScope = .junctionsAndEdges
  ) {
    self.barriers = barriers
    self.functionBarriers = functionBarriers
    self.scope = scope
  }
}

/// The barriers of a trace's second pass, which follows the search for controllers.
public struct TraceFilter: Sendable, Hashable {
  /// The condition that makes elements filter barriers; nil for none.
  public var barriers: TraceCondition?
  /// The functions that set filter barriers. Each function sets barriers independently.
  public var functionBarriers: [FunctionBarrier]
  /// The elements to which `barriers` and `functionBarriers` apply.
  public var scope: TraversabilityScope
  /// The number and kinds of the nearest elements to which the result is limited; nil for no limit.
  public var nearestNeighbor: NearestNeighbor?

  /// Creates the barriers of the second pass; none by default.
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

/// Limits a result to the elements of some kinds that are nearest to the starting locations.
public struct NearestNeighbor: Sendable, Hashable {
  /// The requested number of elements.
  public var count: Int
  /// The name of the network attribute whose sum over edges is the distance.
  public var costAttribute: String
  /// The categories whose elements count, in addition to `assetTypes`.
  public var categories: [String]
  /// The asset types whose elements count, in addition to `categories`.
  public var assetTypes: [AssetTypeReference]

  /// Creates a limit; the nearest elements are those with the smallest sums of a network attribute.
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

/// A reference to features by their codes.
public struct AssetTypeReference: Sendable, Hashable {
  /// The id of the source.
  public var sourceID: Int
  /// The code of the asset group; nil for the whole source.
  public var assetGroup: Int?
  /// The code of the asset type; nil for the whole group.
  public var assetType: Int?

  /// Creates a reference to a source, a group, or one asset type.
  public init(sourceID: Int, assetGroup: Int? = nil, assetType: Int? = nil) {
    self.sourceID = sourceID
    self.assetGroup = assetGroup
    self.assetType = assetType
  }
}
