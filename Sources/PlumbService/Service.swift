import Plumb
import Synchronization

/// Handles requests for the opened documents. A service is thread-safe.
package final class Service: Sendable {
  private let catalog: Mutex<ServiceCatalog>
  /// The monitors, which are independent of the documents.
  private let monitors: [LiveMonitor]
  private let page: PageFiles
  private let isReady = Atomic<Bool>(false)

  package init(
    _ catalog: ServiceCatalog, monitors: [LiveMonitor] = [], page: PageFiles = PageFiles()
  ) {
    self.catalog = Mutex(catalog)
    (self.monitors, self.page) = (monitors, page)
  }

  /// Returns the reply for a health or readiness check; nil for any other path. A health check
  /// reports whether the server is running. A readiness check reports whether its documents are
  /// loaded. The checks need no token and do not block.
  package func stateReply(at path: String) -> ServiceReply? {
    switch path {
    case "/health": Self.plain("ok\nplumb-server \(plumbVersion)\n")
    case "/ready":
      isReady.load(ordering: .relaxed)
        ? Self.plain("ready\nplumb-server \(plumbVersion)\n")
        : Self.plain("the documents are still being read\n", status: 503)
    default: nil
    }
  }

  /// Records that all data that the first requests need have been loaded.
  package func becomeReady() { isReady.store(true, ordering: .relaxed) }

  /// Whether a path is the path of the web page or of a file of the page. These paths need no
  /// token.
  package func isOfPage(_ path: String) -> Bool {
    let first = path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1).first
    guard let first else { return true }
    return ["page", "leaflet"].contains { first.elementsEqual($0.utf8) }
  }

  /// Reads and returns a file of the web page. The method may block while the file is read.
  package func pageReply(at path: String) -> ServiceReply {
    page.reply(at: path) ?? Self.plain("there is nothing at this address\n", status: 404)
  }

  /// Empties caches.
  package func emptyCache() { catalog.withLock { $0 }.emptyCache() }

  /// Reloads the documents. Running requests continue to use the old documents.
  ///
  /// - Returns: the number of documents that were kept because they could not be reloaded, and
  ///   messages about all documents, one line each.
  package func reload() -> (kept: Int, lines: [String]) {
    let former = catalog.withLock { $0 }
    let (other, kept, lines) = former.reread()
    catalog.withLock { $0 = other }
    return (kept, lines)
  }

  /// Reopens the maps with services that were unavailable before and are available now.
  ///
  /// - Returns: whether a map was reopened, and the warnings and failures of such maps, one line
  ///   each.
  package func renew() -> (isRenewed: Bool, lines: [String]) {
    var lines: [String] = []
    let former = catalog.withLock { $0 }
    guard let renewed = former.renewed(&lines) else { return (false, lines) }
    // If the documents have been reloaded in the meantime, the reloaded documents are kept.
    let isRenewed = catalog.withLock { catalog in
      guard catalog === former else { return false }
      catalog = renewed
      return true
    }
    return (isRenewed, lines)
  }

  /// Returns the reply to a request. The work runs on the calling thread and can be cancelled with
  /// `WorkCancellation`.
  package func reply(_ request: ServiceRequest) -> ServiceReply {
    if let reply = stateReply(at: request.path) { return reply }
    if isOfPage(request.path), let reply = page.reply(at: request.path) { return reply }
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

  /// The metrics of monitors for Prometheus; empty if there are no monitors.
  package var metrics: String {
    var lines: [String] = []
    for (index, first) in (monitors.first?.metrics ?? []).enumerated() {
      let type = "# TYPE \(first.name) \(first.name.hasSuffix("_total") ? "counter" : "gauge")"
      if !lines.contains(type) { lines += ["# HELP \(first.name) \(first.help)", type] }
      lines += monitors.map { $0.metrics[index].line }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  static func plain(_ text: String, status: Int = 200) -> ServiceReply {
    ServiceReply(.bytes(Array(text.utf8)), ContentType.text, status: status)
  }
}
