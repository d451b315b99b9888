import Plumb
import PlumbCore
import PlumbIO
import PlumbSandbox
import PlumbService

extension ServerCommand {
  /// What the kernel lets the server reach: the folders of its documents, of tokens and certificates, which
  /// SIGHUP reads again, and the hosts that it may ask.
  ///
  /// - Throws: options that do not read.
  func walls() throws -> RunWalls {
    let networks = try network.map { try NetworkChoice($0) }
    let monitors = try monitorFiles()
    var walls = RunWalls(
      documents: maps.filter { Map.isDocument(path: $0) } + networks.map(\.path)
        + monitors.map(\.path),
      inputs: maps.filter { !Map.isDocument(path: $0) } + networks.compactMap(\.valveLayer),
      allowsOutside: documents.allowOutside, reachesHosts: !documents.allowHost.isEmpty)
    walls.rereads = true
    walls.folders = [access.tokenFile, access.cert, access.key].compactMap { $0 }
    walls.folders += leaflet.map { [$0 + "/leaflet.js"] } ?? []
    let ports = documents.allowHost.map(\.port)
    if !ports.contains(nil) {
      // Names are looked up at port 53.
      walls.ports = Set(ports.compactMap { $0.flatMap { UInt16(exactly: $0) } } + [53]).sorted()
    }
    return walls
  }
}
