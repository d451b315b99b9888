import PlumbCore
import PlumbGeometry
import PlumbRaster

/// A map prepared for identification with fixed options, at single points or batches.
///
/// The identifier keeps the layers' state at its creation: visibility, scale ranges, popups. Only
/// one thread at a time may use an identifier. Other threads may use the map at the same time with
/// separate identifiers.
public final class MapIdentifier {
  /// The CRS of the points; nil if neither the map nor a layer has one.
  public let reference: SpatialReference?
  /// The options of the query.
  public let options: IdentifyOptions
  /// The content of the only requested layer, as in results; if all layers are requested, the content of the
  /// map.
  let queriedContent: IdentifyLayerResult.LayerContent
  /// The id of the only requested layer; nil if all layers are requested.
  private let queriedID: String?
  /// The queried layers, the topmost first.
  let nodes: [LayerNode]
  /// The raster layers among the queried layers, in the order of `nodes`; nil if there are none.
  public let rasters: RasterIdentifier?
  /// The feature layers among the queried layers, in the order of `nodes`.
  public let features: [FeatureQuery]
  /// The remote layers among the queried layers, in the order of `nodes`.
  public let remotes: [RemoteQuery]
  private let maker: MapResultMaker
  private let projector: PointProjector
  /// The indices of the projector's targets for `features`, followed by the indices for `remotes`.
  private let targets: [Int]

  /// Whether a missing remote layer may become available later.
  private let mayRecover: Bool
  private let made = ContinuousClock.now

  /// Whether a new identifier may have more answers, because a remote layer failed and a few seconds have
  /// passed.
  package var isStale: Bool { mayRecover && ContinuousClock.now - made > LoadRetry.interval }

  /// The task that reads features in advance. Releasing the task waits until it ends.
  private var loading: BackgroundTask?
  private let map: Map

  /// Starts to read all features on a separate thread. The next query of features waits until the
  /// features are read. This saves time before a batch.
  public func startLoading() {
    guard loading == nil else { return }
    let layers = map.withLock {
      Set(
        features.map(\.layer).filter { !$0.hasFeatures && !$0.table.isRemote }
          .map { ObjectIdentifier($0) })
    }
    guard !layers.isEmpty else { return }
    loading = BackgroundTask { [map] in map.loadFeatures(of: layers) }
  }

  /// Waits for `startLoading` to finish. Afterwards the failures of layers are known.
  public func finishLoading() { loading = nil }

  /// The options of reading rasters.
  public struct RasterOptions: Sendable {
    /// Band indices from 0; nil for all.
    public var bands: [Int]?
    /// The method of computing a value from the cells around a point.
    public var resampling = Resampling.nearest
    /// The cache of decoded tiles, by default with 512 MB.
    public var cache = TileCache(capacity: 512 << 20)

    /// Creates options with defaults: all bands, nearest-neighbour resampling, a new cache.
    public init() {}
  }

  /// - Parameters:
  ///   - map: the map, whose current state is used.
  ///   - options: the options of the query.
  ///   - reference: the CRS of the points; nil for the map's CRS.
  ///   - id: the only layer to identify, in the form of `Map.layer(id:)`; nil for all.
  ///   - rasterOptions: the options of reading rasters.
  ///   - workers: the threads that share the work.
  /// - Throws: `bad_query` for an invalid query or if there is no such layer; `no_popups` if only
  ///   popups are requested but the layer has none.
  public init(
    _ map: Map, options: IdentifyOptions = IdentifyOptions(), reference: SpatialReference? = nil,
    layer id: String? = nil, rasterOptions: RasterOptions = RasterOptions(),
    workers: Workers = Workers()
  ) throws(LayerError) {
    try options.check()
    self.options = options
    self.map = map
    let queried = try map.withLock { () throws(LayerError) in
      try QueriedParts(map, options, reference: reference, layer: id, workers: workers)
    }
    let reference = queried.reference
    self.reference = reference
    queriedID = id
    (nodes, queriedContent, features) = (queried.nodes, queried.content, queried.features)
    (remotes, mayRecover) = (queried.remotes, queried.mayRecover)
    var references: [SpatialReference?] = []
    targets = (features.map(\.reference) + remotes.map(\.reference)).map { reference in
      if let known = references.firstIndex(of: reference) { return known }
      references.append(reference)
      return references.count - 1
    }
    do {
      projector = try PointProjector(from: reference, to: references, workers: workers)
      rasters = try Self.identifier(
        of: queried.rasters, reference: reference, rasterOptions, workers: workers)
      maker = try MapResultMaker(
        nodes: nodes, features: features, remotes: remotes, rasters: rasters, options: options)
    } catch {
      throw LayerError(code: .badQuery, error)
    }
  }

  /// The queried parts of a map. Must be created within `Map.withLock`.
  private struct QueriedParts {
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

  /// A queried layer without sublayers.
  public struct Leaf: Sendable {
    /// The source of a leaf's answers.
    public enum Source: Sendable, Hashable {
      /// A raster layer, by its index among the requests of `rasters`.
      case raster(Int)
      /// A feature layer, by its index in `features`.
      case features(Int)
      /// A remote layer, by its index in `remotes`.
      case remote(Int)
      /// A layer that cannot be queried, with its kind.
      case failed(LayerKind)
    }

    /// The layer's content in results.
    public var content: IdentifyLayerResult.LayerContent
    /// The layer's id in the form of `Map.layer(id:)`.
    public var path: String
    /// The source of the layer's answers in a batch.
    public var source: Source
  }

