import PlumbCore
import PlumbIO
import PlumbLayers
import PlumbSources

/// The metadata of a layer of a feature or map service, as required for queries.
package struct RemoteLayerInfo {
  /// A field as declared by the service.
  struct Column {
    var name: String
    var alias: String
    /// Esri's type name, such as `esriFieldTypeDate`.
    var type: String
    /// Whether the field's numbers represent true and false.
    var isBoolean = false

    var field: Field { Field(name: name, kind: kind) }

    private var kind: FieldKind {
      if isBoolean { return .boolean }
      return switch type {
      case "esriFieldTypeOID", "esriFieldTypeInteger", "esriFieldTypeSmallInteger",
        "esriFieldTypeBigInteger":
        .integer
      case "esriFieldTypeDouble", "esriFieldTypeSingle": .real
      default: .text
      }
    }

    /// Converts a value to its form in local tables, in which times are ISO 8601 strings.
    func value(_ value: FieldValue) -> FieldValue {
      if isBoolean {
        if case .integer(let number) = value, number == 0 || number == 1 {
          return .boolean(number == 1)
        }
        return value
      }
      guard type == "esriFieldTypeDate" else { return value }
      switch value {
      case .integer(let milliseconds): return .text(Self.text(milliseconds))
      case .real(let number):
        return Int64(exactly: number.rounded()).map { .text(Self.text($0)) } ?? value
      default: return value
      }
    }

    private static func text(_ milliseconds: Int64) -> String {
      ISOTime.text(milliseconds: milliseconds)
    }
  }

  let name: String
  let type: String
  let columns: [Column]
  /// The index of the object id column; nil if there is none.
  let numberColumn: Int?
  /// The WKT name of the geometry type; nil for a table.
  let geometryKind: String?
  private(set) var extent: Envelope?
  private(set) var reference: SpatialReference?
  /// The CRS as written by the service; nil if the service does not specify a CRS.
  private(set) var referenceText: String?
  /// Whether the layer supports `query`.
  let hasQuery: Bool
  let hasZ: Bool
  let hasM: Bool
  let hasAttachments: Bool
  /// The maximum number of features in a reply; 1000 if the service does not specify a maximum.
  let maximumRecords: Int
  let hasPages: Bool
  /// Whether queries can compare a window with the envelopes of geometries.
  let comparesBoxes: Bool
  let defaults: LayerDefaults

  private static let hidden: Set<String> = [
    "esriFieldTypeGeometry", "esriFieldTypeBlob", "esriFieldTypeRaster",
  ]

  /// - Throws: for members of the metadata that cannot be used.
  package init(_ node: DocumentNode, access: DocumentAccess) throws(DocumentFault) {
    name = try node.member("name")?.name() ?? ""
    type = try node.text("type") ?? "Feature Layer"
    var columns: [Column] = []
    for field in try node.elements("fields") ?? [] {
      let name = try field.required("name", "a string").text()
      let type = try field.text("type") ?? "esriFieldTypeString"
      guard !Self.hidden.contains(type), !columns.contains(where: { $0.name == name }) else {
        continue
      }
      let alias = (try? field.text("alias")) ?? nil
      let isBoolean = (try? field.text("sqlType")) == "sqlTypeBit"
      columns.append(
        Column(name: name, alias: alias ?? name, type: type, isBoolean: isBoolean))
    }
    self.columns = columns
    let numbers = try node.text("objectIdField")
    numberColumn =
      columns.firstIndex { $0.name == numbers }
      ?? columns.firstIndex { $0.type == "esriFieldTypeOID" }
    let kinds = [
      "esriGeometryPoint": "Point", "esriGeometryMultipoint": "MultiPoint",
      "esriGeometryPolyline": "MultiLineString", "esriGeometryPolygon": "MultiPolygon",
      "esriGeometryEnvelope": "Polygon",
    ]
    geometryKind = try node.text("geometryType").flatMap { kinds[$0] }
    let box = try node.member("extent")
    let named = try node.firstMember("sourceSpatialReference")
    let boxReference = try box?.member("spatialReference")
    var reference: SpatialReference?
    var text: [UInt8] = []
    for candidate in [named, boxReference] where reference == nil {
      reference = try candidate?.spatialReference(access)
      if reference != nil { candidate?.tree.append(to: &text) }
    }
    self.reference = reference
    referenceText = reference == nil ? nil : String(decoding: text, as: UTF8.self)
    // An extent in a CRS other than the CRS of the geometries would be wrong, and is ignored.
    let other = (try? boxReference?.spatialReference(access)) ?? nil
    let isSameReference = named == nil || boxReference == nil || other == reference
    extent = isSameReference ? box?.box(reference) : nil
    hasQuery = try node.text("capabilities").map { $0.contains("Query") } ?? true
    hasZ = try node.flag("hasZ") ?? false
    hasM = try node.flag("hasM") ?? false
    hasAttachments = try node.flag("hasAttachments") ?? false
    let records = try node.firstMember("maxRecordCount", "standardMaxRecordCount")?.integer()
    maximumRecords = Int(min(max(records ?? 1000, 1), 1 << 20))
    let advanced = try node.member("advancedQueryCapabilities")
    let pages = try advanced?.flag("supportsPagination")
    let layerPages = try node.flag("supportsPagination")
    hasPages = pages ?? layerPages ?? false
    let relations = (try? node.elements("supportedSpatialRelationships")) ?? nil
    comparesBoxes =
      relations?.contains { (try? $0.text()) == "esriSpatialRelEnvelopeIntersects" } ?? true
    var defaults = LayerDefaults()
    defaults.attribution = node.attribution ?? ""
    defaults.scaleRange = ScaleRange(
      minScale: try node.size("minScale") ?? 0, maxScale: try node.size("maxScale") ?? 0)
    // If the renderer cannot be read, features have no symbol size.
    if let drawing = try node.member("drawingInfo"), try drawing.flag("isDefault") != true {
      defaults.renderer = try? drawing.member("renderer")?.renderer()
      defaults.undrawn = node.undrawnParts
    }
    self.defaults = defaults
  }
}

extension RemoteLayerInfo {
  /// Returns the same metadata for features requested in another CRS.
  func requested(in reference: SpatialReference, _ text: String) -> RemoteLayerInfo {
    var info = self
    if info.reference != reference { info.extent = nil }
    (info.reference, info.referenceText) = (reference, text)
    return info
  }
}

extension DocumentNode {
  /// The extent's box; nil if the extent is empty or invalid.
  func box(_ reference: SpatialReference?) -> Envelope? {
    guard let xMin = try? number("xmin"), let yMin = try? number("ymin"),
      let xMax = try? number("xmax"), let yMax = try? number("ymax"), xMin <= xMax, yMin <= yMax
    else { return nil }
    return Envelope(
      xMin: xMin, yMin: yMin, xMax: xMax, yMax: yMax, spatialReference: reference)
  }
}
