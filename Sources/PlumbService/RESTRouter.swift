import Plumb
import PlumbIO

/// Routes requests below `/arcgis/rest`.
struct RESTRouter {
  private let catalog: ServiceCatalog
  private let request: ServiceRequest
  /// The path below `/arcgis/rest`.
  private let path: [String]

  init(_ catalog: ServiceCatalog, _ request: ServiceRequest, _ path: [String]) {
    (self.catalog, self.request, self.path) = (catalog, request, path)
  }

  /// The reply. Errors have the HTTP status 200, as in Esri's services.
  var reply: ServiceReply {
    var isPage = false
    do {
      let parameters = try Parameters(request)
      isPage = parameters.word("f")?.lowercased() == "html"
      try parameters.checkRepeated()
      try RESTOperation.checkCommon(parameters)
      let form = try ReplyForm(parameters)
      return try content(parameters, form).reply(form, page)
    } catch {
      let failure = ServiceError(error)
      var reply = Self.failure(failure)
      if isPage {
        reply.body = .bytes(Array(page.html(failure.json).utf8))
        reply.contentType = ContentType.html
      }
      return reply
    }
  }

  private var page: JSONPage { JSONPage(path: ["arcgis", "rest"] + path, origin: request.origin) }

  static func failure(_ error: ServiceError) -> ServiceReply {
    var reply = ServiceReply(.bytes(error.json), ContentType.json)
    reply.note(error)
    return reply
  }

  private static func nothing() -> ServiceError { .notFound("Invalid URL") }

  private func content(_ parameters: Parameters, _ form: ReplyForm) throws -> ReplyContent {
    switch path.first?.lowercased() {
    case nil: return .json(info)
    case "info" where path.count == 1: return .json(info)
    case "services": return try services(Array(path.dropFirst()), parameters, form)
    default: throw Self.nothing()
    }
  }

  private var info: JSONObject {
    var object = JSONObject()
    object.add("currentVersion", json: ServiceVersion.text)
    object.add("fullVersion", ServiceVersion.full)
    object.add("owningSystemUrl", "")
    var security = JSONObject()
    security.add("isTokenBasedSecurity", catalog.settings.needsToken)
    object.add("authInfo", security)
    return object
  }

  // MARK: Services

  private func services(
    _ path: [String], _ parameters: Parameters, _ form: ReplyForm
  ) throws -> ReplyContent {
    guard let first = path.first else { return .json(listing) }
    if first.lowercased() == "utilities" {
      if path.count == 1 { return .json(utilities) }
      guard path[1].lowercased() == "geometry", path.count > 2,
        path[2].lowercased() == "geometryserver"
      else { throw Self.nothing() }
      let rest = Array(path.dropFirst(3))
      try RESTOperation.at(path[2], rest)?.check(parameters)
      return try GeometryServer(catalog.settings).content(rest, parameters, form)
    }
    guard path.count > 1 else { throw ServiceError.notFound("Folder not found: \(first.shown)") }
    let rest = Array(path.dropFirst(2))
    let missing = ServiceError.notFound("Service \(first.shown)/\(path[1].shown) not found")
    /// Rejects unsupported parameters. The function is called only for existing services, so that a
    /// missing service is reported first.
    func check(isNetwork: Bool = false) throws(ServiceError) {
      try RESTOperation.at(path[1], isNetwork: isNetwork, rest)?.check(parameters)
    }
    switch path[1].lowercased() {
    case "mapserver":
      guard let map = catalog.map(first) else { throw missing }
      try check()
      return try MapServer(map, request).content(rest, parameters, form)
    case "featureserver":
      if let map = catalog.map(first) {
        try check()
        return try FeatureServer(map).content(rest, parameters, form)
      }
      guard let network = catalog.network(first) else { throw missing }
      try check(isNetwork: true)
      return try NetworkFeatureServer(network).content(rest, parameters, form)
    case "imageserver":
      guard let image = catalog.image(first) else { throw missing }
      try check()
      return try ImageServer(image, request).content(rest, parameters, form)
    case "utilitynetworkserver":
      guard let network = catalog.network(first) else { throw missing }
      try check(isNetwork: true)
      return try UtilityNetworkServer(network).content(rest, parameters, form)
    default: throw missing
    }
  }

  private func entry(_ name: String, _ type: String) -> JSONObject {
    var object = JSONObject()
    object.add("name", name)
    object.add("type", type)
    return object
  }

  private var listing: JSONObject {
    var object = JSONObject()
    object.add("currentVersion", json: ServiceVersion.text)
    object.add("folders", texts: ["Utilities"])
    object.add("services", catalog.listing.map { entry($0.name, $0.type) })
    return object
  }

  private var utilities: JSONObject {
    var object = JSONObject()
    object.add("currentVersion", json: ServiceVersion.text)
    object.add("folders", texts: [])
    object.add("services", [entry("Utilities/Geometry", "GeometryServer")])
    return object
  }
}
