import Plumb
import PlumbIO

/// Handles requests below `{name}/MapServer`.
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
    case ("layers", 1): return try LayerPath(service: service, isOfFeatures: false).all()
    case ("legend", 1): return try MapLegend(service: service).content()
    case ("identify", 1): return try MapIdentify(parameters, of: service).content()
    case ("export", 1):
      return try MapExport(service: service).content(
        parameters, form, href: request.pictureAddress(parameters))
    default:
      return try LayerPath(service: service, isOfFeatures: false).content(path, parameters, form)
    }
  }
}

extension ServiceRequest {
  /// Returns the URL of the picture with the same parameters.
  func pictureAddress(_ parameters: Parameters) -> String {
    let query = parameters.all.filter { $0.name != "f" && $0.name != "token" }
      .map { "\(PercentText.encode($0.name))=\(PercentText.encode($0.value))" }
    return "\(origin)\(path)?" + (query + ["f=image"]).joined(separator: "&")
  }
}
