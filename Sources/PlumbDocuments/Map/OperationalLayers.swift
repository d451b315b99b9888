import PlumbCore
import PlumbIO
import PlumbLayers
import PlumbSources

/// Creates the layers of a map document's `operationalLayers`.
struct OperationalLayers {
  private let folder: DocumentFolder
  private let workers: Workers
  /// The ids in the document, which must not be assigned to layers without an id.
  private var written: Set<String> = []
  private var used: Set<String> = []
  /// The paths of the map service documents that map image layers refer to. Documents that are
  /// missing or not permitted are omitted.
  package private(set) var services: [String] = []
  /// Notes about parts of the document that are not queried, one line each.
  package private(set) var notes: [String] = []
  private let access: DocumentAccess
  /// The portal of the items that the document refers to.
  private let portal: String

  package init(
    _ nodes: [DocumentNode], folder: DocumentFolder, access: DocumentAccess, portal: String,
    workers: Workers
  ) {
    self.folder = folder
    self.workers = workers
    (self.access, self.portal) = (access, portal)
    collect(nodes)
  }

  // The nesting limit of the JSON scanner bounds the recursion.
  private mutating func collect(_ nodes: [DocumentNode]) {
    for node in nodes {
      if let id = Self.id(of: node) { written.insert(id) }
      if let inner = try? node.elements("layers"), Self.type(of: node) == .group {
        collect(inner)
      }
    }
  }

  private static func id(of node: DocumentNode) -> String? {
    let id = try? node.member("id")?.name()
    return id.flatMap { $0.isEmpty ? nil : $0 }
  }

  // MARK: Layers

  private static let types: [String: LayerKind] = [
    "ArcGISFeatureLayer": .feature, "RasterLayer": .raster, "GroupLayer": .group,
    "ArcGISMapServiceLayer": .mapImage, "ArcGISDynamicMapServiceLayer": .mapImage,
    "CSV": .feature, "GeoJSON": .feature, "KML": .mapImage, "ArcGISImageServiceLayer": .raster,
    "WMS": .other,
  ]
  /// The types of layers that consist of tiles and cannot be queried.
  private static let pictures: Set<String> = [
    "ArcGISTiledMapServiceLayer", "ArcGISTiledImageServiceLayer", "VectorTileLayer",
    "WebTiledLayer", "WebTileLayer", "WMTS", "OpenStreetMap", "BingMapsAerial", "BingMapsRoad",
    "BingMapsHybrid", "ArcGISTiledElevationServiceLayer", "ArcGISElevationServiceLayer",
  ]

  private static func type(of node: DocumentNode) -> LayerKind? {
    (try? node.text("layerType")).flatMap { types[$0] }
  }

  /// - Parameter idPrefix: the prefix of the ids that are assigned to layers without an id.
  package mutating func layers(_ nodes: [DocumentNode], idPrefix: String) -> [any Layer] {
    nodes.enumerated().compactMap { index, node in
      if let word = (try? node.text("layerType")) ?? nil, Self.pictures.contains(word) {
        let name = ((try? node.text("title")) ?? nil) ?? ((try? node.text("id")) ?? nil) ?? "?"
        notes.append(
          "\(name.printable) is not queried: a layer of type \(word) has tiles and no features")
        return nil
      }
      return layer(node, freeID: idPrefix + "\(index + 1)")
    }
  }

  /// Adds a note for each basemap layer.
  mutating func addBasemaps(_ root: DocumentNode) {
    let map = (try? root.member("baseMap")) ?? nil
    for node in ((try? map?.elements("baseMapLayers")) ?? nil) ?? [] {
      let name =
        ((try? node.text("title")) ?? nil) ?? ((try? map?.text("title")) ?? nil)
        ?? ((try? node.text("id")) ?? nil) ?? "?"
      notes.append("the basemap \(name.printable) is not queried: it has tiles and no features")
    }
  }

