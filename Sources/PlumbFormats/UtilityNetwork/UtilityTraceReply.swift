import PlumbCore
import PlumbIO

/// A reply of `UtilityNetworkServer/trace`.
package struct UtilityTraceReply: Sendable, Hashable {
  package struct Element: Sendable, Hashable {
    package var networkSourceID: Int
    package var globalID: String
    package var objectID: Int?
    package var assetGroupCode: Int?
    package var assetTypeCode: Int?
    /// The id of a junction's terminal.
    package var terminalID: Int?
    /// The part of an edge, as fractions between 0 and 1, measured from the first vertex.
    package var positionFrom: Double?
    package var positionTo: Double?
  }

  package struct FunctionResult: Sendable, Hashable {
    package var functionType: UtilityTraceConfiguration.FunctionType
    package var networkAttributeName: String?
    /// The result of the function; nil if there was nothing to evaluate.
    package var result: Double?
  }

  package var elements: [Element]
  package var globalFunctionResults: [FunctionResult]
  package var warnings: [String]
  package var startingPointsIgnored: Bool
  /// Whether as many neighbours were found as were requested.
  package var kFeaturesForKNNFound: Bool?
  package var success: Bool

  /// Reads a reply. Unknown members are ignored.
  ///
  /// - Throws: a one-line error that starts with the position, or the error reported by the service.
  package init(json bytes: UnsafeRawBufferPointer) throws(FormatError) {
    let root = try JSONNode.root(bytes)
    try root.refuseServiceError()
    success = try root.flag("success") ?? true
    let results = try root.required("traceResults", expected: "an object")
    elements = try results.list("elements") { node throws(FormatError) in try Element(node) }
    globalFunctionResults = try results.list("globalFunctionResults") {
      node throws(FormatError) in
      FunctionResult(
        functionType: try UtilityTraceConfiguration.function(node),
        networkAttributeName: try node.text("networkAttributeName"),
        result: try node.member("result")?.number())
    }
    warnings = try results.list("warnings") { node throws(FormatError) in try node.text() }
    startingPointsIgnored = try results.flag("startingPointsIgnored") ?? false
    kFeaturesForKNNFound = try results.flag("kFeaturesForKNNFound")
  }
}

extension UtilityTraceReply.Element {
  init(_ node: JSONNode) throws(FormatError) {
    networkSourceID = try node.requiredInteger("networkSourceId")
    globalID = try node.requiredText("globalId")
    objectID = try node.integer("objectId")
    assetGroupCode = try node.integer("assetGroupCode")
    assetTypeCode = try node.integer("assetTypeCode")
    terminalID = try node.integer("terminalId")
    positionFrom = try Self.fraction(node, "positionFrom")
    positionTo = try Self.fraction(node, "positionTo")
  }

  private static func fraction(_ node: JSONNode, _ name: String) throws(FormatError) -> Double? {
    guard let member = try node.member(name) else { return nil }
    let fraction = try member.number()
    guard fraction >= 0, fraction <= 1 else {
      throw member.fault("expected a number from 0 to 1, found \(fraction)")
    }
    return fraction
  }
}
