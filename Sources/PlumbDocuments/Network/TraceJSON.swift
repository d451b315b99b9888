import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbNetwork

/// Writes trace results as JSON.
struct TraceJSON {
  package let network: UtilityNetwork
  package private(set) var bytes: [UInt8] = []

  package init(_ network: UtilityNetwork) { self.network = network }

  package mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  package mutating func members(_ members: [(String, FieldValue)]) {
    GeoJSONRowText.append(members: members, to: &bytes)
  }

  package mutating func list<Item>(
    _ items: some Collection<Item>, _ body: (inout TraceJSON, Item) -> Void
  ) {
    append("[")
    var isFirst = true
    for item in items {
      if !isFirst { append(",") }
      isFirst = false
      body(&self, item)
    }
    append("]")
  }

  package mutating func object(_ members: [(String, FieldValue)]) {
    append("{")
    self.members(members)
    append("}")
  }

  package mutating func text(_ text: String) { JSONText.append(text, to: &bytes) }

  // MARK: Elements

  /// Appends an element as an object with Esri's members, and with names in addition to the codes.
  ///
  /// `positionFrom` and `positionTo` of a junction are 0. `terminalId` and `terminalName` are null
  /// for an element without terminals. `parts` is present only if several parts of an edge were
  /// reached.
  package mutating func element(_ traced: TracedElement) {
    append("{")
    members(facts(traced))
    if let parts = traced.parts {
      append(",\"parts\":")
      list(parts) { json, part in
        json.append("[")
        JSONText.append(part.lowerBound, to: &json.bytes)
        json.append(",")
        JSONText.append(part.upperBound, to: &json.bytes)
        json.append("]")
      }
    }
    append("}")
  }

  /// The names of the values that `facts(_:)` returns, in the same order.
  static let factNames = [
    "networkSourceId", "sourceName", "globalId", "objectId", "terminalId", "terminalName",
    "assetGroupCode", "assetGroupName", "assetTypeCode", "assetTypeName", "positionFrom",
    "positionTo",
  ]

  package func facts(_ traced: TracedElement) -> [(String, FieldValue)] {
    let known = network.describe(traced.element)
    let terminal = known.terminals.first { $0.id == traced.terminalID }
    return [
      ("networkSourceId", .integer(Int64(known.sourceID))),
      ("sourceName", .text(known.sourceName)), ("globalId", .text(known.globalID)),
      ("objectId", known.objectID.map { .integer($0) } ?? .null),
      ("terminalId", traced.terminalID.map { .integer(Int64($0)) } ?? .null),
      ("terminalName", terminal.map { .text($0.name) } ?? .null),
      ("assetGroupCode", .integer(Int64(known.assetGroup))),
      ("assetGroupName", .text(known.assetGroupName)),
      ("assetTypeCode", .integer(Int64(known.assetType))),
      ("assetTypeName", .text(known.assetTypeName)),
      ("positionFrom", .real(traced.positionFrom)), ("positionTo", .real(traced.positionTo)),
    ]
  }

  package mutating func barrier(_ barrier: IsolationBarrier) {
    append("{\"element\":")
    element(network.traced(barrier.location))
    append(",")
    members([("reason", .text(barrier.reason.rawValue)), ("why", .text(barrier.why))])
    append("}")
  }

  /// Appends a one-way element on which the isolation depends, with the additional members `kind`
  /// and `why`.
  package mutating func hold(_ hold: IsolationHold) {
    object(
      facts(network.traced(TraceLocation(hold.element))) + [
        ("kind", .text(hold.kind.rawValue)), ("why", .text(network.why(hold))),
      ])
  }

  package mutating func plan(_ plan: PartialIsolationPlan) {
    append("{\"shut\":")
    list(plan.shut) { $0.element($1) }
    append(",\"isolating\":")
    list(plan.isolating) { $0.barrier($1) }
    append(",\"boundingOnly\":")
    list(plan.boundingOnly) { $0.barrier($1) }
    append(",\"isolated\":")
    list(plan.isolated) { $0.element($1) }
    append(",\"lost\":")
    list(plan.lost) { $0.count($1) }
    append("}")
  }

  package mutating func count(_ count: AssetTypeCount) {
    let names = network.names(of: count)
    object([
      ("networkSourceId", .integer(Int64(count.sourceID))), ("sourceName", .text(names.source)),
      ("assetGroupCode", .integer(Int64(count.assetGroup))),
      ("assetGroupName", .text(names.group)),
      ("assetTypeCode", .integer(Int64(count.assetType))), ("assetTypeName", .text(names.type)),
      ("count", .integer(Int64(count.count))),
    ])
  }
}

