import PlumbIO

/// Links of OGC documents.
struct OGCLinks: Sendable {
  private(set) var list: [JSONObject] = []
  private let root: String

  /// - Parameter request: the request, which provides the server's URL.
  init(_ request: ServiceRequest) { root = Self.root(request) }

  /// Returns the URL of `/ogc`.
  static func root(_ request: ServiceRequest) -> String { request.origin + "/ogc" }

  /// - Parameters:
  ///   - path: the path below `/ogc`.
  ///   - relation: the link relation type.
  mutating func add(_ path: String, _ relation: String, _ type: String, _ title: String) {
    var link = JSONObject()
    link.add("href", root + path)
    link.add("rel", relation)
    link.add("type", type)
    link.add("title", title)
    list.append(link)
  }

  /// Adds the links to the document itself and to its HTML page.
  mutating func addSelf(_ path: String, _ type: String, _ title: String) {
    add(path + "?f=json", "self", type, title)
    add(path + "?f=html", "alternate", "text/html", title)
  }
}
