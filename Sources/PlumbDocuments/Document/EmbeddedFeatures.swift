import PlumbCore
import PlumbFormats
import PlumbGeometry
import PlumbIO
import PlumbLayers
import PlumbSources

/// A layer of features embedded in the map document: one entry of
/// `featureCollection.layers` with its `layerDefinition` and its `featureSet` of EsriJSON features.
struct EmbeddedFeatures {
  package let settings: LayerSettings
  package let table: MemoryFeatureTable

  /// Reads the entry. A feature whose geometry cannot be used has no geometry, and is reported in the table's
  /// `warning`.
  ///
  /// - Throws: if the entry is invalid.
  package init(_ node: DocumentNode, access: DocumentAccess) throws(DocumentFault) {
    settings = try LayerSettings(node)
    var text: [UInt8] = []
    try Self.featureSet(of: node, access).append(to: &text)
    let read = text.withUnsafeBytes { bytes in
      Result { try Self.table(bytes, access) }
    }
    switch read {
    case .success(let table): self.table = table
    case .failure(let error as FormatError):
      // Omits the offset of the error, because the offset refers to the text serialized here.
      throw try (node.member("featureSet") ?? node).fault(error.message)
    case .failure(let error):
      throw node.fault(error)
    }
  }

  /// The feature set, completed with members of the layer definition.
  private static func featureSet(
    of node: DocumentNode, _ access: DocumentAccess
  ) throws(DocumentFault) -> JSONTree {
    let definition = try node.member("layerDefinition")?.object()
    let set = try node.member("featureSet")?.object()
    let features = try set?.elements("features") ?? []
    for feature in features { try feature.object() }
    var members: [String: JSONTree] = ["features": .list(features.map(\.tree))]
    if let numbers = try definition?.text("objectIdField") {
      members["objectIdFieldName"] = .text(numbers)
    } else if let numbers = try set?.text("objectIdFieldName") {
      members["objectIdFieldName"] = .text(numbers)
    }
    for point in [definition, set] where members["fields"] == nil {
      guard let fields = try point?.elements("fields") else { continue }
      for field in fields {
        _ = try field.required("name", "a string").text()
        _ = try field.text("type")
      }
      members["fields"] = .list(fields.map(\.tree))
    }
    for point in [set, definition] {
      for name in ["hasZ", "hasM"] where members[name] == nil {
        if let flag = try point?.flag(name) { members[name] = .boolean(flag) }
      }
    }
    for point in [set, definition, try definition?.member("extent")]
    where members["spatialReference"] == nil {
      guard let reference = try point?.member("spatialReference") else { continue }
      if try reference.spatialReference(access) != nil {
        members["spatialReference"] = reference.tree
      }
    }
    return .object(members)
  }

  private static func table(
    _ bytes: UnsafeRawBufferPointer, _ access: DocumentAccess
  ) throws -> MemoryFeatureTable {
    let reader = try EsriFeatureReader(bytes) { definition in
      try SpatialReference.inDocument(definition, access)
    }
    var features: [Feature] = []
    features.reserveCapacity(reader.featureCount)
    while let feature = try reader.next() { features.append(feature) }
    return MemoryFeatureTable(
      fields: reader.fields, features: features, spatialReference: reader.spatialReference,
      warning: reader.faults.warning)
  }
}
