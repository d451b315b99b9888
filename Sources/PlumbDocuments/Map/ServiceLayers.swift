import PlumbCore
import PlumbLayers
import PlumbSources

/// Creates the sublayers of a map image layer from a map service document with local paths, or from a
/// service's metadata.
struct ServiceLayers {
  /// The supported sublayer types.
  enum Kind: String {
    case group = "Group Layer"
    case feature = "Feature Layer"
    case raster = "Raster Layer"

    /// - Parameter type: the name of the type in services.
    init?(type: String) {
      // Mosaics are queried like rasters.
      if type == "Mosaic Layer" {
        self = .raster
        return
      }
      self.init(rawValue: type)
    }

    var layerKind: LayerKind {
      switch self {
      case .group: .group
      case .feature: .feature
      case .raster: .raster
      }
    }
  }

  /// Creates a sublayer without children.
  typealias MakeLeaf = (
    _ node: DocumentNode, _ id: Int64, _ properties: LayerProperties, _ settings: LayerSettings,
    _ kind: Kind?
  ) throws(DocumentFault) -> any Layer

  private let nodes: [DocumentNode]
  private let tree: SublayerTree
  private let overrides: SublayerOverrides
  private let makeLeaf: MakeLeaf
  /// The service's credits, for all its sublayers.
  private let attribution: String?
  /// For each entry, whether the web map lists the entry or one of its descendants as visible; nil
  /// if the web map has no such list.
  private var listed: [Bool]?

  /// - Throws: `LayerError` if the document as a whole is invalid.
  package init(_ source: LayerSource, overrides: SublayerOverrides) throws {
    let root: DocumentNode
    let leaves: LocalSublayers
    do {
      let path = try source.folder.path(of: source.text)
      leaves = LocalSublayers(
        folder: source.folder.folder(ofDocument: path), workers: source.workers)
      root = try DocumentFile.root(path: path)
    } catch {
      throw source.node.fault(error).layerError
    }
    let nodes: [DocumentNode]
    do throws(DocumentFault) {
      nodes = try root.required("layers", "a list").elements()
    } catch {
      throw error.layerError
    }
    try self.init(nodes, overrides: overrides, attribution: root.attribution) {
      node, _, properties, settings, kind throws(DocumentFault) in
      try leaves.leaf(node, properties, settings, kind)
    }
  }

  /// - Parameters:
  ///   - nodes: the entries of all sublayers.
  ///   - attribution: the service's credits, for all sublayers.
  /// - Throws: `LayerError` if the hierarchy is invalid.
  init(
    _ nodes: [DocumentNode], overrides: SublayerOverrides, attribution: String?,
    makeLeaf: @escaping MakeLeaf
  ) throws {
    (self.nodes, self.overrides) = (nodes, overrides)
    (self.attribution, self.makeLeaf) = (attribution, makeLeaf)
    do throws(DocumentFault) {
      tree = try SublayerTree(nodes)
    } catch {
      throw error.layerError
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

  /// The top-level sublayers, topmost first.
  ///
  /// - Throws: `LayerError`.
  package func sublayers() throws -> [any Layer] {
    var made: [Int: any Layer] = [:]
    // Creates children before their parents, which avoids recursion.
    for index in tree.order.reversed() {
      let below = tree.children[index].compactMap { made.removeValue(forKey: $0) }
      made[index] = try layer(index, below: below)
    }
    return tree.roots.compactMap { made[$0] }
  }

  /// - Parameter below: the children, topmost first.
  private func layer(_ index: Int, below: [any Layer]) throws -> any Layer {
    let node = nodes[index]
    let id = tree.ids[index]
    let written = (try? node.text("type")) ?? nil
    let kind = written.flatMap { Kind(type: $0) }
    if !below.isEmpty, let kind, kind != .group {
      throw node.fault("sublayer \(id) is a \(kind.rawValue) and cannot have sublayers").layerError
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
      properties.undrawn = settings.undrawn
      if let type = try node.member("type"), kind == nil {
        throw type.fault(
          "expected Feature Layer, Raster Layer or Group Layer, "
            + "found \(try type.text().printable)")
      }
      if kind == .group || !below.isEmpty {
        return GroupLayer(properties, layers: below.reversed())
      }
      return try makeLeaf(node, id, properties, settings, kind)
    } catch {
      let likely = below.isEmpty ? kind?.layerKind ?? .feature : .group
      return BrokenLayer(properties, kind: likely, error: error.layerError)
    }
  }

  private func isVisible(_ index: Int) -> Bool {
    if let overridden = (try? overrides.isVisible(tree.ids[index])) ?? nil { return overridden }
    if let listed { return listed[index] }
    return ((try? nodes[index].flag("defaultVisibility")) ?? nil) ?? true
  }
}
