import Plumb

extension ServiceRequest {
  /// The token among the parameters; nil for none.
  package var tokenParameter: String? { (try? Parameters(self))?.word("token") }

  /// The query without its token, for a log.
  package var shownQuery: String {
    query.split(separator: "&", omittingEmptySubsequences: true).map { pair in
      let name = pair.prefix { $0 != "=" }
      let plain = PercentText.decode(name.utf8, plusIsSpace: true)?.lowercased()
      return plain == "token" ? "\(name)=[redacted]" : String(pair)
    }.joined(separator: "&")
  }
}

extension ServiceReply {
  /// What a client gets whose token is missing or wrong, by Esri's codes.
  ///
  /// - Parameters:
  ///   - isMissing: whether there is none.
  ///   - path: of the request: below `/arcgis` errors have the status 200.
  package static func refusal(isMissing: Bool, path: String) -> ServiceReply {
    let error = ServiceError(
      isMissing ? "Token Required" : "Invalid Token", status: isMissing ? 499 : 498,
      kind: .notAllowed)
    let isREST = path.lowercased().hasPrefix("/arcgis")
    return ServiceReply(.bytes(error.json), ContentType.json, status: isREST ? 200 : 401)
  }
}
