import PlumbCore
import PlumbGeometry
import PlumbRaster

/// A map made ready to be asked in one way: for one point after the other, or for many at once.
///
/// It keeps the layers' state of the moment it was made: visibility, scale ranges, popups. One
/// thread at a time may use it; others may ask the map meanwhile, with identifiers of their own.
public final class MapIdentifier {
  /// The reference of the points; nil when neither the map nor a layer has one.
  public let reference: SpatialReference?
  /// How the map is asked.
  public let options: IdentifyOptions
  /// What the layer that alone is asked is called in results; the map's own otherwise.
  let askedContent: IdentifyLayerResult.LayerContent
  /// The one layer that is asked.
  private let askedID: String?
  /// The layers that are asked, the topmost first.
  let nodes: [LayerNode]
  /// All raster layers among them, in the order of `nodes`; nil without any.
  public let rasters: RasterIdentifier?
  /// All feature layers among them, in the order of `nodes`.
  public let features: [FeatureQuery]
  /// All layers of other machines that are asked at locations, in the order of `nodes`.
  public let remotes: [RemoteQuery]
  private let maker: MapResultMaker
  private let projector: PointProjector
  /// Which of the projector's targets each of `features` is in, and each of `remotes` behind them.
  private let targets: [Int]

  /// Whether another machine's layer is missing that may be back later.
  private let mayRecover: Bool
  private let made = ContinuousClock.now

  /// Whether another that is made now may answer more: a layer of another machine failed, and some seconds
  /// have gone.
  package var isStale: Bool { mayRecover && ContinuousClock.now - made > LoadRetry.patience }

  /// Reads features ahead; going out of scope waits for it.
  private var loading: BackgroundTask?
  private let map: Map

  /// Starts to read all features, on a thread of its own, which the next call waits for: worth it
  /// when a batch follows.
  public func startLoading() {
    guard loading == nil else { return }
    let layers = map.asking {
      Set(
        features.map(\.layer).filter { !$0.hasFeatures && !$0.table.isRemote }
          .map { ObjectIdentifier($0) })
    }
    guard !layers.isEmpty else { return }
    loading = BackgroundTask { [map] in map.loadFeatures(of: layers) }
  }

  /// Waits for what was started. What is wrong with layers may be asked then.
  public func finishLoading() { loading = nil }

  /// How rasters are read.
  public struct RasterOptions: Sendable {
    /// From 0; nil for all.
    public var bands: [Int]?
    /// How a value is taken from the cells round a point.
    public var resampling = Resampling.nearest
    /// Where decoded tiles are kept; 512 MB of them unless another cache is given.
    public var cache = TileCache(capacity: 512 << 20)

    /// All bands, nearest cells, a cache of its own.
    public init() {}
  }

  /// - Parameters:
  ///   - map: is taken in the state that it has now.
  ///   - options: how the map is asked.
  ///   - reference: of the points; nil for the map's.
  ///   - id: the one layer to ask, as `Map.layer(id:)` takes it; nil for all.
  ///   - rasterOptions: how rasters are read.
  ///   - workers: the threads that share the work.
  /// - Throws: `bad_query` for what no map can be asked or when there is no such layer; `no_popups`
  ///   when popups alone are asked of a layer that has none.
  public init(
    _ map: Map, options: IdentifyOptions = IdentifyOptions(), reference: SpatialReference? = nil,
    layer id: String? = nil, rasterOptions: RasterOptions = RasterOptions(),
    workers: Workers = Workers()
  ) throws(LayerError) {
    try options.check()
    self.options = options
    self.map = map
    let asked = try map.asking { () throws(LayerError) in
      try Asked(map, options, reference: reference, layer: id, workers: workers)
    }
    let reference = asked.reference
    self.reference = reference
    askedID = id
    (nodes, askedContent, features) = (asked.nodes, asked.content, asked.features)
    (remotes, mayRecover) = (asked.remotes, asked.mayRecover)
    var references: [SpatialReference?] = []
    targets = (features.map(\.reference) + remotes.map(\.reference)).map { reference in
      if let known = references.firstIndex(of: reference) { return known }
      references.append(reference)
      return references.count - 1
    }
    do {
      projector = try PointProjector(from: reference, to: references, workers: workers)
      rasters = try Self.identifier(
        of: asked.rasters, reference: reference, rasterOptions, workers: workers)
      maker = try MapResultMaker(
        nodes: nodes, features: features, remotes: remotes, rasters: rasters, options: options)
    } catch {
      throw LayerError(code: .badQuery, error)
    }
  }

  /// What of a map is asked. To be made within `Map.asking`.
  private struct Asked {
    let reference: SpatialReference?
    let nodes: [LayerNode]
    let content: IdentifyLayerResult.LayerContent
    let features: [FeatureQuery]
    let remotes: [RemoteQuery]
    let rasters: [Raster]
    let mayRecover: Bool

