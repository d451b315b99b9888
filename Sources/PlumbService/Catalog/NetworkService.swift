import Plumb
import PlumbDocuments
import PlumbIO
import Synchronization

/// A network as a service, with its trace engine and its tables by number.
final class NetworkService: Sendable {
  /// A table and its number in the service.
  struct Layer: Sendable {
    var number: Int
    var name: String
    var rows: FeatureRows
    /// The id of the table's network source; nil for the associations table.
    var sourceID: Int?

    /// Esri's name for the table type.
    var typeName: String { rows.shape == nil ? "Table" : "Feature Layer" }
  }

  let name: String
  let opened: OpenedNetwork
  let settings: ServiceSettings
  /// The number of the network layer.
  let number: Int
  /// The network's definition, which is an object with `layerDataElements`; nil if the network was
  /// not opened from a document.
  let dataElements: JSONTree?
  private let tables = Mutex<[Layer]?>(nil)

  init(_ choice: NetworkChoice, name: String, _ settings: ServiceSettings) throws {
    (self.name, self.settings) = (name, settings)
    let network = try OpenedNetwork.open(
      path: choice.path, valveLayer: choice.valveLayer, access: settings.access,
      signIn: settings.signIn)
    let opened = try choice.reference.map { try network.referenced(by: $0) } ?? network
    self.opened = opened
    let elements =
      opened.form == .document
      ? try NetworkTables(opened, access: settings.access, signIn: settings.signIn).dataElements
      : nil
    dataElements = elements
    let layerID = elements?.member("layerDataElements")?.list?.first?.member("layerId")?.number
    number = layerID.flatMap { Int(exactly: $0) } ?? 0
  }

  /// Returns the tables of the network sources, followed by the associations table. The tables are
  /// read at first use.
  func layers() throws -> [Layer] {
    if let known = tables.withLock({ $0 }) { return known }
    let read = try NetworkTables(opened, access: settings.access, signIn: settings.signIn)
    var used: Set<Int> = [number]
    func free(_ wanted: Int?) -> Int {
      var candidate = wanted ?? 1
      while !used.insert(candidate).inserted { candidate += 1 }
      return candidate
    }
    func rows(_ table: any FeatureTable) throws -> FeatureRows {
      let layer = FeatureLayer(LayerProperties(id: "table"), table: table)
      return FeatureRows(
        try layer.loadFeatures(), geometryKind: table.geometryKind,
        otherwise: table.geometryKind == nil ? nil : reference)
    }
    var layers = try read.tables.map {
      Layer(
        number: free($0.source.layerID), name: $0.source.name, rows: try rows($0.table),
        sourceID: $0.source.id)
    }
    if let associations = read.associations {
      layers.append(
        Layer(number: free(500), name: "Associations", rows: try rows(associations)))
    }
    return tables.withLock { tables in
      if let other = tables { return other }
      tables = layers
      return layers
    }
  }

  /// Returns the extent of some tables, in the service's CRS if the service has a CRS; nil if the
  /// tables have no shapes.
  func extent(of layers: [Layer]) -> Envelope? {
    var extent = JoinedExtent(in: reference)
    for layer in layers {
      // Layers may have different CRSs.
      guard var box = layer.rows.extent else { continue }
      if let reference {
        guard case .envelope(let layerExtent)? = try? GeometryText.box(box, in: reference) else {
          continue
        }
        box = layerExtent
      }
      extent.add(box)
    }
    return extent.envelope
  }

  /// The CRS of the network's coordinates; nil if undefined.
  var reference: SpatialReference? { opened.spatialReference }
}
