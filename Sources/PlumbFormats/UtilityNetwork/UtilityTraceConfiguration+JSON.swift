import PlumbCore
import PlumbIO

extension UtilityTraceConfiguration {
  /// Reads a `traceConfiguration` object. Unknown members are ignored.
  ///
  /// - Throws: a one-line error that starts with the position.
  package init(json bytes: UnsafeRawBufferPointer) throws(FormatError) {
    try self.init(try JSONNode.root(bytes))
  }

  init(_ node: JSONNode) throws(FormatError) {
    includeContainers = try node.flag("includeContainers")
    includeContent = try node.flag("includeContent")
    includeStructures = try node.flag("includeStructures")
    includeBarriers = try node.flag("includeBarriers")
    includeIsolated = try node.flag("includeIsolated")
    includeUpToFirstSpatialContainer = try node.flag("includeUpToFirstSpatialContainer")
    ignoreBarriersAtStartingPoints = try node.flag("ignoreBarriersAtStartingPoints")
    allowIndeterminateFlow = try node.flag("allowIndeterminateFlow")
    useDigitizedDirection = try node.flag("useDigitizedDirection")
    validateConsistency = try node.flag("validateConsistency")
    validateLocatability = try node.flag("validateLocatability")
    domainNetworkName = try node.text("domainNetworkName")
    tierName = try node.text("tierName")
    targetTierName = try node.text("targetTierName")
    subnetworkName = try node.text("subnetworkName")
    shortestPathNetworkAttributeName = try node.text("shortestPathNetworkAttributeName")
    filterBitsetNetworkAttributeName = try node.text("filterBitsetNetworkAttributeName")
    traversabilityScope = try Self.scope(node, "traversabilityScope")
    filterScope = try Self.scope(node, "filterScope")
    let condition = { (node: JSONNode) throws(FormatError) in try Condition(node) }
    let barrier = { (node: JSONNode) throws(FormatError) in try FunctionBarrier(node) }
    conditionBarriers = try node.list("conditionBarriers", condition)
    functionBarriers = try node.list("functionBarriers", barrier)
    filterBarriers = try node.list("filterBarriers", condition)
    filterFunctionBarriers = try node.list("filterFunctionBarriers", barrier)
    functions = try node.list("functions") { node throws(FormatError) in try Function(node) }
    nearestNeighbor = try Self.nearestNeighbor(node)
    outputFilters = try node.list("outputFilters") { node throws(FormatError) in
      try AssetReference(node)
    }
    outputConditions = try node.list("outputConditions", condition)
    propagators = try node.list("propagators") { node throws(FormatError) in try Propagator(node) }
  }

  private static func scope(_ node: JSONNode, _ name: String) throws(FormatError) -> Scope? {
    guard try node.text(name) != nil else { return nil }
    return try node.member(name)?.choice(Scope.self, prefixes: "", "esriTS")
  }

  private static func nearestNeighbor(_ node: JSONNode) throws(FormatError) -> NearestNeighbor? {
    // Clients that do not request nearest neighbours send an empty string, an empty object or a count of −1.
    guard let nearest = try node.member("nearestNeighbor") else { return nil }
    if case .text("") = nearest.tree { return nil }
    guard let count = try nearest.integer("count"), count >= 0 else { return nil }
    return NearestNeighbor(
      count: count, costNetworkAttributeName: try nearest.text("costNetworkAttributeName"),
      nearestCategories: try nearest.list("nearestCategories") { node throws(FormatError) in
        try node.text()
      },
      nearestAssets: try nearest.list("nearestAssets") { node throws(FormatError) in
        try AssetReference(node)
      })
  }

  fileprivate static func value(_ node: JSONNode) throws(FormatError) -> Value {
    let value = try node.required("value", expected: "a string or a number")
    switch value.tree {
    case .text(let text): return .text(text)
    case .integer, .real: return .number(try value.number())
    default: throw value.fault("expected a string or a number, found \(value.tree.what)")
    }
  }

  fileprivate static func comparison(_ node: JSONNode) throws(FormatError) -> Operator {
    try node.required("operator", expected: "a string such as equal")
      .choice(Operator.self, prefixes: "", "esriTO")
  }

