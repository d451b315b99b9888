import Plumb
import PlumbIO

/// Answers what lies below `{name}/MapServer`.
struct MapServer {
  private let service: MapService
  private let request: ServiceRequest

  init(_ service: MapService, _ request: ServiceRequest) {
    (self.service, self.request) = (service, request)
  }

  func content(
    _ path: [String], _ parameters: Parameters, _ form: ReplyForm
  ) throws -> ReplyContent {
    guard let first = path.first else { return .json(MapDescription(service: service).json()) }
    switch (first.lowercased(), path.count) {
    case ("layers", 1): return .json(try layers(isOfFeatures: false))
    case ("legend", 1): return .json(try MapLegend(service: service).json())
    case ("identify", 1): return try MapIdentify(parameters, of: service).content()
    case ("export", 1):
      return try MapExport(service: service).content(
        parameters, form, href: request.pictureAddress(parameters))
    default: return try LayerPath(service: service, isOfFeatures: false).content(path, parameters, form)
    }
  }

  private func layers(isOfFeatures: Bool) throws -> JSONObject {
    try LayerPath(service: service, isOfFeatures: isOfFeatures).all()
  }
}

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

extension ServiceRequest {
  /// Where the picture of the same parameters is.
  func pictureAddress(_ parameters: Parameters) -> String {
    let query = parameters.all.filter { $0.name != "f" && $0.name != "token" }
      .map { "\(PercentText.encode($0.name))=\(PercentText.encode($0.value))" }
    return "\(origin)\(path)?" + (query + ["f=image"]).joined(separator: "&")
  }
}