  private mutating func layer(_ node: DocumentNode, freeID: String) -> any Layer {
    let nodeID = Self.id(of: node)
    var id = nodeID ?? freeID
    if nodeID == nil {
      while written.contains(id) || used.contains(id) { id += "'" }
    }
    let isNew = used.insert(id).inserted
    let title = (try? node.text("title")) ?? nil
    var properties = LayerProperties(
      id: id, name: title.flatMap { $0.isEmpty ? nil : $0 },
      isVisible: ((try? node.flag("visibility")) ?? nil) ?? true)
    do throws(DocumentFault) {
      _ = try node.object().member("id")?.name()
      guard isNew else {
        throw node.fault("two layers have the id \(id.printable)")
      }
      _ = try node.text("title")
      _ = try node.flag("visibility")
      if let opacity = try node.member("opacity") {
        properties.opacity = try opacity.number()
        guard (0...1).contains(properties.opacity) else {
          throw opacity.fault("expected a number from 0 to 1, found \(properties.opacity)")
        }
      }
      return try layer(node, properties)
    } catch {
      let type = Self.type(of: node)
      let word = (try? node.text("layerType")) ?? nil
      return BrokenLayer(
        properties, kind: type ?? .other, typeName: type == nil ? word : nil,
        error: error.layerError)
    }
  }

  private mutating func layer(
    _ node: DocumentNode, _ properties: LayerProperties
  ) throws(DocumentFault) -> any Layer {
    var properties = properties
    if let collection = try node.member("featureCollection") {
      return try embedded(collection, properties, node)
    }
    let (name, kind) = try type(of: node)
    if kind == .group {
      // A group has no `layerDefinition` and no popup; the popups belong to its layers.
      properties.scaleRange = ScaleRange(
        minScale: try node.size("minScale") ?? 0, maxScale: try node.size("maxScale") ?? 0)
      let nodes = try node.elements("layers") ?? []
      for node in nodes { try node.object() }
      return GroupLayer(properties, layers: layers(nodes, idPrefix: properties.id + "-"))
    }
    let settings = try LayerSettings(node)
    properties.scaleRange = settings.scaleRange
    properties.attribution = settings.attribution ?? ""
    properties.undrawn = settings.undrawn
    if let remote = try remote(node, kind, settings, properties) { return remote }
    let url = try node.required("url", "a path")
    guard name != "WMS" else { throw url.fault("expected the address of a web map service") }
    let source = LayerSource(
      text: try url.text(), layer: try node.text("layerName"), folder: folder, node: url,
      workers: workers)
    switch kind {
    case .feature:
      return FeatureLayer(
        properties, table: name == "CSV" ? try source.pointTable(node) : source.table(),
        definitionExpression: settings.condition,
        renderer: settings.renderer, popup: settings.popup)
    case .raster:
      let dates = try LayerDates(node)
      return RasterLayer(
        properties, renderer: settings.rasterRenderer, popup: settings.popup,
        isRemote: source.isRemote,
        opening: { [properties] in try source.raster(name: properties.name, dates) })
    default:
      if name == "KML" {
        return MapImageLayer(properties, typeName: name) {
          try source.layersOfFile(popup: settings.popup)
        }
      }
      let overrides = try SublayerOverrides(node)
      if let path = try? folder.path(of: source.text) { services.append(path) }
      return MapImageLayer(properties) {
        try ServiceLayers(source, overrides: overrides).sublayers()
      }
    }
  }

  /// Returns the layer's type. If a layer in an old document has no `layerType`, its type is
  /// taken from its `type`, or derived from its address.
  private func type(of node: DocumentNode) throws(DocumentFault) -> (name: String, kind: LayerKind)
  {
    let member = try node.member("layerType")
    var known: String?
    if let member { known = try member.text() } else { known = try likelyType(of: node) }
    guard let name = known else {
      return (try node.required("layerType", "a string").text(), .other)
    }
    guard let kind = Self.types[name] else {
      throw (member ?? node).fault(
        "\(name.printable) is not a supported layer type; expected one of"
          + " \(Self.types.keys.sorted().joined(separator: ", "))")
    }
    return (name, kind)
  }

