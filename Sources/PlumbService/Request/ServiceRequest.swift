/// A client's request, independent of the transport.
package struct ServiceRequest: Sendable {
  /// The HTTP method.
  package enum Method: String, Sendable {
    /// Methods of requests without a body (`get`) and with a body (`post`).
    case get = "GET"
    case post = "POST"
    /// Methods that replace and delete. Only monitors accept these methods.
    case put = "PUT"
    case delete = "DELETE"
  }

  /// The HTTP method.
  package var method: Method
  /// The path without the query, percent-encoded as received.
  package var path: String
  /// The query after the question mark, as received.
  package var query: String
  /// The `Content-Type` header; empty if missing.
  package var contentType: String
  /// The decompressed body.
  package var body: [UInt8]
  /// The `Accept` header; empty for any type.
  package var accept: String
  /// The start of URLs in replies, such as `http://localhost:8080`.
  package var origin: String
  /// The sender of locations from the headers of OwnTracks, which contain the user and the device;
  /// empty if missing.
  package var sender = ""

  /// Creates a request.
  package init(
    _ method: Method = .get, _ path: String, query: String = "", contentType: String = "",
    body: [UInt8] = [], origin: String = "", accept: String = ""
  ) {
    (self.method, self.path, self.query) = (method, path, query)
    (self.contentType, self.body, self.origin) = (contentType, body, origin)
    self.accept = accept
  }

  /// Whether the request is for a picture. The client may have moved to another view before the
  /// picture is drawn.
  package var isPictureRequest: Bool {
    let slash = UInt8(ascii: "/")
    let end = path.utf8.lastIndex { $0 != slash }.map { path.utf8.index(after: $0) }
    let name = path.utf8[..<(end ?? path.startIndex)].reversed().lazy.prefix { $0 != slash }
      .map(\.lowercasedASCII)
    return name.elementsEqual("export".utf8.reversed())
      || name.elementsEqual("exportimage".utf8.reversed())
  }

  /// Whether the request is for a picture of more than 2 million pixels, which takes much memory.
  package var isLargePictureRequest: Bool {
    guard isPictureRequest, let size = (try? Parameters(self))?.word("size") else { return false }
    let sides = size.split(separator: ",").compactMap { Double($0) }
    return sides.reduce(1, *) > 2_000_000
  }

  /// The decoded path components; nil if a component is not UTF-8 or refers to a parent folder.
  var parts: [String]? {
    var parts: [String] = []
    for raw in path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: true) {
      guard let part = PercentText.decode(Array(raw), plusIsSpace: false),
        part != "..", part != ".",
        !part.utf8.contains(where: {
          $0 < 0x20 || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\")
        })
      else { return nil }
      parts.append(part)
    }
    return parts
  }
}
