import Plumb
import PlumbIO

/// Finds who answers below `/api`: the verbs of the command, whose options are an object's members.
struct PlainRouter {
  private let catalog: ServiceCatalog
  private let request: ServiceRequest
  private let path: [String]

  init(_ catalog: ServiceCatalog, _ request: ServiceRequest, _ path: [String]) {
    (self.catalog, self.request, self.path) = (catalog, request, path)
  }

  /// Errors have an HTTP status of their own.
  var reply: ServiceReply {
    do {
      guard path.count == 1, ["identify", "sample", "buffer", "trace"].contains(path[0]) else {
        throw ServiceError.notFound(
          "there is nothing at this address: /api has identify, sample, buffer and trace")
      }
      guard request.method == .post else {
        throw ServiceError("\(path[0]) takes a POST", status: 405)
      }
      if path[0] == "sample" { return try PlainSample(catalog, request).reply() }
      var options = try PlainOptions(request.body)
      switch path[0] {
      case "identify": return try PlainIdentify(&options, catalog).reply()
      case "buffer": return try PlainBuffer(&options, catalog).reply()
      default: return try PlainTrace(&options, catalog).reply()
      }
    } catch {
      let failure = ServiceError(error)
      var reply = ServiceReply(
        .bytes(failure.plainJSON + [0x0A]), ContentType.json,
        status: (400...599).contains(failure.code) ? failure.code : 400)
      reply.failure = failure.message
      return reply
    }
  }
}
