import Plumb
import PlumbIO

/// Handles requests below `{name}/FeatureServer` of a network.
struct NetworkFeatureServer {
  private let service: NetworkService

  init(_ service: NetworkService) { self.service = service }

  func content(
    _ path: [String], _ parameters: Parameters, _ form: ReplyForm
  ) throws -> ReplyContent {
    let layers = try service.layers()
    guard let first = path.first else { return .json(description(layers)) }
    if first.lowercased() == "querydataelements", path.count == 1 {
      if let layers = try parameters.integers("layers"), !layers.contains(Int64(service.number)) {
        throw ServiceError(
          "'layers' parameter is invalid: only layer \(service.number) has a data element")
      }
      return .json(try dataElements())
    }
    guard let number = Int(first), path.count <= 2 else {
      throw ServiceError.notFound("Invalid URL")
    }
    if number == service.number, path.count == 1 { return .json(network(layers)) }
    guard let layer = layers.first(where: { $0.number == number }) else {
      throw ServiceError.notFound("Invalid Layer or Table ID: \(first.shown).")
    }
    guard path.count == 2 else { return .json(TableDescription(layer: layer).json) }
    guard path[1].lowercased() == "query" else { throw ServiceError.notFound("Invalid URL") }
    let query = try RowQuery(parameters, form: form, reference: layer.rows.reference)
    return try RowReply(rows: layer.rows, query: query).content()
  }

  private func dataElements() throws -> [UInt8] {
    guard let elements = service.dataElements else {
      throw ServiceError("the network \(service.name.shown) has no definition in a document")
    }
    return elements.bytes
  }

  private func description(_ layers: [NetworkService.Layer]) -> JSONObject {
    var object = JSONObject()
    FeatureServiceDescription.start(&object)
    object.add("layers", [networkEntry] + layers.filter { $0.rows.shape != nil }.map(entry))
    object.add("tables", layers.filter { $0.rows.shape == nil }.map(entry))
    if let reference = service.reference { object.add("spatialReference", reference.json) }
    let extent = service.extent(of: layers) ?? .empty(service.reference)
    object.add("initialExtent", extent.json)
    object.add("fullExtent", extent.json)
    object.add("units", service.reference?.esriUnits ?? "esriUnknownUnits")
    var controller = JSONObject()
    controller.add("utilityNetworkLayerId", service.number)
    object.add("controllerDatasetLayers", controller)
    return object
  }

  private var networkEntry: JSONObject {
    LayerEntry(
      number: service.number, name: service.name, type: "Utility Network Layer", isVisible: false
    ).json
  }

  private func entry(_ layer: NetworkService.Layer) -> JSONObject {
    LayerEntry(
      number: layer.number, name: layer.name, type: layer.typeName, shape: layer.rows.shape
    ).json
  }

  /// Returns the network as a layer of its service.
  private func network(_ layers: [NetworkService.Layer]) -> JSONObject {
    var object = JSONObject()
    object.add("currentVersion", json: ServiceVersion.text)
    object.add("id", service.number)
    object.add("name", service.name)
    object.add("type", "Utility Network Layer")
    if let reference = service.reference { object.add("spatialReference", reference.json) }
    var system = JSONObject()
    if let associations = layers.first(where: { $0.sourceID == nil }) {
      system.add("associationsTableId", associations.number)
    }
    object.add("systemLayers", system)
    object.add("capabilities", "Query")
    return object
  }
}
