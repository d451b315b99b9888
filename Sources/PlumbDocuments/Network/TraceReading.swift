import PlumbCore
import PlumbExpressions
import PlumbFormats
import PlumbNetwork

/// Converts Esri's trace configurations to `TraceConfiguration`.
struct TraceReading {
  /// The network's attributes, whose types determine the types of values in conditions.
  package let attributes: [PlumbNetwork.NetworkAttribute]
  /// Whether unsupported members are ignored, as in the configurations of tiers.
  package var isLenient = false

  /// Converts a configuration. Missing members have default values.
  ///
  /// - Throws: if the configuration contains names that the network lacks, or options that traces
  ///   do not support.
  package func configuration(
    _ esri: UtilityTraceConfiguration
  ) throws(NetworkError) -> TraceConfiguration {
    var result = TraceConfiguration()
    result.allowIndeterminateFlow = esri.allowIndeterminateFlow ?? result.allowIndeterminateFlow
    result.ignoreBarriersAtStartingPoints =
      esri.ignoreBarriersAtStartingPoints ?? result.ignoreBarriersAtStartingPoints
    result.includeBarriers = esri.includeBarriers ?? result.includeBarriers
    result.includeContainers = esri.includeContainers ?? false
    result.includeContent = esri.includeContent ?? false
    result.includeIsolatedFeatures = esri.includeIsolated ?? false
    result.includeStructures = esri.includeStructures ?? false
    result.traversability = Traversability(
      barriers: try condition(esri.conditionBarriers),
      functionBarriers: try barriers(esri.functionBarriers),
      scope: scope(esri.traversabilityScope))
    result.filter = TraceFilter(
      barriers: try condition(esri.filterBarriers),
      functionBarriers: try barriers(esri.filterFunctionBarriers), scope: scope(esri.filterScope),
      nearestNeighbor: try nearest(esri.nearestNeighbor))
    for propagator in esri.propagators { result.propagators.append(try read(propagator)) }
    for function in esri.functions { result.functions.append(try read(function)) }
    result.outputAssetTypes = esri.outputFilters.map(reference)
    result.outputCondition = try condition(esri.outputConditions)
    result.shortestPathAttribute = esri.shortestPathNetworkAttributeName
    if !isLenient, let name = Self.unsupported(in: esri).first {
      throw NetworkError(.badParameters, "\(name) is not supported: leave it out")
    }
    return result
  }

  /// Returns the members of a configuration that traces do not support.
  package static func unsupported(in esri: UtilityTraceConfiguration) -> [String] {
    (esri.useDigitizedDirection == true ? ["useDigitizedDirection"] : [])
      + (esri.filterBitsetNetworkAttributeName.map {
        ["filterBitsetNetworkAttributeName \($0.printable)"]
      } ?? [])
  }

  private func scope(_ scope: UtilityTraceConfiguration.Scope?) -> TraversabilityScope {
    switch scope {
    case .junctions: .junctions
    case .edges: .edges
    case .junctionsAndEdges, nil: .junctionsAndEdges
    }
  }

  /// Converts a flat list of conditions, in which AND has precedence over OR; nil for an empty list.
  package func condition(
    _ list: [UtilityTraceConfiguration.Condition]
  ) throws(NetworkError) -> TraceCondition? {
    guard !list.isEmpty else { return nil }
    var groups: [[TraceCondition]] = [[]]
    for (index, item) in list.enumerated() {
      groups[groups.count - 1].append(try condition(item))
      if item.combineUsingOr, index + 1 < list.count { groups.append([]) }
    }
    let alternatives = groups.map { $0.count == 1 ? $0[0] : .all($0) }
    return alternatives.count == 1 ? alternatives[0] : .any(alternatives)
  }

  private func condition(
    _ item: UtilityTraceConfiguration.Condition
  ) throws(NetworkError) -> TraceCondition {
    guard item.type == .networkAttribute else {
      guard case .text(let name) = item.value else {
        throw NetworkError(.badParameters, "a category is a string, not a number")
      }
      switch item.operator {
      case .exists, .equal: return .category(name)
      case .doesNotExist, .notEqual: return .category(name, exists: false)
      default:
        throw NetworkError(
          .badParameters,
          "category \(name.printable): \(item.operator.rawValue) is not valid for categories")
      }
    }
    let comparison = try comparison(item.operator, item.name)
    if !item.isSpecificValue, case .text(let other) = item.value {
      return .attribute(item.name, comparison, .attribute(other))
    }
    return .attribute(item.name, comparison, .value(try value(item.value, of: item.name)))
  }

