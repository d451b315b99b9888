/// What a trace goes by, in the words of `UtilityNetworkServer/trace`.
///
/// What was not given is nil, so that a tier's own configuration can stand in for it.
public struct UtilityTraceConfiguration: Sendable, Hashable {
  public var includeContainers: Bool?
  public var includeContent: Bool?
  public var includeStructures: Bool?
  public var includeBarriers: Bool?
  public var includeIsolated: Bool?
  public var includeUpToFirstSpatialContainer: Bool?
  public var ignoreBarriersAtStartingPoints: Bool?
  public var allowIndeterminateFlow: Bool?
  public var useDigitizedDirection: Bool?
  public var validateConsistency: Bool?
  public var validateLocatability: Bool?
  public var domainNetworkName: String?
  public var tierName: String?
  public var targetTierName: String?
  public var subnetworkName: String?
  public var shortestPathNetworkAttributeName: String?
  public var filterBitsetNetworkAttributeName: String?
  /// Which elements condition and function barriers apply to.
  public var traversabilityScope: Scope?
  /// Which elements filters apply to.
  public var filterScope: Scope?
  public var conditionBarriers: [Condition] = []
  public var functionBarriers: [FunctionBarrier] = []
  public var filterBarriers: [Condition] = []
  public var filterFunctionBarriers: [FunctionBarrier] = []
  public var functions: [Function] = []
  public var nearestNeighbor: NearestNeighbor?
  public var outputFilters: [AssetReference] = []
  public var outputConditions: [Condition] = []
  public var propagators: [Propagator] = []

  public enum Scope: String, Sendable, CaseIterable {
    case junctions, edges, junctionsAndEdges
  }

  public enum Operator: String, Sendable, CaseIterable {
    case equal, notEqual, greaterThan, greaterThanEqual, lessThan, lessThanEqual
    case includesTheValues, doesNotIncludeTheValues, includesAny, doesNotIncludeAny
    /// Of categories only.
    case exists, doesNotExist
  }

  public enum Value: Sendable, Hashable {
    case text(String)
    case number(Double)
  }

  public enum ConditionType: String, Sendable, CaseIterable {
    case category, networkAttribute
  }

  /// One of a flat list of conditions; AND binds tighter than OR.
  public struct Condition: Sendable, Hashable {
    /// The attribute's name; `Category` for categories.
    public var name: String
    public var type: ConditionType
    public var `operator`: Operator
    /// A category's name, or what the attribute is compared to.
    public var value: Value
    /// Whether OR stands between this condition and the next.
    public var combineUsingOr: Bool
    /// Whether the value is one, and not the name of another attribute.
    public var isSpecificValue: Bool
  }

  public enum FunctionType: String, Sendable, CaseIterable {
    case add, subtract, average, count, min, max
  }

  public struct FunctionBarrier: Sendable, Hashable {
    public var functionType: FunctionType
    public var networkAttributeName: String
    public var `operator`: Operator
    public var value: Value
    /// Nil where it was not given.
    public var useLocalValues: Bool?
  }

  public struct Function: Sendable, Hashable {
    public var functionType: FunctionType
    public var networkAttributeName: String
    public var summaryAttributeName: String?
    public var conditions: [Condition]
  }

  public struct NearestNeighbor: Sendable, Hashable {
    public var count: Int
    public var costNetworkAttributeName: String?
    public var nearestCategories: [String]
    public var nearestAssets: [AssetReference]
  }

  /// An asset type.
  public struct AssetReference: Sendable, Hashable {
    public var networkSourceID: Int
    public var assetGroupCode: Int
    public var assetTypeCode: Int
  }

  public enum PropagatorFunctionType: String, Sendable, CaseIterable {
    case bitwiseAnd, min, max
  }

  public struct Propagator: Sendable, Hashable {
    public var networkAttributeName: String
    public var substitutionAttributeName: String?
    public var propagatorFunctionType: PropagatorFunctionType
    public var `operator`: Operator
    public var value: Value
    public var propagatedAttributeName: String?
  }
}
