import PlumbCore
import PlumbGeometry
import PlumbRaster

/// A layer as one way of asking the map sees it.
struct LayerNode {
  /// Where its own answer comes from.
  enum Leaf {
    case none
    /// By their positions in the lists of rasters, of feature layers and of remote ones that are
    /// asked.
    case raster(Int)
    case features(Int)
    case remote(Int)
  }

  var content: IdentifyLayerResult.LayerContent
  var kind: LayerKind
  /// The layer's id as `Map.layer(id:)` takes it.
  var path: String
  var children: [LayerNode] = []
  var leaf = Leaf.none
  /// Why it does not answer at all.
  var error: LayerError?
  var popup: PopupDefinition? {
    didSet { expressions = popup.flatMap { PopupExpressions($0) } }
  }
  /// Nil when the popup names none.
  private(set) var expressions: PopupExpressions?
}

/// Walks a map's layers and gathers those that take part in a query: visible ones within their
/// scale range, below visible ones within theirs.
struct LayerNodes {
  let options: IdentifyOptions
  /// Of the points.
  let reference: SpatialReference?
  private(set) var rasters: [Raster] = []
  private(set) var features: [FeatureLayer] = []
  private(set) var remotes: [RemoteLayer] = []
  /// Whether another machine's layer is missing that may be back later.
  private(set) var mayRecover = false
  /// The layers' references that points can be turned into.
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

  /// The node of the one layer that is asked; nil when it, or one above it, is not drawn.
  ///
  /// - Parameter path: the layer and all above it, the uppermost first.
  /// - Throws: `no_popups`.
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
      // One that fails has an error of its own.
      (try? layer.load()) == nil || layer.sublayers.contains { hasPopups($0) }
    }
  }

  private func isDrawn(_ layer: any Layer) -> Bool {
    options.asksHidden
      || layer.isVisible
        && (options.scale.map { layer.properties.scaleRange.contains($0) } ?? true)
  }

  /// The node of a layer and of all below it; nil when it does not take part.
  ///
  /// - Parameter service: the id of the map image layer that it lies in.
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

  /// Whether a leaf is asked: by its path, or by that of its service, whose sublayers were not known when
  /// it was named.
  private func isAsked(_ leaf: LayerNode, _ service: String?) -> Bool {
    options.leaves.map { $0.contains(leaf.path) || service.map($0.contains) == true } ?? true
  }

  /// - Parameter layer: one that does not nest too deep.
  private mutating func node(below layer: any Layer, service: String?) -> LayerNode? {
    guard isDrawn(layer) else { return nil }
    var node = Self.start(layer, service)
    do throws(LayerError) {
      switch layer.typed {
      case .feature(let layer):
        node.popup = layer.popup
        if options.returnPopupsOnly, layer.popup == nil { return nil }
        guard isAsked(node, service) else { return nil }
        try layer.load()
        // The source's own scales are known by now.
        guard isDrawn(layer) else { return nil }
        try check(layer.table.spatialReference)
        features.append(layer)
        node.leaf = .features(features.count - 1)
      case .raster(let layer):
        node.popup = layer.popup
        if options.returnPopupsOnly, layer.popup == nil { return nil }
        guard isAsked(node, service) else { return nil }
        try layer.load()
        guard let raster = layer.raster else { return nil }
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
        guard isAsked(node, service) else { return nil }
        try layer.load()
        if let own = layer.source?.reference { try check(own) }
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

  /// - Throws: `no_reference`, or `transform_failed` when PROJ connects no point of the map's with
  ///   one of the layer's.
  private mutating func check(
    _ own: SpatialReference?, isRaster: Bool = false
  ) throws(LayerError) {
    guard let reference else { return }
    guard let own else {
      throw LayerError(
        code: .noReference,
        message: "it has no spatial reference, so no point of the map's can be found in it")
    }
    // A raster that lies nowhere on the Earth takes points as they are.
    if isRaster, !own.isGeoreferenced { return }
    guard !connected.contains(own), !own.isEquivalent(to: reference) else { return }
    do throws(GeometryError) {
      _ = try Transformation(from: reference, to: own)
      _ = try Transformation(from: own, to: reference)
    } catch {
      throw LayerError(code: .transformFailed, error)
    }
    connected.insert(own)
  }
}
