import Plumb
import Synchronization

/// Answers requests from the documents that were opened. Any number of threads may ask it.
package final class Service: Sendable {
  private let catalog: Mutex<ServiceCatalog>
  /// The monitors, which go on whatever becomes of the documents.
  private let monitors: [LiveMonitor]
  private let page: PageFiles

  package init(
    _ catalog: ServiceCatalog, monitors: [LiveMonitor] = [], page: PageFiles = PageFiles()
  ) {
    self.catalog = Mutex(catalog)
    (self.monitors, self.page) = (monitors, page)
  }

  /// What anybody gets, with a token or without: the page's files, and whether the server answers; nil for
  /// any other address.
  package func openReply(at path: String) -> ServiceReply? {
    path == "/health" ? Self.ok : page.reply(at: path)
  }

  /// Takes other documents, or the same read anew; what is being answered goes on with the old.
  package func replace(_ other: ServiceCatalog) { catalog.withLock { $0 = other } }

  /// Opens those maps anew whose services were not there before and are now.
  ///
  /// - Returns: whether one was, and what is wrong with them or does not open any more, a line each.
  package func renew() -> (isRenewed: Bool, lines: [String]) {
    var lines: [String] = []
    let former = catalog.withLock { $0 }
    guard let renewed = former.renewed(&lines) else { return (false, lines) }
    // Documents that were read anew meanwhile stay.
    let isRenewed = catalog.withLock { catalog in
      guard catalog === former else { return false }
      catalog = renewed
      return true
    }
    return (isRenewed, lines)
  }

  /// What a client gets. The thread that calls does the work, which `WorkCancellation` ends.
  package func answer(_ request: ServiceRequest) -> ServiceReply {
    if let reply = openReply(at: request.path) { return reply }
    let catalog = catalog.withLock { $0 }
    guard let parts = request.parts else {
      if request.path.lowercased().hasPrefix("/ogc/") { return OGCRouter.nowhere }
      return Self.plain("there is nothing at this address\n", status: 404)
    }
    switch parts.first?.lowercased() {
    case "arcgis":
      guard parts.count > 1, parts[1].lowercased() == "rest" else { break }
      return RESTRouter(catalog, request, Array(parts.dropFirst(2))).reply
    case "ogc": return OGCRouter(catalog, request, Array(parts.dropFirst())).reply
    case "monitor" where !monitors.isEmpty:
      return MonitorRouter(monitors, request, Array(parts.dropFirst())).reply
    case "api":
      return PlainRouter(
        catalog, monitors.map(\.name), request, Array(parts.dropFirst())
      ).reply
    default: break
    }
    return Self.plain("there is nothing at this address\n", status: 404)
  }

  /// What monitors have done, for Prometheus; empty without any.
  package var metrics: String {
    var lines: [String] = []
    for (index, first) in (monitors.first?.metrics ?? []).enumerated() {
      let type = "# TYPE \(first.name) \(first.name.hasSuffix("_total") ? "counter" : "gauge")"
      if !lines.contains(type) { lines.append(type) }
      lines += monitors.map { $0.metrics[index].line }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private static var ok: ServiceReply { plain("ok\n") }

  static func plain(_ text: String, status: Int = 200) -> ServiceReply {
    ServiceReply(.bytes(Array(text.utf8)), ContentType.text, status: status)
  }
}
