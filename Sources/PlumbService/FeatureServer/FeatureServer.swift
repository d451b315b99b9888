import Plumb
import PlumbIO

/// Handles requests below `{name}/FeatureServer` of a map.
struct FeatureServer {
  private let service: MapService

  init(_ service: MapService) { self.service = service }

  func content(
    _ path: [String], _ parameters: Parameters, _ form: ReplyForm
  ) throws -> ReplyContent {
    let layers = LayerPath(service: service, isOfFeatures: true)
    guard let first = path.first else { return .json(description) }
    if first.lowercased() == "layers", path.count == 1 { return try layers.all() }
    return try layers.content(path, parameters, form)
  }

  private var description: JSONObject {
    var object = JSONObject()
    FeatureServiceDescription.start(&object)
    let listed = service.layers.filter { !$0.isRaster }
    object.add("layers", listed.filter { !service.isTable($0) }.map(service.entry))
    object.add("tables", listed.filter { service.isTable($0) }.map(service.entry))
    object.add("spatialReference", service.reference.json)
    let extent = service.extent ?? .empty(service.reference)
    object.add("initialExtent", extent.json)
    object.add("fullExtent", extent.json)
    object.add("allowGeometryUpdates", false)
    object.add("units", service.reference.esriUnits)
    return object
  }
}

/// The first members of the descriptions of all feature services.
enum FeatureServiceDescription {
  static func start(_ object: inout JSONObject) {
    object.add("currentVersion", json: ServiceVersion.text)
    object.add("serviceDescription", "")
    object.add("hasVersionedData", false)
    object.add("supportsDisconnectedEditing", false)
    object.add("hasStaticData", true)
    object.add("maxRecordCount", ServiceLimits.records)
    object.add("supportedQueryFormats", "JSON, geoJSON")
    object.add("capabilities", "Query")
    object.add("description", "")
    object.add("copyrightText", "")
    for name in [
      "syncEnabled", "supportsApplyEditsWithGlobalIds", "supportsRelationshipsResource",
      "enableZDefaults", "allowUpdateWithoutMValues", "supportsQueryDomains", "supportsTrueCurve",
    ] {
      object.add(name, false)
    }
    object.add("relationships", [])
  }
}
