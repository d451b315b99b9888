/// The barriers of a trace, its functions and the contents of its result.
public struct TraceConfiguration: Sendable, Hashable {
  /// For upstream, downstream and isolation traces: whether elements with indeterminate flow belong to
  /// the result. If false, they are omitted, with a warning.
  public var allowIndeterminateFlow = true
  /// Whether conditions and functions are ignored at starting locations.
  public var ignoreBarriersAtStartingPoints = false
  /// Whether reached barriers belong to the result. Devices with terminals always do.
  public var includeBarriers = true
  /// Whether the containers of result elements belong to the result, recursively.
  public var includeContainers = false
  /// Whether the content of result elements belongs to the result, recursively.
  public var includeContent = false
  /// For isolation traces: whether the isolated elements belong to the result, in addition to the
  /// isolating ones.
  public var includeIsolatedFeatures = false
  /// Whether the structures to which result elements are attached belong to the result.
  public var includeStructures = false
  /// The barriers of traversal.
  public var traversability = Traversability()
  /// The barriers of the second pass, once the controllers are known.
  public var filter = TraceFilter()
  /// Values that are propagated from the controllers and stop traversal where their tests fail.
  public var propagators: [Propagator] = []
  /// Functions over the result, in the order of the result's `functionResults`.
  public var functions: [TraceFunction] = []
  /// Limits the result to elements of these asset types; empty for all.
  public var outputAssetTypes: [AssetTypeReference] = []
  /// Limits the result to elements that pass the condition; nil for all.
  public var outputCondition: TraceCondition?
  /// For the shortest path: the name of the network attribute whose sum is minimized.
  public var shortestPathAttribute: String?

  /// Creates a configuration without barriers, filters and functions.
  public init() {}
}

/// The elements to which a condition applies.
public enum TraversabilityScope: String, Sendable, Hashable, CaseIterable {
  /// Only junctions; only edges; both.
  case junctions, edges, junctionsAndEdges
}

/// The barriers of traversal.
public struct Traversability: Sendable, Hashable {
  /// Elements that pass the condition are barriers; nil for none.
  public var barriers: TraceCondition?
  /// Each of them sets barriers.
  public var functionBarriers: [FunctionBarrier]
  /// The elements to which `barriers` and `functionBarriers` apply.
  public var scope: TraversabilityScope

  /// Creates the barriers of traversal; none by default.
  public init(
    barriers: TraceCondition? = nil, functionBarriers: [FunctionBarrier] = [],
    scope: TraversabilityScope = .junctionsAndEdges
  ) {
    self.barriers = barriers
    self.functionBarriers = functionBarriers
    self.scope = scope
  }
}

/// The barriers of a trace's second pass, once the controllers are found.
public struct TraceFilter: Sendable, Hashable {
  /// Elements that pass the condition are filter barriers; nil for none.
  public var barriers: TraceCondition?
  /// Each of them sets filter barriers.
  public var functionBarriers: [FunctionBarrier]
  /// The elements to which `barriers` and `functionBarriers` apply.
  public var scope: TraversabilityScope
  /// Limits the result to the nearest elements of some kinds; nil for no limit.
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

/// Limits a result to the elements of some kinds nearest to the starts.
public struct NearestNeighbor: Sendable, Hashable {
  /// The requested number of elements.
  public var count: Int
  /// The network attribute whose sum over edges is the distance, by name.
  public var costAttribute: String
  /// Elements of any of these categories or asset types count.
  public var categories: [String]
  /// Asset types that count, in addition to `categories`.
  public var assetTypes: [AssetTypeReference]

  /// Creates a limit to the nearest elements by the sum of a network attribute.
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
  /// nil for the whole source.
  public var assetGroup: Int?
  /// nil for the whole group.
  public var assetType: Int?

  /// Creates a reference to a source, a group, or one asset type.
  public init(sourceID: Int, assetGroup: Int? = nil, assetType: Int? = nil) {
    self.sourceID = sourceID
    self.assetGroup = assetGroup
    self.assetType = assetType
  }
}
