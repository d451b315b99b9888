import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbIO
import PlumbLayers
import PlumbNetwork
import PlumbSources

/// The stored tables of a network, for a server that provides them to clients.
package struct NetworkTables {
  /// The features of a network source.
  package struct Table {
    package var source: PlumbNetwork.NetworkSource
    package var table: any FeatureTable
  }

  /// The tables of the sources, in the order of the document.
  package let tables: [Table]
  /// The table of associations; nil if there is none.
  package let associations: (any FeatureTable)?
  /// The definition in the network document: an object with `layerDataElements`; nil if the network
  /// is not from a network document.
  package let dataElements: JSONTree?

  /// - Throws: if a table cannot be opened.
  package init(
    _ opened: OpenedNetwork, access: DocumentAccess, signIn: SignIn? = nil
  ) throws {
    guard opened.form == .document else {
      (tables, associations, dataElements) = (try Self.made(of: opened), nil, nil)
      return
    }
    let (root, folder) = try NetworkLayer.fault {
      try NetworkDocument.root(path: opened.path, access: access, signIn: signIn)
    }
    func table(_ node: DocumentNode) throws -> any FeatureTable {
      let text = try node.required("path", "a string").text()
      let layer = try node.text("layer")
      if DocumentFolder.isRemoteTable(text) {
        let access = try folder.access(toURL: text, driver: "Parquet")
        return VectorFeatureTable {
          VectorFeatureTable.Source(path: text, layer: layer, access: access)
        } failure: {
          $0
        }
      }
      if let address = ServiceAddress(text), folder.session.allows(text) {
        return RemoteFeatureTable(address, session: folder.session, access: access) { $0 }
      }
      let path = try folder.path(of: text)
      return VectorFeatureTable {
        VectorFeatureTable.Source(
          path: path, layer: layer, access: try folder.access(to: path, as: .vector))
      } failure: {
        $0
      }
    }
    (tables, associations, dataElements) = try NetworkLayer.fault {
      let sources = opened.network.definition.domainNetworks.flatMap(\.sources)
      var tables: [Table] = []
      for node in try root.elements("sources") ?? [] {
        let id = try node.member("sourceId")?.integer()
        guard let source = sources.first(where: { $0.id == id ?? -1 }) else { continue }
        tables.append(Table(source: source, table: try table(node)))
      }
      return (
        tables, try root.member("associations").map { try table($0) },
        try Self.dataElements(root, folder)
      )
    }
  }

  /// The definition, which is in the document or in a separate file.
  private static func dataElements(
    _ root: DocumentNode, _ folder: DocumentFolder
  ) throws -> JSONTree? {
    var node = root
    if let file = try root.member("definition") {
      node = try DocumentFile.root(path: try folder.path(of: try file.text()))
    }
    guard case .object(let members) = node.tree else { return nil }
    if let elements = members["layerDataElements"] {
      return .object(["layerDataElements": elements])
    }
    guard let element = members["dataElement"] else { return nil }
    return .object([
      "layerDataElements": .list([
        .object(["layerId": members["layerId"] ?? .integer(0), "dataElement": element])
      ])
    ])
  }

  /// The tables that are created for the elements of a network without stored tables.
  private static func made(of opened: OpenedNetwork) throws -> [Table] {
    let network = opened.network
    var features: [Int: [Feature]] = [:]
    for element in network.elements {
      let known = network.describe(element)
      let shape = try network.shape(of: network.traced(TraceLocation(element)))
      features[known.sourceID, default: []].append(
        Feature(
          id: known.objectID,
          attributes: [
            .text(known.globalID), .integer(Int64(known.assetGroup)),
            .integer(Int64(known.assetType)), .text(known.assetGroupName),
            .text(known.assetTypeName),
          ], geometry: shape))
    }
    let fields = [
      Field(name: "GLOBALID", kind: .text), Field(name: "ASSETGROUP", kind: .integer),
      Field(name: "ASSETTYPE", kind: .integer), Field(name: "ASSETGROUPNAME", kind: .text),
      Field(name: "ASSETTYPENAME", kind: .text),
    ]
    return network.definition.domainNetworks.flatMap(\.sources).map { source in
      Table(
        source: source,
        table: MemoryFeatureTable(
          fields: fields, features: features[source.id] ?? [],
          spatialReference: opened.spatialReference))
    }
  }
}
