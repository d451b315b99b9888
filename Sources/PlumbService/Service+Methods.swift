extension Service {
  /// The methods that an address takes, as the header `Allow` has them.
  package static func methods(at path: String) -> String {
    let parts = ServiceRequest(.get, path).parts ?? []
    return parts.first?.lowercased() == "ogc"
      ? OGCRouter.methods(Array(parts.dropFirst())) : "GET, HEAD, POST, OPTIONS"
  }

  /// What a client gets that asks in another way than with GET and POST.
  package static func refusal(ofMethodAt path: String) -> ServiceReply {
    let parts = ServiceRequest(.get, path).parts ?? []
    if parts.first?.lowercased() == "ogc" { return OGCRouter.refusal(Array(parts.dropFirst())) }
    var reply = plain("GET and POST are answered\n", status: 405)
    reply.failure = "GET and POST are answered"
    reply.headers = [("Allow", methods(at: path))]
    return reply
  }
}
