import Plumb
import PlumbIO

/// Answers what lies below the number of a layer, in map and feature services.
struct LayerPath {
  let service: MapService
  let isOfFeatures: Bool

  func all() throws -> JSONObject {
    var list: [JSONObject] = []
    for layer in service.layers {
      // One that fails is not described.
      if let own = try? LayerDescription(
        service: service, layer: layer, isOfFeatures: isOfFeatures
      ).json() {
        list.append(own)
      }
    }
    var object = JSONObject()
    object.add("layers", list)
    object.add("tables", [])
    return object
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
      return try RowAnswer(
        rows: rows, query: query, displayField: isOfFeatures ? nil : rows.displayField
      ).content()
    default: throw ServiceError.notFound("Invalid URL")
    }
  }
}
