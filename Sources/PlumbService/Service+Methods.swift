extension Service {
  /// What a client gets whose request took longer than it may, or was ended for want of memory.
  ///
  /// - Parameter progress: how far it came; nil where it changes nothing.
  package static func cancelledReply(
    at path: String, lacksMemory: Bool, progress: String?
  ) -> ServiceReply {
    var error =
      lacksMemory
      ? ServiceError(
        "the server has too little memory for the request now: ask for less, or again",
        status: 503, kind: .limit) : ServiceError(CancellationError())
    if let progress { error.message += ": \(progress)" }
    switch (ServiceRequest(.get, path).parts ?? []).first?.lowercased() {
    case "arcgis": return RESTRouter.failure(error)
    case "ogc": return OGCRouter.problem(error)
    default: return PlainRouter.failure(error)
    }
  }

  /// The methods that an address takes, as the header `Allow` has them.
  package static func methods(at path: String) -> String {
    let parts = ServiceRequest(.get, path).parts ?? []
    switch parts.first?.lowercased() {
    case "ogc": return OGCRouter.methods(Array(parts.dropFirst()))
    case "monitor": return "GET, HEAD, POST, PUT, DELETE, OPTIONS"
    default: return "GET, HEAD, POST, OPTIONS"
    }
  }

  /// What a client gets that asks in another way than with GET and POST.
  package static func refusal(ofMethodAt path: String) -> ServiceReply {
    let parts = ServiceRequest(.get, path).parts ?? []
    if parts.first?.lowercased() == "ogc" { return OGCRouter.refusal(Array(parts.dropFirst())) }
    let isOfMonitor = parts.first?.lowercased() == "monitor"
    let text =
      (isOfMonitor ? "GET, POST, PUT and DELETE" : "GET and POST") + " are answered"
    var reply = plain(text + "\n", status: 405)
    reply.failure = text
    reply.headers = [("Allow", methods(at: path))]
    return reply
  }
}
