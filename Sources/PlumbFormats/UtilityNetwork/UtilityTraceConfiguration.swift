/// The configuration of a trace, in the terms of `UtilityNetworkServer/trace`.
///
/// Members that were not given are nil, so that a tier's own configuration can supply them.
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
    /// For categories only.
    case exists, doesNotExist
  }

  package enum Value: Sendable, Hashable {
    case text(String)
    case number(Double)
  }

  package enum ConditionType: String, Sendable, CaseIterable {
    case category, networkAttribute
  }

  /// An item of a flat list of conditions; AND has precedence over OR.
  package struct Condition: Sendable, Hashable {
    /// The attribute's name; `Category` for categories.
    package var name: String
    package var type: ConditionType
    package var `operator`: Operator
    /// A category's name, or the value to compare the attribute with.
    package var value: Value
    /// Whether this condition and the next are combined by OR.
    package var combineUsingOr: Bool
    /// Whether the value is a literal, rather than the name of another attribute.
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
    /// Nil if it was not given.
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