extension UtilityNetwork {
  /// Returns a location as an element of a result.
  package func traced(_ location: TraceLocation) -> TracedElement {
    guard isEdge(location.element) else {
      return TracedElement(element: location.element, terminalID: location.terminalID)
    }
    let fraction = location.fractionAlongEdge
    return TracedElement(
      element: location.element, positionFrom: fraction ?? 0, positionTo: fraction ?? 1)
  }

  /// Returns the names of an asset type in the definition.
  package func names(of count: AssetTypeCount) -> (source: String, group: String, type: String) {
    let source = definition.domainNetworks.lazy.flatMap(\.sources)
      .first { $0.id == count.sourceID }
    let group = source?.assetGroups.first { $0.code == count.assetGroup }
    let type = group?.assetTypes.first { $0.code == count.assetType }
    return (
      source?.name ?? "\(count.sourceID)", group?.name ?? "\(count.assetGroup)",
      type?.name ?? "\(count.assetType)"
    )
  }
}

extension UtilityTraceResult {
  /// Returns the result in the format of a reply of `UtilityNetworkServer/trace`. The result
  /// contains names in addition to the codes. Isolation traces have an additional member
  /// `isolation` next to `traceResults`.
  public func json(in network: UtilityNetwork) -> [UInt8] {
    var json = TraceJSON(network)
    json.append("{\"traceResults\":{\"elements\":")
    json.list(elements) { $0.element($1) }
    json.append(",\"possible\":")
    json.list(possible) { $0.element($1) }
    json.append(",\"globalFunctionResults\":")
    json.list(functionResults) { json, result in
      json.object([
        ("functionType", .text(result.function.type.rawValue)),
        ("networkAttributeName", result.function.attribute.map { .text($0) } ?? .null),
        ("result", result.value.map { .real($0) } ?? .null),
      ])
    }
    json.append(",\"warnings\":")
    json.list(warnings) { $0.text($1) }
    json.append(",\"startingPointsIgnored\":\(startingPointsIgnored)")
    if let foundAllNearest { json.append(",\"kFeaturesForKNNFound\":\(foundAllNearest)") }
    if let pathCost {
      json.append(",")
      json.members([("pathCost", .real(pathCost))])
    }
    if let geometry { json.geometry(geometry) }
    json.append("}")
    if let isolation {
      json.append(",\"isolation\":{\"isolating\":")
      json.list(isolation.isolating) { $0.barrier($1) }
      json.append(",\"boundingOnly\":")
      json.list(isolation.boundingOnly) { $0.barrier($1) }
      json.append(",\"isolated\":")
      json.list(isolation.isolated) { $0.element($1) }
      json.append(",\"alreadyWithoutSupply\":")
      json.list(isolation.alreadyWithoutSupply) { $0.element($1) }
      json.append(",\"lost\":")
      json.list(isolation.lost) { $0.count($1) }
      json.append(",\"heldBy\":")
      json.list(isolation.heldBy) { $0.hold($1) }
      json.append(",\"controllersNotIsolated\":")
      json.list(isolation.controllersNotIsolated) { $0.element($1) }
      json.append(",\"partialPlan\":")
      if let plan = isolation.partialPlan { json.plan(plan) } else { json.append("null") }
      json.append("}")
    }
    json.append(",\"success\":\(isSuccess)}\n")
    return json.bytes
  }
}

extension TraceJSON {
  /// Appends Esri's `aggregatedGeometry`, with null for missing geometries.
  fileprivate mutating func geometry(_ geometry: TracedGeometry) {
    append(",\"aggregatedGeometry\":{\"point\":")
    if let points = geometry.multipoint {
      append("{\"points\":")
      list(points.vertices.xy) { $0.point($1) }
      append("}")
    } else {
      append("null")
    }
    append(",\"line\":")
    if let line = geometry.polyline {
      append("{\"paths\":")
      list(line.parts) { json, part in json.list(line.vertices.xy[part]) { $0.point($1) } }
      append("}")
    } else {
      append("null")
    }
    append(",\"polygon\":null}")
  }

  package mutating func point(_ point: SIMD2<Double>) {
    append("[")
    JSONText.append(point.x, to: &bytes)
    append(",")
    JSONText.append(point.y, to: &bytes)
    append("]")
  }
}
