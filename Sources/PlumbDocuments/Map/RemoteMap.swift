import PlumbCore
import PlumbIO
import PlumbLayers
import PlumbSources

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A map document that stands on a network: a web map, an item of a portal, or a service by itself.
struct RemoteMap {
  private let address: ServiceAddress
  private let access: DocumentAccess
  private let session: RemoteSession

  /// Whether an address is meant as a map rather than as a file of cells.
  static func isDocument(_ text: String) -> Bool {
    guard let address = ServiceAddress(text) else { return false }
    return address.kind != .other || address.text.lowercased().hasSuffix(".json")
  }

  /// - Throws: when it is no address.
  init(_ text: String, access: DocumentAccess, signIn: SignIn?) throws(PlumbError) {
    guard let address = ServiceAddress(text), let origin = NetworkOrigin(text) else {
      throw PlumbError("\(text.printable.prefix(200)) is no address of http or https")
    }
    (self.address, self.access) = (address, access)
    // Who names the document has allowed its host.
    session = RemoteSession(
      access: access, signIn: signIn, document: text,
      named: NetworkHost(name: origin.host, port: origin.port))
  }

  func open(_ workers: Workers) throws(PlumbError) -> Map {
    do {
      switch address.kind {
      case .item:
        let target = RemoteTarget(address: address, session: session, access: access)
        switch try target.resolved() {
        case .webMap(let root): return try map(root, workers)
        case .service(let service): return try map(of: service)
        case .features: throw PlumbError("\(address.shown) is no map", code: .badInput)
        }
      case .features, .map, .image: return try map(of: address)
      case .other: return try map(session.object(at: address), workers)
      }
    } catch {
      throw PlumbError(error)
    }
  }

  private func map(_ root: DocumentNode, _ workers: Workers) throws -> Map {
    let folder = try DocumentFolder(ofMap: address.text, access: access, session: session)
    return try Map.open(root, address.text, folder, access, workers)
  }

  /// A map of one layer: all that a service has, or one layer of it.
  private func map(of service: ServiceAddress) throws -> Map {
    let target = RemoteTarget(address: service, session: session, access: access)
    let words = service.text.split(separator: "/").map(String.init)
    let end = words.lastIndex { $0.lowercased().hasSuffix("server") } ?? words.count - 1
    let properties = LayerProperties(id: end > 0 ? words[end - 1] : "service")
    let node = DocumentNode(.object([:]), document: service.shown)
    let kind: LayerKind =
      switch service.kind {
      case .image: .raster
      case .features(layer: .some), .map(layer: .some): .feature
      default: .mapImage
      }
    let layer = try RemoteLayers(target, node: node).layer(
      kind, node, LayerSettings(node), properties)
    let map = Map(layers: [layer])
    map.documents = [service.text]
    return map
  }
}

extension DocumentNode {
  /// Where the document's items are looked up: what it says, else its own portal, else the user's
  /// (`PLUMB_PORTAL`), else Esri's.
  func portal(_ folder: DocumentFolder) throws(DocumentFault) -> String {
    if let own = try text("portalUrl") { return own }
    if let own = ServiceAddress(document)?.portal { return own }
    return getenv("PLUMB_PORTAL").map { String(cString: $0) } ?? "https://www.arcgis.com"
  }
}
