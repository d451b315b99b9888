import PlumbCore
import PlumbIO

/// A request to `UtilityNetworkServer/trace`.
package struct UtilityTraceRequest: Sendable, Hashable {
  package enum TraceType: String, Sendable, CaseIterable {
    case connected, subnetwork, subnetworkController, upstream, downstream, loops, shortestPath
    case isolation
  }

  package enum LocationType: String, Sendable, CaseIterable {
    case startingPoint, barrier
  }

  package struct Location: Sendable, Hashable {
    package var type: LocationType
    /// The id as in the request, with or without braces.
    package var globalID: String
    /// The id of a junction's terminal.
    package var terminalID: Int?
    /// The position along an edge, as a fraction between 0 and 1, measured from the first vertex.
    package var percentAlong: Double?
    package var isFilterBarrier: Bool
  }

  package enum ResultKind: String, Sendable, CaseIterable {
    case elements, aggregatedGeometry, connectivity, features, associations
    case diagram, network
  }

  package struct ResultType: Sendable, Hashable {
    package var type: ResultKind
    package var includeGeometry: Bool
    var includePropagatedValues: Bool
    package var networkAttributeNames: [String]
  }

  package var traceType: TraceType
  package var traceLocations: [Location]
  package var traceConfiguration: UtilityTraceConfiguration?
  /// The id of a stored configuration, which may be given instead of `traceConfiguration`.
  package var traceConfigurationGlobalID: String?
  package var resultTypes: [ResultType]

  /// Reads a request. Its lists and objects may be strings that contain JSON, because forms send
  /// strings. Unknown members are ignored.
  ///
  /// - Throws: a one-line error that starts with the position.
  package init(json bytes: UnsafeRawBufferPointer) throws(FormatError) {
    try self.init(try JSONTree(bytes))
  }

  /// Reads a request like `init(json:)`.
  package init(_ tree: JSONTree) throws(FormatError) {
    let node = JSONNode(tree)
    traceType = try Self.traceType(node)
    traceLocations = try Self.unwrapped(node, "traceLocations") { node throws(FormatError) in
      try Location(node)
    }
    traceConfiguration =
      if let configuration = try node.member("traceConfiguration"),
        configuration.tree.isNotEmptyText
      {
        try UtilityTraceConfiguration(try configuration.unwrapped())
      } else {
        nil
      }
    traceConfigurationGlobalID = try node.text("traceConfigurationGlobalId")
    resultTypes = try Self.resultTypes(node)
  }

  static func resultTypes(_ node: JSONNode) throws(FormatError) -> [ResultType] {
    try unwrapped(node, "resultTypes") { node throws(FormatError) in
      ResultType(
        type: try node.required("type", expected: "a string such as elements").choice(
          ResultKind.self),
        includeGeometry: try node.flag("includeGeometry") ?? false,
        includePropagatedValues: try node.flag("includePropagatedValues") ?? false,
        networkAttributeNames: try node.list("networkAttributeNames") {
          node throws(FormatError) in try node.text()
        })
    }
  }

  static func traceType(_ node: JSONNode) throws(FormatError) -> TraceType {
    let type = try node.required("traceType", expected: "a string such as connected")
    // Web pages and clients also send the plural, or the name as two words.
    switch try type.text().lowercased() {
    case "subnetworkcontrollers", "subnetwork controllers", "subnetwork controller":
      return .subnetworkController
    default: return try type.choice(TraceType.self)
    }
  }

  private static func unwrapped<Element>(
    _ node: JSONNode, _ name: String, _ read: (JSONNode) throws(FormatError) -> Element
  ) throws(FormatError) -> [Element] {
    guard let member = try node.member(name), member.tree.isNotEmptyText else { return [] }
    var result: [Element] = []
    for element in try member.unwrapped().elements() { result.append(try read(element)) }
    return result
  }
}

extension JSONTree {
  /// Whether the value is not an empty string, which clients send for omitted members.
  var isNotEmptyText: Bool {
    if case .text("") = self { return false }
    return true
  }
}

extension UtilityTraceRequest.Location {
  init(_ node: JSONNode) throws(FormatError) {
    type = try node.required("traceLocationType", expected: "startingPoint or barrier").choice(
      UtilityTraceRequest.LocationType.self)
    globalID = try node.requiredText("globalId")
    terminalID = try node.integer("terminalId")
    isFilterBarrier = try node.flag("isFilterBarrier") ?? false
    if let along = try node.member("percentAlong") {
      let fraction = try along.number()
      guard fraction >= 0, fraction <= 1 else {
        throw along.fault("expected a number from 0 to 1, found \(fraction)")
      }
      percentAlong = fraction
    }
  }
}

/// A configuration that a network stores under a name.
package struct NamedTraceConfiguration: Sendable, Hashable {
  package var name: String
  package var globalID: String?
  package var description: String?
  package var traceType: UtilityTraceRequest.TraceType
  package var traceConfiguration: UtilityTraceConfiguration
  package var resultTypes: [UtilityTraceRequest.ResultType]

  /// Reads the reply of `UtilityNetworkServer/traceConfigurations/query`.
  ///
  /// - Throws: a one-line error that starts with the position.
  package static func list(
    json bytes: UnsafeRawBufferPointer
  ) throws(FormatError) -> [NamedTraceConfiguration] {
    let root = try JSONNode.root(bytes)
    try root.refuseServiceError()
    _ = try root.required("traceConfigurations", expected: "a list")
    return try root.list("traceConfigurations", unique: "name", \.name) {
      node throws(FormatError) in
      NamedTraceConfiguration(
        name: try node.requiredText("name"), globalID: try node.text("globalId"),
        description: try node.text("description"),
        traceType: try UtilityTraceRequest.traceType(node),
        traceConfiguration: try UtilityTraceConfiguration(
          try node.required("traceConfiguration", expected: "an object").unwrapped()),
        resultTypes: try UtilityTraceRequest.resultTypes(node))
    }
  }
}