  private func likelyType(of node: DocumentNode) throws(DocumentFault) -> String? {
    if let type = try? node.text("type"), Self.types[type] != nil { return type }
    guard let text = try node.text("url"), !text.isEmpty else { return nil }
    if RemoteSession.isAddress(text), let address = ServiceAddress(text) {
      switch address.kind {
      case .features, .map(layer: .some): return "ArcGISFeatureLayer"
      case .map: return "ArcGISMapServiceLayer"
      case .image: return "ArcGISImageServiceLayer"
      case .item, .other: break
      }
    }
    if InputEnding(path: text).isDelimited { return "CSV" }
    if [".kml", ".kmz"].contains(where: { text.lowercased().hasSuffix($0) }) { return "KML" }
    let source = LayerSource(
      text: text, layer: try node.text("layerName"), folder: folder, node: node, workers: workers)
    return source.isVectorOnly ? "ArcGISFeatureLayer" : "RasterLayer"
  }

  /// A layer of a service or a portal item; nil for a layer of files.
  private func remote(
    _ node: DocumentNode, _ kind: LayerKind, _ settings: LayerSettings,
    _ properties: LayerProperties
  ) throws(DocumentFault) -> (any Layer)? {
    var maker: RemoteLayers
    if let url = try node.member("url"), case let text = try url.text(), !text.isEmpty {
      guard RemoteSession.isAddress(text) else { return nil }
      guard let address = ServiceAddress(text) else {
        throw url.fault("\(text.printable) is not an http or https address")
      }
      let target = RemoteTarget(address: address, session: folder.session, access: access)
      // Remote files are opened by GDAL in a separate sandbox.
      if target.isPlainAddress, kind != .other { return nil }
      do throws(PlumbError) {
        try folder.session.check(text)
      } catch {
        throw url.fault(error)
      }
      maker = RemoteLayers(target, node: url)
    } else if let item = try node.member("itemId") {
      let id = try item.text()
      guard ServiceAddress.isItem(id) else { throw item.fault("\(id.printable) is not an item id") }
      let nodePortal = try node.text("portalUrl")
      maker = RemoteLayers(
        RemoteTarget(
          item: id, portal: nodePortal ?? portal, layer: try node.member("layerId")?.integer(),
          session: folder.session, access: access), node: item)
    } else {
      return nil
    }
    maker.workers = workers
    return try maker.layer(kind, node, settings, properties)
  }

  /// Returns a layer of the features that are embedded in the document, or a group if the feature
  /// collection does not have exactly one layer.
  private func embedded(
    _ collection: DocumentNode, _ properties: LayerProperties, _ node: DocumentNode
  ) throws(DocumentFault) -> any Layer {
    var properties = properties
    let settings = try LayerSettings(node)
    (properties.scaleRange, properties.undrawn) = (settings.scaleRange, settings.undrawn)
    let nodes = try collection.required("layers", "a list").elements()
    let visible = try node.elements("visibleLayers")
    var shown: Set<Int64>?
    if let visible {
      var numbers: Set<Int64> = []
      for number in visible { numbers.insert(try number.integer()) }
      shown = numbers
    }
    if nodes.count == 1 { return layer(of: nodes[0], properties) }
    var layers: [any Layer] = []
    for (index, inner) in nodes.enumerated() {
      let id = properties.id + "-\(index + 1)"
      let name = (try? inner.member("layerDefinition")?.text("name")) ?? nil
      layers.append(
        layer(
          of: inner,
          LayerProperties(id: id, name: name, isVisible: shown?.contains(Int64(index)) ?? true)))
    }
    return GroupLayer(properties, layers: layers)
  }

  private func layer(of node: DocumentNode, _ properties: LayerProperties) -> any Layer {
    var properties = properties
    do throws(DocumentFault) {
      let features = try EmbeddedFeatures(node, access: access)
      let settings = features.settings
      if properties.scaleRange == ScaleRange() { properties.scaleRange = settings.scaleRange }
      properties.undrawn.formUnion(settings.undrawn)
      return FeatureLayer(
        properties, table: features.table, definitionExpression: settings.condition,
        renderer: settings.renderer, popup: settings.popup)
    } catch {
      return BrokenLayer(properties, kind: .feature, error: error.layerError)
    }
  }
}
