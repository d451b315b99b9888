import Plumb
import Synchronization

/// Answers requests from the documents that were opened. Any number of threads may ask it.
package final class Service: Sendable {
  private let catalog: Mutex<ServiceCatalog>
  /// The monitors, which go on whatever becomes of the documents.
  private let monitors: [LiveMonitor]
  private let page: PageFiles
  private let isReady = Atomic<Bool>(false)

  package init(
    _ catalog: ServiceCatalog, monitors: [LiveMonitor] = [], page: PageFiles = PageFiles()
  ) {
    self.catalog = Mutex(catalog)
    (self.monitors, self.page) = (monitors, page)
  }

  /// Whether the server answers, and whether its documents are read; nil for any other address. Anybody
  /// gets it, with a token or without, and nothing is waited for.
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

  /// The documents are read as far as the first requests need them.
  package func becomeReady() { isReady.store(true, ordering: .relaxed) }

  /// Whether an address may be that of a file of the page, which anybody gets.
  package func isOfPage(_ path: String) -> Bool {
    let first = path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1).first
    guard let first else { return true }
    return ["page", "leaflet"].contains { first.elementsEqual($0.utf8) }
  }

  /// A file of the page. Reads it, which may take a while.
  package func pageReply(at path: String) -> ServiceReply {
    page.reply(at: path) ?? Self.plain("there is nothing at this address\n", status: 404)
  }

  /// Removes what is kept only to be faster.
  package func emptyCache() { catalog.withLock { $0 }.emptyCache() }

  /// Takes the documents read anew; what is being answered goes on with the old.
  ///
  /// - Returns: how many stay as they were, and what is said of them and of the new ones, a line each.
  package func reload() -> (kept: Int, lines: [String]) {
    let former = catalog.withLock { $0 }
    let (other, kept, lines) = former.reread()
    catalog.withLock { $0 = other }
    return (kept, lines)
  }

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
    if let reply = stateReply(at: request.path) ?? page.reply(at: request.path) { return reply }
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
      if !lines.contains(type) { lines += ["# HELP \(first.name) \(first.help)", type] }
      lines += monitors.map { $0.metrics[index].line }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  static func plain(_ text: String, status: Int = 200) -> ServiceReply {
    ServiceReply(.bytes(Array(text.utf8)), ContentType.text, status: status)
  }
}
