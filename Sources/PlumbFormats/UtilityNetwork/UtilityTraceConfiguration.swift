/// The configuration of a trace, in the terms of `UtilityNetworkServer/trace`.
///
/// Members that the request does not specify are nil, so that the tier's configuration can supply them.
package struct UtilityTraceConfiguration: Sendable, Hashable {
  package var includeContainers: Bool?
  package var includeContent: Bool?
  package var includeStructures: Bool?
  package var includeBarriers: Bool?
  package var includeIsolated: Bool?
  package var includeUpToFirstSpatialContainer: Bool?
  package var ignoreBarriersAtStartingPoints: Bool?
  package var allowIndeterminateFlow: Bool?
  package var useDigitizedDirection: Bool?
  package var validateConsistency: Bool?
  package var validateLocatability: Bool?
  package var domainNetworkName: String?
  package var tierName: String?
  package var targetTierName: String?
  package var subnetworkName: String?
  package var shortestPathNetworkAttributeName: String?
  package var filterBitsetNetworkAttributeName: String?
  /// The elements to which condition and function barriers apply.
  package var traversabilityScope: Scope?
  /// The elements to which filters apply.
  package var filterScope: Scope?
  package var conditionBarriers: [Condition] = []
  package var functionBarriers: [FunctionBarrier] = []
  package var filterBarriers: [Condition] = []
  package var filterFunctionBarriers: [FunctionBarrier] = []
  package var functions: [Function] = []
  package var nearestNeighbor: NearestNeighbor?
  package var outputFilters: [AssetReference] = []
  package var outputConditions: [Condition] = []
  package var propagators: [Propagator] = []

  package enum Scope: String, Sendable, CaseIterable {
    case junctions, edges, junctionsAndEdges
  }

  package enum Operator: String, Sendable, CaseIterable {
    case equal, notEqual, greaterThan, greaterThanEqual, lessThan, lessThanEqual
    case includesTheValues, doesNotIncludeTheValues, includesAny, doesNotIncludeAny
    /// Operators for categories only.
    case exists, doesNotExist
  }

  package enum Value: Sendable, Hashable {
    case text(String)
    case number(Double)
  }

  package enum ConditionType: String, Sendable, CaseIterable {
    case category, networkAttribute
  }

  /// A condition in a flat list of conditions, in which AND has precedence over OR.
  package struct Condition: Sendable, Hashable {
    /// The attribute's name; `Category` for categories.
    package var name: String
    package var type: ConditionType
    package var `operator`: Operator
    /// The name of a category, or the value with which the attribute is compared.
    package var value: Value
    /// Whether this condition and the next condition are combined by OR instead of AND.
    package var combineUsingOr: Bool
    /// Whether the value is a literal instead of the name of another attribute.
    package var isSpecificValue: Bool
  }

  package enum FunctionType: String, Sendable, CaseIterable {
    case add, subtract, average, count, min, max
  }

  package struct FunctionBarrier: Sendable, Hashable {
    package var functionType: FunctionType
    package var networkAttributeName: String
    package var `operator`: Operator
    package var value: Value
    /// Whether a function barrier uses local values; nil if the request does not specify this.
    package var useLocalValues: Bool?
  }

  package struct Function: Sendable, Hashable {
    package var functionType: FunctionType
    package var networkAttributeName: String
    var summaryAttributeName: String?
    package var conditions: [Condition]
  }

  package struct NearestNeighbor: Sendable, Hashable {
    package var count: Int
    package var costNetworkAttributeName: String?
    package var nearestCategories: [String]
    package var nearestAssets: [AssetReference]
  }

  /// An asset type.
  package struct AssetReference: Sendable, Hashable {
    package var networkSourceID: Int
    package var assetGroupCode: Int
    package var assetTypeCode: Int
  }

  package enum PropagatorFunctionType: String, Sendable, CaseIterable {
    case bitwiseAnd, min, max
  }

  package struct Propagator: Sendable, Hashable {
    package var networkAttributeName: String
    package var substitutionAttributeName: String?
    package var propagatorFunctionType: PropagatorFunctionType
    package var `operator`: Operator
    package var value: Value
    var propagatedAttributeName: String?
  }
}
