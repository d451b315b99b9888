import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbLayers
import PlumbSources

/// The response of a map service to `identify`.
package struct RemoteIdentifyResponse {
  /// A result in the response.
  package struct Item {
    let layer: Int64
    /// The attributes by name, without an order, because the members of a JSON object are not
    /// ordered.
    let attributes: [String: JSONTree]
    /// The cell value that the service returned.
    let value: JSONTree?
    fileprivate let geometry: JSONTree?
  }

  package private(set) var results: [Item] = []
  let isTruncated: Bool
  /// The error messages of failed sublayers, by the id of the sublayer.
  private(set) var failures: [Int64: String] = [:]

  package init(_ tree: JSONTree, at address: ServiceAddress) throws {
    let root = DocumentNode(tree, document: address.appending("identify").shown)
    for node in try root.required("results", "a list").elements() {
      let layer = try node.required("layerId", "a whole number").integer()
      guard case .object(let attributes)? = try node.member("attributes")?.tree else { continue }
      results.append(
        Item(
          layer: layer, attributes: attributes, value: try node.member("value")?.tree,
          geometry: try node.member("geometry")?.tree))
    }
    isTruncated = try root.flag("exceededTransferLimit") ?? false
    for node in try root.elements("errors") ?? [] {
      let id = try node.required("layerId", "a whole number").integer()
      failures[id] = try node.text("message") ?? "it failed"
    }
  }
}

extension RemoteIdentifyResponse.Item {
  /// Converts the result to a feature of its sublayer.
  package func feature(
    _ info: RemoteLayerInfo, _ reference: SpatialReference?, _ access: DocumentAccess
  ) throws -> Feature {
    var feature = Feature()
    let isFormatted = attributes.values.allSatisfy { if case .text = $0 { true } else { false } }
    feature.attributes = info.columns.map { column in
      // Old services use field aliases as names, and write all values as strings.
      guard let tree = attributes[column.name] ?? attributes[column.alias] else { return .null }
      return column.value(tree.value(of: column.field.kind, isFormatted: isFormatted))
    }
    if let number = info.numberColumn, case .integer(let id) = feature.attributes[number] {
      feature.id = id
    }
    feature.geometry = try shape(reference, access)
    return feature
  }

  /// - Throws: if the geometry is invalid, because hits cannot be determined without a geometry.
  func shape(_ reference: SpatialReference?, _ access: DocumentAccess) throws -> Geometry? {
    guard let geometry else { return nil }
    var text: [UInt8] = []
    geometry.append(to: &text)
    var shape = try text.withUnsafeBytes { bytes in
      try EsriJSONGeometry.decode(bytes) { try SpatialReference.inDocument($0, access) }
    }
    if let reference { shape?.spatialReference = reference }
    return shape
  }
}

extension JSONTree {
  /// The value; lists and objects are converted to JSON text.
  var plainValue: FieldValue {
    switch self {
    case .null: return .null
    case .boolean(let flag): return .boolean(flag)
    case .integer(let number): return .integer(number)
    case .real(let number): return .real(number)
    case .text(let text): return .text(text)
    case .list, .pair, .integerPair, .object, .source:
      var text: [UInt8] = []
      append(to: &text)
      return .json(String(decoding: text, as: UTF8.self))
    }
  }

  /// The value of a field; strings are parsed according to the field's type.
  ///
  /// - Parameter isFormatted: whether all values of the feature are formatted strings.
  func value(of kind: FieldKind, isFormatted: Bool) -> FieldValue {
    switch (self, kind) {
    case (.boolean(let flag), .text): return .text(flag ? "true" : "false")
    case (.integer(let number), .real): return .real(Double(number))
    case (.integer(let number), .text): return .text("\(number)")
    case (.real(let number), .integer):
      return Int64(exactly: number).map { .integer($0) } ?? .real(number)
    case (.text(let text), _):
      // Esri's services write missing values as `Null` or `<Null>`.
      if isFormatted, text == "Null" || text == "<Null>" { return .null }
      switch kind {
      case .integer: return Int64(text).map { .integer($0) } ?? .text(text)
      case .real: return Double(text).map { .real($0) } ?? .text(text)
      default: return .text(text)
      }
    default: return plainValue
    }
  }
}