  /// The queried layers without sublayers, the topmost first.
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

  /// Whether any layer takes part: false if the only requested layer is hidden or out of its scale range.
  public var isDrawn: Bool { !nodes.isEmpty }

  /// A line stating that the only requested layer does not take part in the query; nil if the layer
  /// takes part, or if all layers are requested.
  public var absence: String? {
    guard let queriedID, !isDrawn else { return nil }
    return "the layer \(queriedID.printable) is hidden, or not drawn at this scale"
  }

  /// The failure, known in advance, of the only requested layer at all points, with the layer's
  /// name; nil if there is none, or if all layers are requested.
  public var failure: LayerError? {
    guard queriedID != nil, let node = nodes.first else { return nil }
    var error = node.error
    if case .features(let index) = node.leaf {
      error = error ?? features[index].failure ?? features[index].readFailure
    }
    return error?.of(node.content.name.printable)
  }

  /// The first failure if all requested layers are known to fail at all locations; nil if a layer does not
  /// fail, or if there are no layers.
  public var wholeFailure: LayerError? {
    var first: LayerError?
    var hasSource = false
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
      case .raster, .features, .remote: hasSource = true
      case .none: node.children.forEach(add)
      }
    }
    nodes.forEach(add)
    guard !hasSource, let first else { return nil }
    return LayerError(
      code: first.code, messageTemplate: "all layers of the map failed; \(first.messageTemplate)",
      remedies: first.remedies, cause: first.cause)
  }

  /// Warnings about layers whose transformations may be less accurate than the CRSs allow, one line
  /// each.
  public private(set) lazy var transformationWarnings: [String] = {
    // Computed only on demand, because the check takes longer than identifying a point.
    var lines = rasters?.transformationWarnings ?? []
    let uncertain = map.withLock { features.compactMap(\.transformationWarning) }
    for line in uncertain where !lines.contains(line) { lines.append(line) }
    return lines
  }()

  /// Warnings about the georeferencing of rasters, and about the only requested layer if it does not take
  /// part in the query, one line each.
  package var referenceWarnings: [String] {
    (rasters?.referenceWarnings ?? []) + [absence].compactMap { $0 }
  }

  /// The date of each layer with dates, one line each.
  package var dateNotes: [String] {
    var lines: [String] = []
    func add(_ node: LayerNode) {
      if let date = node.date, node.error == nil {
        let place = options.moment == nil ? ", the last date of the layer" : ""
        lines.append("\(node.content.name.printable): the values are those of \(date)\(place)")
      }
      node.children.forEach(add)
    }
    nodes.forEach(add)
    return lines
  }

  /// Warnings about layers that fail at all points and about faulty features, one line each.
  public var warnings: [MessageTemplate] {
    var lines: [MessageTemplate] = []
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
      if let warning = map.withLock({ query.warning }) {
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

  /// Identifies the layers at a point in `reference`. Returns the results with the topmost layer
  /// first.
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

  /// Queries all layers at a batch of points in `reference`.
  ///
  /// - Parameters:
  ///   - points: the points in `reference`, x before y.
  ///   - keepsProvenance: whether results will be created from the answers.
  ///   - keepsTiles: whether decoded tiles remain in the cache for other batches.
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

  /// Queries the remote layers only.
  package func remoteAnswers(to points: PointCoordinates) -> [[RemoteLayer.Answer]] {
    guard !remotes.isEmpty else { return [] }
    return projector.project(points) { coordinates in
      map.withLock {
        zip(remotes, targets[features.count...]).map { $0.answers(to: coordinates[$1]) }
      }
    }
  }

  /// Queries the feature layers only.
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

  /// Whether a point in `reference` is within the extent of a feature layer's features.
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

  /// Returns the results at one point of a batch.
  ///
  /// - Parameters:
  ///   - row: the index of the point in the batch.
  ///   - answers: the answers for the batch, with provenance.
  ///   - x: the easting or longitude of that point.
  ///   - y: the northing or latitude of that point.
  public func results(
    at row: Int, of answers: MapAnswers, x: Double, y: Double
  ) -> [IdentifyLayerResult] {
    maker.results(at: row, of: answers, x: x, y: y)
  }

  /// Creates a maker of results for use on another thread; nil if popups have expressions, which are
  /// evaluated sequentially.
  package func makeResultMaker() throws -> MapResultMaker? {
    func isPlain(_ node: LayerNode) -> Bool {
      node.expressions == nil && node.children.allSatisfy(isPlain)
    }
    guard nodes.allSatisfy(isPlain) else { return nil }
    return try MapResultMaker(
      nodes: nodes, features: map.withLock { features.map { $0.copy() } },
      remotes: map.withLock { remotes.map { $0.copy() } }, rasters: rasters, options: options)
  }
}

/// The answers of all layers of a map at a batch of points.
public struct MapAnswers: Sendable {
  /// The answer of each raster layer, in the order of the requests of `MapIdentifier.rasters`.
  public var rasters: [RasterAnswer]
  /// The answer of each feature layer, in the order of `MapIdentifier.features`.
  public var features: [FeatureAnswer]
  /// For each remote layer, in the order of `MapIdentifier.remotes`, an answer for each point.
  public var remotes: [[RemoteLayer.Answer]]

  /// Creates the answers of all layers to one batch.
  public init(
    rasters: [RasterAnswer], features: [FeatureAnswer], remotes: [[RemoteLayer.Answer]] = []
  ) {
    self.rasters = rasters
    self.features = features
    self.remotes = remotes
  }
}
