import PlumbCore
import PlumbGeometry
import PlumbRaster

/// A layer in the context of one identify query.
struct LayerNode {
  /// The source of the layer's answers; a group has none.
  enum Leaf {
    case none
    /// The index in the queried rasters, feature layers or remote layers.
    case raster(Int)
    case features(Int)
    case remote(Int)
  }

  var content: IdentifyLayerResult.LayerContent
  var kind: LayerKind
  /// The layer's id in the form of `Map.layer(id:)`.
  var path: String
  var children: [LayerNode] = []
  var leaf = Leaf.none
  /// The date of a raster layer with dates.
  var date: String?
  /// The reason why the layer fails at all points.
  var error: LayerError?
  var popup: PopupDefinition? {
    didSet { expressions = popup.flatMap { PopupExpressions($0) } }
  }
  /// The expressions of the popup; nil if the popup uses none.
  private(set) var expressions: PopupExpressions?
}

/// Traverses a map's layers and collects the layers that take part in a query. A layer takes part
/// if the layer and all its ancestors are visible and within their scale ranges.
struct LayerNodes {
  let options: IdentifyOptions
  /// The CRS of the points.
  let reference: SpatialReference?
  private(set) var rasters: [Raster] = []
  private(set) var features: [FeatureLayer] = []
  private(set) var remotes: [RemoteLayer] = []
  /// Whether a missing remote layer may become available later.
  private(set) var mayRecover = false
  /// The layers' CRSs to which points can be transformed.
  private var connected: Set<SpatialReference> = []

  init(options: IdentifyOptions, reference: SpatialReference?) {
    self.options = options
    self.reference = reference
  }

  static func content(
    of layer: any Layer, isSublayer: Bool
  ) -> IdentifyLayerResult.LayerContent {
    IdentifyLayerResult.LayerContent(
      id: layer.id, name: layer.name, type: isSublayer ? "sublayer" : layer.typeName)
  }

  /// Returns the node of the only requested layer; nil if the layer or one of its ancestors is not drawn.
  ///
  /// - Parameter path: the layer and its ancestors, the outermost first.
  /// - Throws: `no_popups` if only popups are requested but the layer has none.
  mutating func node(ofPath path: [any Layer]) throws(LayerError) -> LayerNode? {
    guard let layer = path.last else { return nil }
    let above = path.dropLast()
    let service = above.last { $0.isService }
    let node = node(of: layer, service: service?.id)
    if options.returnPopupsOnly, LayerNesting.failure(of: layer) == nil, !Self.hasPopups(layer) {
      throw LayerError(
        code: .noPopups, message: "the layer \(layer.id.printable) has no popups")
    }
    return above.allSatisfy { isDrawn($0) } ? node : nil
  }

  private static func hasPopups(_ layer: any Layer) -> Bool {
    switch layer.typed {
    case .feature(let layer): layer.popup != nil
    case .raster(let layer): layer.popup != nil
    case .remote(let layer): layer.popup != nil
    case .group, .mapImage, .broken:
      // If the layer cannot be loaded, the load error is reported instead of `no_popups`.
      (try? layer.load()) == nil || layer.sublayers.contains { hasPopups($0) }
    }
  }

  private func isDrawn(_ layer: any Layer) -> Bool {
    options.includesHidden
      || layer.isVisible
        && (options.scale.map { layer.properties.scaleRange.contains($0) } ?? true)
  }

  /// Returns the node of a layer with its sublayers; nil if the layer does not take part in the query.
  ///
  /// - Parameter service: the id of the map image layer that contains the layer; nil for none.
  mutating func node(of layer: any Layer, service: String? = nil) -> LayerNode? {
    guard let failure = LayerNesting.failure(of: layer) else {
      return node(below: layer, service: service)
    }
    guard isDrawn(layer) else { return nil }
    var node = Self.start(layer, service)
    node.error = failure
    return node
  }