  private func comparison(
    _ comparison: UtilityTraceConfiguration.Operator, _ name: String
  ) throws(NetworkError) -> AttributeOperator {
    guard let known = AttributeOperator(rawValue: comparison.rawValue) else {
      throw NetworkError(
        .badParameters, "\(name.printable): \(comparison.rawValue) is for categories only")
    }
    return known
  }

  /// Converts a value to the attribute's type: strings are parsed if the attribute is numeric.
  private func value(
    _ value: UtilityTraceConfiguration.Value, of name: String
  ) throws(NetworkError) -> FieldValue {
    let type = try attribute(name).dataType
    switch (value, type) {
    case (.text(let text), .text): return .text(text)
    case (.number(let number), .text):
      return .text(Int64(exactly: number).map { String($0) } ?? String(number))
    default:
      let number = try self.number(value, of: name)
      return Int64(exactly: number).map { .integer($0) } ?? .real(number)
    }
  }

  private func number(
    _ value: UtilityTraceConfiguration.Value, of name: String
  ) throws(NetworkError) -> Double {
    switch value {
    case .number(let number): return number
    case .text(let text):
      if let number = Double(text), number.isFinite { return number }
      throw NetworkError(.badParameters, "\(name.printable): \(text.printable) is not a number")
    }
  }

  private func attribute(_ name: String) throws(NetworkError) -> PlumbNetwork.NetworkAttribute {
    if let found = attributes.first(where: { $0.name == name })
      ?? attributes.first(where: { $0.name.lowercased() == name.lowercased() })
    {
      return found
    }
    throw NetworkError(
      .unknownName,
      "there is no network attribute \(name.printable)"
        + NameSuggestions.advice(name, among: attributes.map(\.name)))
  }

  private func barriers(
    _ list: [UtilityTraceConfiguration.FunctionBarrier]
  ) throws(NetworkError) -> [FunctionBarrier] {
    var result: [FunctionBarrier] = []
    for item in list {
      result.append(
        FunctionBarrier(
          type(item.functionType), attribute: item.networkAttributeName,
          try comparison(item.operator, item.networkAttributeName),
          try number(item.value, of: item.networkAttributeName),
          useLocalValues: item.useLocalValues ?? true))
    }
    return result
  }

  private func type(_ type: UtilityTraceConfiguration.FunctionType) -> TraceFunctionType {
    switch type {
    case .add: .add
    case .subtract: .subtract
    case .average: .average
    case .count: .count
    case .min: .min
    case .max: .max
    }
  }

  private func read(
    _ function: UtilityTraceConfiguration.Function
  ) throws(NetworkError) -> TraceFunction {
    TraceFunction(
      type(function.functionType), attribute: function.networkAttributeName,
      condition: try condition(function.conditions))
  }

  private func read(
    _ propagator: UtilityTraceConfiguration.Propagator
  ) throws(NetworkError) -> Propagator {
    let function: Propagator.Function =
      switch propagator.propagatorFunctionType {
      case .min: .min
      case .max: .max
      case .bitwiseAnd: .bitwiseAnd
      }
    return Propagator(
      attribute: propagator.networkAttributeName, function,
      try comparison(propagator.operator, propagator.networkAttributeName),
      try number(propagator.value, of: propagator.networkAttributeName),
      substitutionAttribute: propagator.substitutionAttributeName)
  }

  private func nearest(
    _ nearest: UtilityTraceConfiguration.NearestNeighbor?
  ) throws(NetworkError) -> NearestNeighbor? {
    guard let nearest else { return nil }
    guard let cost = nearest.costNetworkAttributeName else {
      throw NetworkError(
        .badParameters,
        "nearestNeighbor: costNetworkAttributeName, a numeric attribute, is missing")
    }
    return NearestNeighbor(
      count: nearest.count, costAttribute: cost, categories: nearest.nearestCategories,
      assetTypes: nearest.nearestAssets.map(reference))
  }

  private func reference(
    _ asset: UtilityTraceConfiguration.AssetReference
  ) -> AssetTypeReference {
    AssetTypeReference(
      sourceID: asset.networkSourceID, assetGroup: asset.assetGroupCode,
      assetType: asset.assetTypeCode)
  }
}