    init(
      _ map: Map, _ options: IdentifyOptions, reference: SpatialReference?, layer id: String?,
      workers: Workers
    ) throws(LayerError) {
      let mapReference = map.referenceOfLayers()
      let reference = reference ?? mapReference
      self.reference = reference
      var maker = LayerNodes(options: options, reference: reference)
      if let id {
        guard let path = map.path(toLayer: id), let layer = path.last else {
          throw LayerError(code: .badQuery, message: "the map has no layer \(id.printable)")
        }
        nodes = try maker.node(ofPath: path).map { [$0] } ?? []
        content = LayerNodes.content(
          of: layer, isSublayer: path.dropLast().contains { $0.isService })
      } else {
        nodes = map.layers.reversed().compactMap { maker.node(of: $0) }
        content = IdentifyLayerResult.LayerContent(id: "", name: "", type: "map")
      }
      features = maker.features.map {
        FeatureQuery(
          $0, options: options, reference: reference,
          mapReference: options.viewReference ?? mapReference, workers: workers)
      }
      remotes = maker.remotes.map {
        RemoteQuery($0, options: options, reference: reference)
      }
      (rasters, mayRecover) = (maker.rasters, maker.mayRecover)
    }
  }

  /// The layers without sublayers that are asked, the topmost first.
  public struct Leaf: Sendable {
    /// How a leaf is asked.
    public enum Source: Sendable, Hashable {
      /// By its index among `rasters`' requests.
      case raster(Int)
      /// By its index in `features`.
      case features(Int)
      /// By its index in `remotes`.
      case remote(Int)
      /// Cannot be asked at all.
      case failed(LayerKind)
    }

    /// What results call the layer.
    public var content: IdentifyLayerResult.LayerContent
    /// The layer's id as `Map.layer(id:)` takes it.
    public var path: String
    /// Where its answers stand in a batch.
    public var source: Source
  }

  /// The layers without sublayers that are asked, the topmost first.
  public var leaves: [Leaf] {
    var leaves: [Leaf] = []
    func add(_ node: LayerNode) {
      switch (node.leaf, node.kind) {
      case (.raster(let index), _):
        leaves.append(Leaf(content: node.content, path: node.path, source: .raster(index)))
      case (.features(let index), _):
        leaves.append(Leaf(content: node.content, path: node.path, source: .features(index)))
      case (.remote(let index), _):
        leaves.append(Leaf(content: node.content, path: node.path, source: .remote(index)))
      case (.none, .raster), (.none, .feature), (.none, .other):
        leaves.append(Leaf(content: node.content, path: node.path, source: .failed(node.kind)))
      case (.none, _): node.children.forEach(add)
      }
    }
    nodes.forEach(add)
    return leaves
  }

  /// Whether any layer takes part: false for one that alone is asked and is hidden, or out of its
  /// scale range.
  public var isDrawn: Bool { !nodes.isEmpty }

  /// That the one layer which is asked does not take part, as a line for people; nil when it does.
  public var absence: String? {
    guard let askedID, !isDrawn else { return nil }
    return "the layer \(askedID.printable) is hidden, or not drawn at this scale"
  }

  /// Why the one layer that is asked answers at no point, as far as it is known by now, with the
  /// layer's name; nil when it does, and when all are asked.
  public var failure: LayerError? {
    guard askedID != nil, let node = nodes.first else { return nil }
    var error = node.error
    if case .features(let index) = node.leaf {
      error = error ?? features[index].failure ?? features[index].readFailure
    }
    return error?.of(node.content.name.printable)
  }

  /// Why none of the layers that are asked answers at any location, as far as it is known by now,
  /// with the first failure; nil when one does, and when there is none.
  public var wholeFailure: LayerError? {
    var first: LayerError?
    var answers = false
    func add(_ node: LayerNode) {
      var error = node.error
      if case .features(let index) = node.leaf {
        error = error ?? features[index].failure ?? features[index].readFailure
      }
      if let error {
        first = first ?? error.of(node.content.name.printable)
        return
      }
      switch node.leaf {
      case .raster, .features, .remote: answers = true
      case .none: node.children.forEach(add)
      }
    }
    nodes.forEach(add)
    guard !answers, let first else { return nil }
    return LayerError(
      code: first.code, wording: "no layer of the map answers; \(first.wording)",
      remedies: first.remedies, cause: first.cause)
  }

  /// The transformations to layers that may give worse points than the references allow, a line
  /// each.
  public private(set) lazy var transformationWarnings: [String] = {
    // Finding them out takes longer than a point.
    var lines = rasters?.transformationWarnings ?? []
    let uncertain = map.asking { features.compactMap(\.transformationWarning) }
    for line in uncertain where !lines.contains(line) { lines.append(line) }
    return lines
  }()

  /// The layers that do not answer at all, and what is wrong with others' features, a line each.
  public var warnings: [Wording] {
    var lines: [Wording] = []
    func add(_ node: LayerNode) {
      if let error = node.error {
        lines.append("\(node.content.name.printable): \(error.line)")
      }
      for warning in (node.popup?.mistakes ?? []) + (node.expressions?.warnings ?? []) {
        lines.append("\(node.content.name.printable): \(warning)")
      }
      node.children.forEach(add)
    }
    nodes.forEach(add)
    for query in features {
      if let warning = map.asking({ query.warning }) {
        lines.append("\(query.layer.name.printable): \(warning)")
      }
    }
    return lines
  }

