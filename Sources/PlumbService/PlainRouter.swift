import Plumb
import PlumbCore
import PlumbIO
import PlumbVerbs

/// Routes requests below `/api`. The endpoints are verbs of the command, with their options as
/// members of a JSON object.
struct PlainRouter {
  private let catalog: ServiceCatalog
  private let monitors: [String]
  private let request: ServiceRequest
  private let path: [String]

  /// The paths that accept GET. The paths of the command's verbs accept POST.
  private static let gets = ["page", "reference", "openapi.json"]
  private static let posts = ["identify", "sample", "buffer", "trace", "locate", "zonal"]

  init(
    _ catalog: ServiceCatalog, _ monitors: [String], _ request: ServiceRequest, _ path: [String]
  ) {
    (self.catalog, self.monitors) = (catalog, monitors)
    (self.request, self.path) = (request, path)
  }

  /// The reply; each error has an HTTP status of 400 or higher.
  var reply: ServiceReply {
    do {
      guard path.count == 1, (Self.gets + Self.posts).contains(path[0]) else {
        throw ServiceError.notFound(
          "there is nothing at this address: /api has identify, sample, buffer, zonal, trace, locate, "
            + "page, reference and openapi.json")
      }
      let isGet = Self.gets.contains(path[0])
      guard request.method == (isGet ? .get : .post) else {
        throw ServiceError("\(path[0]) accepts only \(isGet ? "GET" : "POST")", status: 405)
      }
      if isGet {
        let object =
          switch path[0] {
          case "page": PageDescription(catalog: catalog, monitors: monitors).json
          case "reference": try ReferenceDescription(checkedParameters()).json
          default: PlainDescription(catalog: catalog, request: request).json
          }
        return ServiceReply(.bytes(object.bytes + [0x0A]), ContentType.json)
      }
      if path[0] == "sample" { return try PlainSample(catalog, request).reply() }
      // Attributes keep their order and their digits.
      let members = try JSONTree.members(
        of: request.body, "the body",
        sources: [FrontEnd.service.spelling(of: .features)])
      switch path[0] {
      case "identify": return try PlainIdentify(members, catalog).reply()
      case "buffer": return try PlainBuffer(members, catalog).reply()
      case "zonal": return try PlainZonal(members, catalog).reply()
      case "locate": return try PlainLocate(members, catalog).reply()
      default: return try PlainTrace(members, catalog).reply()
      }
    } catch {
      return Self.failure(ServiceError(error))
    }
  }

  /// Returns the reply for an error, as plain JSON with a matching HTTP status.
  static func failure(_ error: ServiceError) -> ServiceReply {
    var reply = ServiceReply(
      .bytes(error.plainJSON + [0x0A]), ContentType.json,
      status: (400...599).contains(error.code) ? error.code : 400)
    reply.note(error)
    return reply
  }

  private func checkedParameters() throws(ServiceError) -> Parameters {
    let parameters = try Parameters(request)
    try parameters.checkRepeated()
    return parameters
  }
}
