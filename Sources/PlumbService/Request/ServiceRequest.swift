/// What a client asks, without how it came.
package struct ServiceRequest: Sendable {
  /// How it asks.
  package enum Method: String, Sendable {
    /// By its address alone, and with a body.
    case get = "GET"
    case post = "POST"
    /// What a body takes the place of, and what is to go: of monitors alone.
    case put = "PUT"
    case delete = "DELETE"
  }

  /// How it asks.
  package var method: Method
  /// The address without the query, as it came: percent-encoded.
  package var path: String
  /// What follows the question mark, as it came.
  package var query: String
  /// The header of the body's type; empty for none.
  package var contentType: String
  /// The body, unpacked.
  package var body: [UInt8]
  /// The header of the types that the client takes; empty for any.
  package var accept: String
  /// The start of addresses that replies name, as `http://localhost:8080`.
  package var origin: String
  /// Who sends locations, as headers of OwnTracks say it: the user and the device; empty without.
  package var sender = ""

  /// A request.
  package init(
    _ method: Method = .get, _ path: String, query: String = "", contentType: String = "",
    body: [UInt8] = [], origin: String = "", accept: String = ""
  ) {
    (self.method, self.path, self.query) = (method, path, query)
    (self.contentType, self.body, self.origin) = (contentType, body, origin)
    self.accept = accept
  }

  /// Whether a picture is asked, of a view that the client may have left meanwhile.
  package var asksPicture: Bool {
    let last = path.utf8.split(separator: UInt8(ascii: "/")).last
    let name = last.map { String(decoding: $0, as: UTF8.self).lowercased() }
    return name == "export" || name == "exportimage"
  }

  /// The parts of the path, decoded; nil where one of them is no text, or leads upwards.
  var parts: [String]? {
    var parts: [String] = []
    for raw in path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: true) {
      guard let part = PercentText.decode(Array(raw), plusIsSpace: false),
        part != "..", part != ".", !part.contains("/"), !part.contains("\\"),
        !part.utf8.contains(where: { $0 < 0x20 })
      else { return nil }
      parts.append(part)
    }
    return parts
  }
}
