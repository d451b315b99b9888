import Plumb
import PlumbCore
import PlumbIO
import PlumbSandbox
import PlumbService

extension ServerCommand {
  /// Returns the sandbox rules, which consist of the readable folders and the permitted ports. The
  /// folders of documents, tokens and certificates are readable, because these files are read again
  /// on SIGHUP.
  ///
  /// - Throws: for invalid options.
  func sandbox() throws -> RunSandbox {
    let networks = try network.map { try NetworkChoice($0) }
    let monitors = try monitorFiles()
    var sandbox = RunSandbox(
      documents: maps.filter { Map.isDocument(path: $0) } + networks.map(\.path)
        + monitors.map(\.path),
      inputs: maps.filter { !Map.isDocument(path: $0) } + networks.compactMap(\.valveLayer),
      allowsOutside: documents.allowOutside, allowsHosts: !documents.allowHost.isEmpty)
    sandbox.rereads = true
    sandbox.folders = [access.tokenFile, access.cert, access.key].compactMap { $0 }
    sandbox.folders += leaflet.map { [$0 + "/leaflet.js"] } ?? []
    let ports = documents.allowHost.map(\.port)
    if !ports.contains(nil) {
      // Port 53 is for name lookups.
      sandbox.ports = Set(ports.compactMap { $0.flatMap { UInt16(exactly: $0) } } + [53]).sorted()
    }
    return sandbox
  }
}
