import PlumbCore
import PlumbLayers
import PlumbSources

/// Makes the sublayers of a map image layer: the document of a map service, with local paths.
package struct ServiceLayers {
  private let nodes: [DocumentNode]
  private let tree: SublayerTree
  private let overrides: SublayerOverrides
  private let folder: DocumentFolder
  private let workers: Workers
  /// What the service says for all its sublayers.
  private let attribution: String?
  /// Entries that the web map lists as visible, or that have such below them; nil without a list.
  private var listed: [Bool]?

  /// - Throws: `LayerError`, what is wrong with the document as a whole.
  package init(_ source: LayerSource, overrides: SublayerOverrides) throws {
    self.overrides = overrides
    workers = source.workers
    do {
      let path = try source.folder.path(of: source.text)
      folder = source.folder.folder(ofDocument: path)
      let root = try DocumentFile.root(path: path)
      attribution = root.attribution
      nodes = try root.required("layers", "a list").elements()
      tree = try SublayerTree(nodes)
    } catch let error as DocumentFault {
      throw error.layerError
    } catch {
      throw source.node.fault(error).layerError
    }
    if let visible = overrides.visible {
      var listed = tree.ids.map { visible.contains($0) }
      for index in tree.order.reversed() where tree.children[index].contains(where: { listed[$0] })
      {
        listed[index] = true
      }
      self.listed = listed
    }
  }

  /// The uppermost sublayers, the topmost first.
  ///
  /// - Throws: `LayerError`.
  package func sublayers() throws -> [any Layer] {
    var made: [Int: any Layer] = [:]
    // From below: whatever nests how deep, nothing recurses.
    for index in tree.order.reversed() {
      let below = tree.children[index].compactMap { made.removeValue(forKey: $0) }
      made[index] = try layer(index, below: below)
    }
    return tree.roots.compactMap { made[$0] }
  }

  private enum Kind: String {
    case group = "Group Layer"
    case feature = "Feature Layer"
    case raster = "Raster Layer"

    var layerKind: LayerKind {
      switch self {
      case .group: .group
      case .feature: .feature
      case .raster: .raster
      }
    }
  }

  /// - Parameter below: the topmost first.
  private func layer(_ index: Int, below: [any Layer]) throws -> any Layer {
    let node = nodes[index]
    let id = tree.ids[index]
    let written = (try? node.text("type")) ?? nil
    let kind = written.flatMap { Kind(rawValue: $0) }
    if !below.isEmpty, let kind, kind != .group {
      throw node.fault("sublayer \(id) is a \(kind.rawValue) and cannot hold others").layerError
    }
    let name = (try? node.text("name")) ?? nil
    var properties = LayerProperties(id: String(id), name: name.flatMap { $0.isEmpty ? nil : $0 })
    properties.isVisible = isVisible(index)
    do throws(DocumentFault) {
      _ = try node.text("name")
      _ = try node.flag("defaultVisibility")
      _ = try overrides.isVisible(id)
      var settings = try LayerSettings(node)
      if let other = try overrides.settings(of: id) { settings.override(with: other) }
      properties.scaleRange = settings.scaleRange
      properties.attribution = settings.attribution ?? attribution ?? ""
      if let type = try node.member("type"), kind == nil {
        throw type.fault(
          "expected Feature Layer, Raster Layer or Group Layer, "
            + "found \(try type.text().printable)")
      }
      if kind == .group || !below.isEmpty {
        return GroupLayer(properties, layers: below.reversed())
      }
      return try leaf(node, properties, settings, kind)
    } catch {
      let likely = below.isEmpty ? kind?.layerKind ?? .feature : .group
      return BrokenLayer(properties, kind: likely, error: error.layerError)
    }
  }

  private func leaf(
    _ node: DocumentNode, _ properties: LayerProperties, _ settings: LayerSettings, _ kind: Kind?
  ) throws(DocumentFault) -> any Layer {
    let source = try source(of: node)
    switch kind {
    case .feature?: break
    case nil where source.isVectorOnly: break
    default:
      return RasterLayer(properties, renderer: settings.rasterRenderer, popup: settings.popup) {
        try source.raster(name: properties.name)
      }
    }
    return FeatureLayer(
      properties, table: source.table(), definitionExpression: settings.condition,
      renderer: settings.renderer, popup: settings.popup)
  }

  private func source(of node: DocumentNode) throws(DocumentFault) -> LayerSource {
    let member = try node.required("source", "a path")
    guard case .object = member.tree else {
      return LayerSource(
        text: try member.text(), layer: nil, folder: folder, node: member, workers: workers)
    }
    let path = try member.required("path", "a path")
    let layer = try member.firstMember("layer", "layerName", "name")?.text()
    return LayerSource(
      text: try path.text(), layer: layer, folder: folder, node: path, workers: workers)
  }

  private func isVisible(_ index: Int) -> Bool {
    if let own = (try? overrides.isVisible(tree.ids[index])) ?? nil { return own }
    if let listed { return listed[index] }
    return ((try? nodes[index].flag("defaultVisibility")) ?? nil) ?? true
  }
}
