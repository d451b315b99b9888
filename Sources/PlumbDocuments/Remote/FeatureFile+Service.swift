import PlumbCore
import PlumbIO
import PlumbLayers
import PlumbSources

extension FeatureFile {
  /// Creates a feature file from a service's layer. All features are read once and kept in memory.
  convenience init(_ table: any FeatureTable, path: String) throws {
    try table.open()
    let features = try table.features(in: nil).map(\.feature)
    let found = ((table as? DeferredFeatureTable)?.table ?? table) as? RemoteFeatureTable
    let name = found?.info?.name
    self.init(
      path: path, name: name.flatMap { $0.isEmpty ? nil : $0 }, fields: table.fields,
      features: features, reference: table.spatialReference, geometryKind: table.geometryKind,
      faults: found?.faults ?? FeatureFaults())
  }
}

extension FeatureServices {
  /// Whether a string is the address of a service or a portal item.
  package static func isService(at text: String) -> Bool {
    guard RemoteSession.isAddress(text), let address = ServiceAddress(text) else { return false }
    return address.kind != .other
  }

  /// Creates a reader of feature and map services, and of portal items that are such services.
  ///
  /// - Parameters:
  ///   - access: the hosts that may be accessed.
  ///   - signIn: the credentials; nil for none.
  ///   - isNamed: whether the addresses come from the user rather than from a document. The hosts
  ///     of the user's addresses are permitted.
  public init(access: DocumentAccess, signIn: SignIn?, isNamed: Bool = true) {
    self.init { text in
      guard Self.isService(at: text), let address = ServiceAddress(text) else { return nil }
      let host = NetworkOrigin(text).map { NetworkHost(name: $0.host, port: $0.port) }
      let session = RemoteSession(
        access: access, signIn: signIn, document: text, named: isNamed ? host : nil)
      try session.check(text)
      let target = RemoteTarget(address: address, session: session, access: access)
      let table = target.table { $0 }
      return try FeatureFile(table, path: address.text)
    }
  }
}
