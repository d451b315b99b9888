import PlumbCore
import PlumbIO
import PlumbLayers
import PlumbSources

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A remote map document: a web map, a portal item, or a service.
struct RemoteMap {
  private let address: ServiceAddress
  private let access: DocumentAccess
  private let session: RemoteSession

  /// Whether an address refers to a map rather than to a raster file or an asset of a STAC
  /// document.
  static func isDocument(_ text: String) -> Bool {
    guard let address = ServiceAddress(text) else { return false }
    return address.kind != .other
      || address.text.lowercased().hasSuffix(".json") && !text.utf8.contains(UInt8(ascii: "#"))
  }

  /// - Throws: if the text is not an http or https address.
  init(_ text: String, access: DocumentAccess, signIn: SignIn?) throws(PlumbError) {
    guard let address = ServiceAddress(text), let origin = NetworkOrigin(text) else {
      throw PlumbError("\(text.printable.prefix(200)) is not an http or https address")
    }
    (self.address, self.access) = (address, access)
    // The host of the document that the caller names is permitted.
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
        case .features: throw PlumbError("\(address.shown) is not a map", code: .badInput)
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

  /// A map with one layer: a service as a whole, or a single layer of a service.
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
  /// The portal of the items that the document refers to: the document's `portalUrl`, the portal from which
  /// the document was loaded, the portal in `PLUMB_PORTAL`, or Esri's portal, in this order of precedence.
  func portal(_ folder: DocumentFolder) throws(DocumentFault) -> String {
    if let portalText = try text("portalUrl") { return portalText }
    if let portalText = ServiceAddress(document)?.portal { return portalText }
    return getenv("PLUMB_PORTAL").map { String(cString: $0) } ?? "https://www.arcgis.com"
  }
}
