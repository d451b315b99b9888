import PlumbIO

/// Links as OGC's documents have them.
struct OGCLinks: Sendable {
  private(set) var list: [JSONObject] = []
  private let root: String

  /// - Parameter request: says where the server is.
  init(_ request: ServiceRequest) { root = Self.root(request) }

  /// The address of `/ogc`.
  static func root(_ request: ServiceRequest) -> String { request.origin + "/ogc" }

  /// - Parameters:
  ///   - path: what follows the address of `/ogc`.
  ///   - relation: what the address is to the document.
  mutating func add(_ path: String, _ relation: String, _ type: String, _ title: String) {
    var link = JSONObject()
    link.add("href", root + path)
    link.add("rel", relation)
    link.add("type", type)
    link.add("title", title)
    list.append(link)
  }

  /// The document itself, and the same as a page.
  mutating func addSelf(_ path: String, _ type: String, _ title: String) {
    add(path + "?f=json", "self", type, title)
    add(path + "?f=html", "alternate", "text/html", title)
  }
}
