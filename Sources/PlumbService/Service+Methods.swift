extension Service {
  /// Returns the reply to a request that exceeded its time limit or was cancelled for lack of
  /// memory.
  ///
  /// - Parameter progress: a description of the work that was already done; nil if the request
  ///   changes nothing.
  package static func cancelledReply(
    at path: String, lacksMemory: Bool, progress: String?
  ) -> ServiceReply {
    var error =
      lacksMemory
      ? ServiceError(
        "the server has too little memory for the request: request less, or try again later",
        status: 503, kind: .limit) : ServiceError(CancellationError())
    if let progress { error.message += ": \(progress)" }
    switch (ServiceRequest(.get, path).parts ?? []).first?.lowercased() {
    case "arcgis": return RESTRouter.failure(error)
    case "ogc": return OGCRouter.problem(error)
    default: return PlainRouter.failure(error)
    }
  }

  /// Returns the methods that a path accepts, for the `Allow` header.
  package static func methods(at path: String) -> String {
    let parts = ServiceRequest(.get, path).parts ?? []
    switch parts.first?.lowercased() {
    case "ogc": return OGCRouter.methods(Array(parts.dropFirst()))
    case "monitor": return "GET, HEAD, POST, PUT, DELETE, OPTIONS"
    default: return "GET, HEAD, POST, OPTIONS"
    }
  }

  /// Returns the reply to a request with an unsupported method.
  package static func refusal(ofMethodAt path: String) -> ServiceReply {
    let parts = ServiceRequest(.get, path).parts ?? []
    if parts.first?.lowercased() == "ogc" { return OGCRouter.refusal(Array(parts.dropFirst())) }
    let isOfMonitor = parts.first?.lowercased() == "monitor"
    let text =
      (isOfMonitor ? "GET, POST, PUT and DELETE" : "GET and POST") + " are accepted"
    var reply = plain(text + "\n", status: 405)
    reply.failure = text
    reply.headers = [("Allow", methods(at: path))]
    return reply
  }
}
