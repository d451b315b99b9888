import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbLayers
import PlumbSources

/// A utility network of a remote feature service. Its definition, layers and association table are
/// converted to the document that `NetworkDocument` reads.
struct RemoteNetwork {
  private let address: ServiceAddress
  let session: RemoteSession

  /// Whether a string is the address of a network service.
  static func isNetwork(_ text: String) -> Bool {
    guard RemoteSession.isAddress(text), let address = ServiceAddress(text) else { return false }
    return featureService(of: address) != nil
  }

  /// Returns the feature service with a network's layers, which is a sibling of the network's
  /// utility network server.
  private static func featureService(of address: ServiceAddress) -> ServiceAddress? {
    if case .features(nil) = address.kind { return address }
    guard address.text.lowercased().hasSuffix("/utilitynetworkserver") else { return nil }
    let start = address.text.dropLast("UtilityNetworkServer".count)
    return ServiceAddress(start + "FeatureServer")
  }

  /// - Throws: if the text is not the address of a feature service.
  init(_ text: String, access: DocumentAccess, signIn: SignIn?) throws(PlumbError) {
    guard let address = ServiceAddress(text), let service = Self.featureService(of: address),
      let origin = NetworkOrigin(text)
    else { throw PlumbError("\(text.printable.prefix(200)) is not a feature service") }
    self.address = service
    session = RemoteSession(
      access: access, signIn: signIn, document: text,
      named: NetworkHost(name: origin.host, port: origin.port))
  }

  /// Creates the document, with the definition and the addresses of the sources' layers.
  func document() throws -> DocumentNode {
    let root = try session.object(at: address)
    let number = try root.member("controllerDatasetLayers")?.member("utilityNetworkLayerId")?
      .integer()
    let entries = (try root.elements("layers") ?? []) + (try root.elements("tables") ?? [])
    var known: Set<Int64> = []
    for entry in entries { known.insert(try entry.required("id", "a whole number").integer()) }
    let named = try entries.first { try $0.text("type") == "Utility Network Layer" }
    guard let network = try number ?? named?.member("id")?.integer() else {
      throw root.fault("the service has no utility network layer")
    }
    let elements = try session.object(
      at: address.appending("queryDataElements"), [("layers", "[\(network)]")],
      maximumBytes: RemoteSession.dataBytes)
    let list = try elements.required("layerDataElements", "a list").elements()
    var networkElement: DocumentNode?
    for element in list where try element.member("layerId")?.integer() ?? network == network {
      networkElement = networkElement ?? element
    }
    guard let networkElement else {
      throw elements.fault("there is no data element of layer \(network)")
    }
    var members: [String: JSONTree] = ["layerDataElements": .list([networkElement.tree])]
    members["sources"] = .list(try sources(of: networkElement, known))
    if let reference = try root.member("spatialReference") {
      members["spatialReference"] = reference.tree
    }
    if let table = try associations(of: network, known) {
      members["associations"] = .object(["path": .text(address.appending("\(table)").text)])
    }
    return DocumentNode(.object(members), document: address.shown)
  }

  /// Returns the layers of the definition's sources that exist in the service.
  private func sources(
    of element: DocumentNode, _ known: Set<Int64>
  ) throws -> [JSONTree] {
    var sources: [JSONTree] = []
    let data = try element.required("dataElement", "an object")
    for domain in try data.elements("domainNetworks") ?? [] {
      let all =
        (try domain.elements("junctionSources") ?? []) + (try domain.elements("edgeSources") ?? [])
      for source in all {
        let id = try source.required("sourceId", "a whole number").integer()
        guard let layer = try source.member("layerId")?.integer(), known.contains(layer) else {
          continue
        }
        sources.append(
          .object([
            "sourceId": .integer(id), "path": .text(address.appending("\(layer)").text),
          ]))
      }
    }
    return sources
  }

  /// Returns the association table that the network's layer refers to.
  private func associations(of network: Int64, _ known: Set<Int64>) throws -> Int64? {
    let layer = try session.object(at: address.appending("\(network)"))
    return try layer.member("systemLayers")?.member("associationsTableId")?.integer()
  }
}
