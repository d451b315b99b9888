import PlumbCore
import PlumbSources
import PlumbLayers

/// The remote source of a layer of a map document: an address, or a portal item whose address is looked up
/// when the layer is first needed.
struct RemoteTarget {
  private enum Name {
    case address(ServiceAddress)
    case item(id: String, portal: String)
  }

  private let name: Name
  /// The id of the layer in the service, or the index of the layer in a feature collection. Nil if the
  /// address contains the id, for the only layer of a service, and for the first layer of a collection.
  private let layer: Int64?
  let session: RemoteSession
  let access: DocumentAccess

  /// The content of a portal item.
  enum Resolved {
    case service(ServiceAddress)
    /// Features embedded in the item's data.
    case features(DocumentNode)
    case webMap(DocumentNode)
  }

  init(address: ServiceAddress, session: RemoteSession, access: DocumentAccess) {
    if case .item(let id) = address.kind, let portal = address.portal {
      name = .item(id: id, portal: portal)
    } else {
      name = .address(address)
    }
    (self.session, self.access, layer) = (session, access, nil)
  }

  init(
    item id: String, portal: String, layer: Int64?, session: RemoteSession, access: DocumentAccess
  ) {
    name = .item(id: id, portal: portal)
    (self.layer, self.session, self.access) = (layer, session, access)
  }

  /// Whether the target is an address, but not of a known type of service.
  var isPlainAddress: Bool {
    if case .address(let address) = name { address.kind == .other } else { false }
  }

  /// Returns the resolved target.
  ///
  /// - Throws: if an item does not exist, or its type is not supported.
  func resolved() throws -> Resolved {
    switch name {
    case .address(let address): return .service(address)
    case .item(let id, let portal):
      guard let item = ServiceAddress("\(portal)/sharing/rest/content/items/\(id)") else {
        throw PlumbError("\(portal.printable) is not the address of a portal", code: .badInput)
      }
      let facts = try session.object(at: item)
      let type = try facts.required("type", "a string").text()
      switch type {
      case "Web Map": return .webMap(try session.object(at: item.appending("data")))
      case "Feature Collection": return .features(try session.object(at: item.appending("data")))
      default: break
      }
      let text = try facts.text("url") ?? ""
      guard let address = ServiceAddress(text), address.kind != .other else {
        throw facts.fault("the item is a \(type.printable), which is not a supported service")
      }
      switch (layer, address.kind) {
      case (let layer?, .features(nil)), (let layer?, .map(nil)):
        return .service(address.appending("\(layer)"))
      default: return .service(address)
      }
    }
  }

  /// Returns the service's address.
  ///
  /// - Throws: if an item does not exist, or is not a service.
  func service() throws -> ServiceAddress {
    guard case .service(let address) = try resolved() else {
      throw PlumbError("the item is not a service", code: .badInput)
    }
    return address
  }

  /// Creates the table of a feature layer.
  func table(failure: @escaping (any Error) -> any Error) -> DeferredFeatureTable {
    DeferredFeatureTable { [self] in
      do {
        switch try resolved() {
        case .service(let address): return try table(of: address, failure)
        case .features(let node):
          let layers = try node.required("layers", "a list").elements()
          let number = Int(layer ?? 0)
          guard layers.indices.contains(number) else {
            throw node.fault("the item has no layer \(number)")
          }
          return try EmbeddedFeatures(layers[number], access: access).table
        case .webMap: throw PlumbError("the item is a web map, not a layer", code: .badInput)
        }
      } catch {
        throw failure(error)
      }
    }
  }

  private func table(
    of address: ServiceAddress, _ failure: @escaping (any Error) -> any Error
  ) throws -> any FeatureTable {
    switch address.kind {
    case .features(.some), .map(.some):
      return RemoteFeatureTable(address, session: session, access: access, failure: failure)
    case .features(nil):
      // An address without a layer is accepted if the service has a single layer.
      let root = try session.object(at: address)
      let layers = try root.required("layers", "a list").elements()
      guard layers.count == 1 else {
        throw root.fault(
          "the service has \(layers.count) layers: add the number of one to the address")
      }
      let id = try layers[0].required("id", "a whole number").integer()
      return RemoteFeatureTable(
        address.appending("\(id)"), session: session, access: access, failure: failure)
    default:
      throw PlumbError("\(address.shown) is not a layer of a feature service", code: .badInput)
    }
  }
}

/// A feature table whose source is determined when the table is opened.
final class DeferredFeatureTable: FeatureTable {
  private let find: () throws -> any FeatureTable
  /// The resolved table; nil before opening.
  private(set) var table: (any FeatureTable)?

  init(find: @escaping () throws -> any FeatureTable) { self.find = find }

  func open() throws {
    let found = try table ?? find()
    try found.open()
    // If another thread has resolved the table in the meantime, that table is kept.
    if table == nil { table = found }
  }

  var fields: [Field] { table?.fields ?? [] }
  var spatialReference: SpatialReference? { table?.spatialReference }
  var featureCount: Int? { table?.featureCount }
  var hasSpatialIndex: Bool { table?.hasSpatialIndex ?? false }
  var hasSymbols: Bool { table?.hasSymbols ?? false }
  var extent: Envelope? { table?.extent }
  var path: String? { table?.path }
  var geometryKind: String? { table?.geometryKind }
  var files: [String] { table?.files ?? [] }
  var warning: String? { table?.warning }
  var isRemote: Bool { table?.isRemote ?? true }
  var defaults: LayerDefaults { table?.defaults ?? LayerDefaults() }
  func attachments(of ids: [Int64]) throws -> [Int64: [Attachment]] {
    try table?.attachments(of: ids) ?? [:]
  }
  func restrict(to condition: String?) -> Bool { table?.restrict(to: condition) ?? false }

  func features(in windows: [Envelope]?) throws -> [TableFeature] {
    guard let table else { throw PlumbError("the table is not open") }
    return try table.features(in: windows)
  }
}