  static func function(_ node: JSONNode) throws(FormatError) -> FunctionType {
    try node.required("functionType", expected: "a string such as add")
      .choice(FunctionType.self, prefixes: "", "esriTFT")
  }
}

extension UtilityTraceConfiguration.Condition {
  init(_ node: JSONNode) throws(FormatError) {
    type = try node.required("type", expected: "category or networkAttribute").choice(
      UtilityTraceConfiguration.ConditionType.self, prefixes: "", "esriNCT")
    name = type == .category ? try node.text("name") ?? "Category" : try node.requiredText("name")
    `operator` = try UtilityTraceConfiguration.comparison(node)
    if let named = try Self.namedCategory(node, type, `operator`) {
      value = .text(named)
    } else {
      value = try UtilityTraceConfiguration.value(node)
    }
    combineUsingOr = try node.flag("combineUsingOr") ?? false
    isSpecificValue =
      try node.member("isSpecificValue", "isTypeSpecificValue")?.flag() ?? true
    try check(node)
  }

  /// The category in `name`, if the condition tests for existence and has no value.
  private static func namedCategory(
    _ node: JSONNode, _ type: UtilityTraceConfiguration.ConditionType,
    _ comparison: UtilityTraceConfiguration.Operator
  ) throws(FormatError) -> String? {
    guard type == .category, comparison == .exists || comparison == .doesNotExist else {
      return nil
    }
    if let value = try node.member("value"), value.tree.isNotEmptyText { return nil }
    return try node.text("name")
  }

  private func check(_ node: JSONNode) throws(FormatError) {
    switch (type, `operator`) {
    case (.category, .equal), (.category, .notEqual), (.category, .exists),
      (.category, .doesNotExist):
      guard case .text = value else {
        throw try node.required("value", expected: "a string")
          .fault("a category must be a string, not a number")
      }
    case (.category, _):
      throw node.fault("a condition on a category needs the operator equal or notEqual")
    case (.networkAttribute, .exists), (.networkAttribute, .doesNotExist):
      throw node.fault("the operator \(`operator`.rawValue) is only for categories")
    default:
      if !isSpecificValue, case .number = value {
        throw try node.required("value", expected: "a string")
          .fault("expected the name of an attribute, found a number")
      }
    }
  }
}

extension UtilityTraceConfiguration.FunctionBarrier {
  init(_ node: JSONNode) throws(FormatError) {
    functionType = try UtilityTraceConfiguration.function(node)
    networkAttributeName = try node.requiredText("networkAttributeName")
    `operator` = try UtilityTraceConfiguration.comparison(node)
    value = try UtilityTraceConfiguration.value(node)
    useLocalValues = try node.flag("useLocalValues")
  }
}

extension UtilityTraceConfiguration.Function {
  init(_ node: JSONNode) throws(FormatError) {
    functionType = try UtilityTraceConfiguration.function(node)
    networkAttributeName = try node.requiredText("networkAttributeName")
    summaryAttributeName = try node.text("summaryAttributeName")
    conditions = try node.list("conditions") { node throws(FormatError) in
      try UtilityTraceConfiguration.Condition(node)
    }
  }
}

extension UtilityTraceConfiguration.AssetReference {
  init(_ node: JSONNode) throws(FormatError) {
    networkSourceID = try node.requiredInteger("networkSourceId")
    assetGroupCode = try node.requiredInteger("assetGroupCode")
    assetTypeCode = try node.requiredInteger("assetTypeCode")
  }
}

extension UtilityTraceConfiguration.Propagator {
  init(_ node: JSONNode) throws(FormatError) {
    networkAttributeName = try node.requiredText("networkAttributeName")
    substitutionAttributeName = try node.text("substitutionAttributeName")
    propagatorFunctionType = try node.required(
      "propagatorFunctionType", "propagatorfunctionType", expected: "bitwiseAnd, min or max"
    ).choice(UtilityTraceConfiguration.PropagatorFunctionType.self, prefixes: "", "esriTPFT")
    `operator` = try UtilityTraceConfiguration.comparison(node)
    value = try UtilityTraceConfiguration.value(node)
    propagatedAttributeName = try node.text("propagatedAttributeName")
  }
}
