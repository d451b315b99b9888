import Plumb
import PlumbIO

/// Routes requests below `/ogc`.
struct OGCRouter {
  private let catalog: ServiceCatalog
  private let request: ServiceRequest
  /// The path below `/ogc`.
  private let path: [String]

  init(_ catalog: ServiceCatalog, _ request: ServiceRequest, _ path: [String]) {
    (self.catalog, self.request, self.path) = (catalog, request, path)
  }

  /// The raster queries, which may also be sent as a form or as JSON.
  static let dataQueries = ["position", "radius", "area", "trajectory"]

  /// The reply. Errors have an HTTP error status and a body in the format of RFC 9457.
  var reply: ServiceReply {
    do {
      if request.method == .post, !Self.acceptsBody(path) {
        return Self.refusal(path)
      }
      return try content()
    } catch {
      return Self.problem(ServiceError(error))
    }
  }

  private func content() throws -> ServiceReply {
    switch path.first {
    case nil: return try document(OGCDocuments(catalog, request).landing)
    case "conformance" where path.count == 1:
      return try document(OGCDocuments(catalog, request).conformance)
    case "api" where path.count == 1:
      var warnings: [String] = []
      var reply = try document(
        OGCDescription(catalog, request).object(&warnings), .description,
        type: "application/vnd.oai.openapi+json;version=3.0")
      reply.warnings = warnings
      return reply
    case "collections": return try collections(Array(path.dropFirst()))
    default: throw Self.nothing
    }
  }

  private static var nothing: ServiceError { .notFound("there is nothing at this address") }

  /// The reply for an unknown path.
  static var nowhere: ServiceReply { problem(nothing) }

  private func collections(_ path: [String]) throws -> ServiceReply {
    guard let id = path.first else {
      var warnings: [String] = []
      var reply = try document(OGCDocuments(catalog, request).collections(&warnings))
      reply.warnings = warnings
      return reply
    }
    let collection = try OGCCollection.named(id, in: catalog)
    let description = CollectionDescription(collection, request)
    guard path.count > 1 else { return try document(try description.object()) }
    switch (collection.content, path[1], path.count) {
    case (.features(let read), "items", 2):
      return try FeatureItems(collection, try read(), request).items()
    case (.features(let read), "items", 3):
      return try FeatureItems(collection, try read(), request).item(path[2])
    case (.features(let read), "queryables", 2):
      let queryables = Queryables(try read())
      return try document(
        queryables.schema(address: description.address + "/queryables", collection.title), .schema,
        type: "application/schema+json")
    case (.raster(let image), _, 2) where Self.dataQueries.contains(path[1]):
      return try DataQuery(image, request, kind: path[1]).reply()
    default: throw Self.nothing
    }
  }

  /// Returns a JSON document or its HTML page.
  private func document(
    _ object: @autoclosure () throws -> JSONObject, _ form: OGCForm = .json,
    type: String = ContentType.json
  ) throws -> ServiceReply {
    let parameters = try OGCParameters(request, known: ["f"])
    let kind = try OGCForm.chosen(parameters["f"], accept: request.accept, from: [form, .page])
    let bytes = try object().bytes
    return kind == .page
      ? Self.page(bytes, path, request) : ServiceReply(.bytes(bytes), type)
  }

  /// Returns JSON as an HTML page.
  static func page(
    _ json: [UInt8], _ path: [String], _ request: ServiceRequest
  ) -> ServiceReply {
    let page = JSONPage(path: ["ogc"] + path, origin: request.origin)
    return ServiceReply(.bytes(Array(page.html(json).utf8)), ContentType.html)
  }

  // MARK: Refusals

  /// - Parameter path: the path below `/ogc`.
  static func acceptsBody(_ path: [String]) -> Bool {
    path.count == 3 && path[0] == "collections" && dataQueries.contains(path[2])
  }

  /// Returns the methods that a path accepts, for the `Allow` header.
  static func methods(_ path: [String]) -> String {
    acceptsBody(path) ? "GET, HEAD, POST, OPTIONS" : "GET, HEAD, OPTIONS"
  }

  /// Returns the reply for a method that a path does not accept.
  static func refusal(_ path: [String]) -> ServiceReply {
    var reply = problem(
      ServiceError("this address accepts \(methods(path)) only", status: 405, kind: .notAllowed))
    reply.headers.append(("Allow", methods(path)))
    return reply
  }

  /// Returns an error as `application/problem+json`.
  static func problem(_ error: ServiceError) -> ServiceReply {
    var status = error.code
    if error.kind == .limit, status == 400 { status = 413 }
    if !(400...599).contains(status) { status = 400 }
    var object = JSONObject()
    object.add("type", "about:blank")
    object.add("title", titles[status] ?? "Error")
    object.add("status", status)
    object.add("detail", error.message)
    var reply = ServiceReply(.bytes(object.bytes), "application/problem+json", status: status)
    reply.note(error)
    return reply
  }

  private static let titles = [
    400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable",
    413: "Content Too Large", 415: "Unsupported Media Type", 500: "Internal Server Error",
    504: "Gateway Timeout",
  ]
}
