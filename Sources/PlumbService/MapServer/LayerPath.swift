import Plumb
import PlumbIO

/// Handles requests whose path begins with a layer's number in map and feature services.
struct LayerPath {
  let service: MapService
  let isOfFeatures: Bool

  /// Returns the descriptions of all layers. Layers that fail are omitted and listed as warnings.
  func all() throws -> ReplyContent {
    var list: [JSONObject] = []
    var warnings: [String] = []
    for layer in service.layers {
      try WorkCancellation.checkCurrent()
      do {
        let description = LayerDescription(
          service: service, layer: layer, isOfFeatures: isOfFeatures)
        list.append(try description.json())
      } catch {
        warnings.append(layer.omission(error))
      }
    }
    var object = JSONObject()
    object.add("layers", list)
    object.add("tables", [])
    return .json(object, warnings: warnings)
  }

  func content(
    _ path: [String], _ parameters: Parameters, _ form: ReplyForm
  ) throws -> ReplyContent {
    guard let first = path.first, Int(first) != nil, path.count <= 2 else {
      throw ServiceError.notFound("Invalid URL")
    }
    let layer = try service.layer(first)
    guard path.count == 2 else {
      return .json(
        try LayerDescription(service: service, layer: layer, isOfFeatures: isOfFeatures).json())
    }
    switch path[1].lowercased() {
    case "query":
      let rows = try service.rows(of: layer)
      let query = try RowQuery(parameters, form: form, reference: rows.reference)
      return try RowReply(
        rows: rows, query: query, displayField: isOfFeatures ? nil : rows.displayField
      ).content()
    default: throw ServiceError.notFound("Invalid URL")
    }
  }
}