  private static func identifier(
    of rasters: [Raster], reference: SpatialReference?, _ options: RasterOptions, workers: Workers
  ) throws -> RasterIdentifier? {
    guard !rasters.isEmpty else { return nil }
    return try RasterIdentifier(
      rasters.map { RasterSampler.Request($0, bands: options.bands) }, reference: reference,
      resampling: options.resampling, cache: options.cache, workers: workers)
  }

  /// What the layers hold at a point of `reference`, the topmost first.
  public func identify(x: Double, y: Double) -> [IdentifyLayerResult] {
    let isPoint = x.isFinite && y.isFinite
    let point = PointProjector.Columns(count: 1)
    unsafe point.x.base[0] = x
    unsafe point.y.base[0] = y
    unsafe point.status.base[0] = (isPoint ? SampleStatus.ok : .badPoint).rawValue
    return withExtendedLifetime(point) {
      let points = unsafe PointCoordinates(
        x: point.x.base, y: point.y.base, status: point.status.base, count: 1)
      return results(at: 0, of: answers(to: points, keepsProvenance: true), x: x, y: y)
    }
  }

  /// Asks all layers at a batch of points of `reference`.
  ///
  /// - Parameters:
  ///   - points: in `reference`, x before y.
  ///   - keepsProvenance: whether results are to be made of the answers.
  ///   - keepsTiles: whether decoded tiles stay in the cache for other batches.
  public func answers(
    to points: PointCoordinates, keepsProvenance: Bool, keepsTiles: Bool = true
  ) -> MapAnswers {
    let cells = rasters?.sample(
      points, keepsProvenance: keepsProvenance, keepsTiles: keepsTiles)
    return MapAnswers(
      rasters: cells ?? [],
      features: featureAnswers(to: points, keepsPoints: keepsProvenance),
      remotes: remoteAnswers(to: points))
  }

  /// Asks the layers of other machines alone.
  package func remoteAnswers(to points: PointCoordinates) -> [[RemoteLayer.Answer]] {
    guard !remotes.isEmpty else { return [] }
    return projector.project(points) { coordinates in
      map.asking {
        zip(remotes, targets[features.count...]).map { $0.answers(to: coordinates[$1]) }
      }
    }
  }

  /// Asks the feature layers alone.
  package func featureAnswers(
    to points: PointCoordinates, keepsPoints: Bool
  ) -> [FeatureAnswer] {
    loading = nil
    return projector.project(points) { coordinates in
      zip(features, targets).map {
        $0.answer(to: coordinates[$1], keepsPoints: keepsPoints, of: map)
      }
    }
  }

  /// Whether a point of `reference` lies within the extent of a feature layer's features.
  package func reachesFeatures(x: Double, y: Double) -> Bool {
    guard !features.isEmpty, x.isFinite, y.isFinite else { return false }
    loading = nil
    let point = PointProjector.Columns(count: 1)
    unsafe point.x.base[0] = x
    unsafe point.y.base[0] = y
    unsafe point.status.base[0] = SampleStatus.ok.rawValue
    return withExtendedLifetime(point) {
      projector.project(point.coordinates) { coordinates in
        zip(features, targets).contains { $0.reaches(coordinates[$1], of: map) }
      }
    }
  }

  /// The results at one point of a batch.
  ///
  /// - Parameters:
  ///   - row: the point's number in the batch.
  ///   - answers: made with provenance, for a batch that has a point `row`.
  ///   - x: easting or longitude of that point.
  ///   - y: northing or latitude of that point.
  public func results(
    at row: Int, of answers: MapAnswers, x: Double, y: Double
  ) -> [IdentifyLayerResult] {
    maker.results(at: row, of: answers, x: x, y: y)
  }

  /// Another maker of results, for another thread than the one that uses this identifier; nil where
  /// popups have expressions, which are evaluated for one element after the other.
  package func makeResultMaker() throws -> MapResultMaker? {
    func isPlain(_ node: LayerNode) -> Bool {
      node.expressions == nil && node.children.allSatisfy(isPlain)
    }
    guard nodes.allSatisfy(isPlain) else { return nil }
    return try MapResultMaker(
      nodes: nodes, features: map.asking { features.map { $0.copy() } },
      remotes: map.asking { remotes.map { $0.copy() } }, rasters: rasters, options: options)
  }
}

/// What all layers of a map hold at a batch of points.
public struct MapAnswers: Sendable {
  /// One for each raster layer, in the order of `MapIdentifier.rasters`' requests.
  public var rasters: [RasterAnswer]
  /// One for each feature layer, in the order of `MapIdentifier.features`.
  public var features: [FeatureAnswer]
  /// A list for each layer of another machine, in the order of `MapIdentifier.remotes`, with an answer
  /// for each point.
  public var remotes: [[RemoteLayer.Answer]]

  /// The answers of all leaves to one batch.
  public init(
    rasters: [RasterAnswer], features: [FeatureAnswer], remotes: [[RemoteLayer.Answer]] = []
  ) {
    self.rasters = rasters
    self.features = features
    self.remotes = remotes
  }
}
