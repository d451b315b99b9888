import PlumbCore
import PlumbFormats
import PlumbGeometry
import PlumbLayers

/// A layer of features that stand in the map document itself: one entry of `featureCollection.layers`
/// with its `layerDefinition` and its `featureSet` of EsriJSON features.
struct EmbeddedFeatures {
  let settings: LayerSettings
  let table: MemoryFeatureTable

  /// - Throws: where the entry is not what it should be; a feature that cannot be read is named.
  init(_ node: DocumentNode, access: DocumentAccess) throws(DocumentFault) {
    settings = try LayerSettings(node)
    let definition = try node.member("layerDefinition")?.object()
    let set = try node.member("featureSet")?.object()
    let features = try set?.elements("features") ?? []
    var declared = try definition?.elements("fields")
    if declared == nil { declared = try set?.elements("fields") }
    let fields = try Self.fields(of: declared, features)
    var reference = try set?.member("spatialReference")?.spatialReference(access)
    for node in [definition, try definition?.member("extent")] where reference == nil {
      reference = try node?.member("spatialReference")?.spatialReference(access)
    }
    let numbers = try definition?.text("objectIdField")
    var rows: [Feature] = []
    rows.reserveCapacity(features.count)
    for feature in features {
      rows.append(try Self.feature(feature, fields, numberedBy: numbers, access))
    }
    table = MemoryFeatureTable(fields: fields, features: rows, spatialReference: reference)
  }

  /// The declared columns; without a declaration, the attributes' names in alphabetical order.
  private static func fields(
    of declared: [DocumentNode]?, _ features: [DocumentNode]
  ) throws(DocumentFault) -> [Field] {
    if let declared {
      var fields: [Field] = []
      for field in declared {
        let name = try field.required("name", "a text").text()
        fields.append(Field(name: name, kind: kind(of: try field.text("type") ?? "")))
      }
      return fields
    }
    var names: Set<String> = []
    for feature in features {
      guard case .object(let members)? = try feature.member("attributes")?.tree else { continue }
      names.formUnion(members.keys)
    }
    return names.sorted().map { Field(name: $0, kind: .text) }
  }

  private static func kind(of type: String) -> FieldKind {
    switch type {
    case "esriFieldTypeOID", "esriFieldTypeInteger", "esriFieldTypeSmallInteger",
      "esriFieldTypeBigInteger", "esriFieldTypeDate":
      .integer
    case "esriFieldTypeDouble", "esriFieldTypeSingle": .real
    default: .text
    }
  }

  private static func feature(
    _ node: DocumentNode, _ fields: [Field], numberedBy numbers: String?,
    _ access: DocumentAccess
  ) throws(DocumentFault) -> Feature {
    let attributes = try node.object().member("attributes")?.object()
    var feature = Feature()
    for field in fields {
      let value = try attributes?.member(field.name).map { $0.fieldValue } ?? .null
      feature.attributes.append(value)
      if field.name == numbers, case .integer(let number) = value { feature.id = number }
    }
    guard let shape = try node.member("geometry") else { return feature }
    // Said apart first, with the document's wall.
    if case .object? = try shape.object().member("spatialReference")?.tree {
      _ = try shape.member("spatialReference")?.spatialReference(access)
    }
    var text: [UInt8] = []
    shape.tree.append(to: &text)
    do throws(FormatError) {
      feature.geometry = try EsriJSONGeometry.decode(String(decoding: text, as: UTF8.self)) {
        try SpatialReference($0)
      }
    } catch {
      throw shape.fault(error.message)
    }
    return feature
  }
}

extension DocumentNode {
  /// A value as an attribute; lists and objects stay JSON text.
  fileprivate var fieldValue: FieldValue {
    switch tree {
    case .null: return .null
    case .boolean(let flag): return .boolean(flag)
    case .integer(let number): return .integer(number)
    case .real(let number): return .real(number)
    case .text(let text): return .text(text)
    case .list, .object:
      var text: [UInt8] = []
      tree.append(to: &text)
      return .json(String(decoding: text, as: UTF8.self))
    }
  }
}