  private static func start(_ layer: any Layer, _ service: String?) -> LayerNode {
    LayerNode(
      content: Self.content(of: layer, isSublayer: service != nil), kind: layer.kind,
      path: (service.map { $0 + "/" } ?? "") + layer.id)
  }

  /// Whether a leaf is requested, by its own path or by the path of its service. The path of the
  /// service is accepted because the service's sublayers may be unknown when the query is created.
  private func isQueried(_ leaf: LayerNode, _ service: String?) -> Bool {
    options.leaves.map { $0.contains(leaf.path) || service.map($0.contains) == true } ?? true
  }

  /// - Parameter layer: a layer that is not nested too deeply.
  private mutating func node(below layer: any Layer, service: String?) -> LayerNode? {
    guard isDrawn(layer) else { return nil }
    var node = Self.start(layer, service)
    do throws(LayerError) {
      switch layer.typed {
      case .feature(let layer):
        node.popup = layer.popup
        if options.returnPopupsOnly, layer.popup == nil { return nil }
        guard isQueried(node, service) else { return nil }
        try layer.load()
        // The source's own scale range is known after loading.
        guard isDrawn(layer) else { return nil }
        try check(layer.table.spatialReference)
        features.append(layer)
        node.leaf = .features(features.count - 1)
      case .raster(let layer):
        node.popup = layer.popup
        if options.returnPopupsOnly, layer.popup == nil { return nil }
        guard isQueried(node, service) else { return nil }
        try layer.load()
        guard let (raster, date) = try chosenRaster(of: layer) else { return nil }
        node.date = date
        for reference in raster.references {
          do {
            try check(try reference.map { try SpatialReference($0) }, isRaster: true)
          } catch let error as LayerError {
            throw error
          } catch {
            throw LayerError(code: .noReference, error)
          }
        }
        rasters.append(raster)
        node.leaf = .raster(rasters.count - 1)
      case .remote(let layer):
        node.popup = layer.popup
        if options.returnPopupsOnly, layer.popup == nil { return nil }
        guard isQueried(node, service) else { return nil }
        try layer.load()
        if let layerReference = layer.source?.reference { try check(layerReference) }
        remotes.append(layer)
        node.leaf = .remote(remotes.count - 1)
      case .group, .mapImage, .broken:
        try layer.load()
        let inner = service ?? (layer.isService ? layer.id : nil)
        for sublayer in layer.sublayers {
          if let child = self.node(below: sublayer, service: inner) {
            node.children.append(child)
          }
        }
      }
    } catch {
      node.error = error
      if layer.mayRecover { mayRecover = true }
    }
    return node
  }

  private func chosenRaster(
    of layer: RasterLayer
  ) throws(LayerError) -> (raster: Raster, date: String?)? {
    do {
      return try layer.raster(at: options.moment)
    } catch {
      throw error as? LayerError ?? LayerError(code: .loadFailed, error)
    }
  }

  /// - Throws: `no_reference` if the layer has no CRS; `transform_failed` if PROJ has no
  ///   transformation between the CRS of the points and the layer's CRS.
  private mutating func check(
    _ layerReference: SpatialReference?, isRaster: Bool = false
  ) throws(LayerError) {
    guard let reference else { return }
    guard let layerReference else {
      throw LayerError(
        code: .noReference,
        message: "it has no CRS, so points of the map cannot be located in it")
    }
    // For a raster that is not georeferenced to the Earth, points are not transformed.
    if isRaster, !layerReference.isGeoreferenced { return }
    guard !connected.contains(layerReference), !layerReference.isEquivalent(to: reference) else {
      return
    }
    do throws(GeometryError) {
      _ = try Transformation(from: reference, to: layerReference)
      _ = try Transformation(from: layerReference, to: reference)
    } catch {
      throw LayerError(code: .transformFailed, error)
    }
    connected.insert(layerReference)
  }
}
