import PlumbCore
import PlumbGDAL
import PlumbGeometry
import PlumbIO
import PlumbLayers
import PlumbRaster

/// The target of a batch: rasters, or a map's layers.
public enum BatchTarget {
  /// Rasters, each of which provides one result column per band.
  case rasters([Raster])
  /// - Parameter layer: the id of the only layer to identify; nil for all.
  case map(Map, IdentifyOptions, layer: String?)
}

/// A batch's target, prepared for identification.
package final class BatchSource {
  private enum Kind {
    case rasters(RasterIdentifier)
    case map(MapIdentifier)
  }

  private let kind: Kind
  /// The identifier of the rasters; nil for a map without raster layers.
  package let rasters: RasterIdentifier?
  /// The paths of the map's documents.
  private let documents: [String]
  /// The CRS of the points.
  package let reference: SpatialReference?
  /// The rasters and layers that provide result columns, with their names.
  package let parts: [(name: String, part: ResultColumns.Part)]
  /// Advice for the user about clashing names.
  package let advice: String
  let cache: TileCache

  /// - Parameter reference: the CRS of the points; nil for the CRS of the target.
  package convenience init(
    _ target: BatchTarget, _ options: BatchIdentify.Options, reference: SpatialReference?
  ) throws {
    switch target {
    case .rasters(let rasters):
      let requests = rasters.map { RasterSampler.Request($0, bands: options.bands) }
      try self.init(
        requests, names: rasters.map(\.name), options, reference: reference)
    case .map(let map, let query, let layer):
      try self.init(map, query, layer: layer, options, reference: reference)
    }
  }

  /// - Parameter names: the names of the requests, for their columns.
  init(
    _ requests: [RasterSampler.Request], names: [String], _ options: BatchIdentify.Options,
    reference: SpatialReference?
  ) throws {
    cache = options.cache ?? TileCache(capacity: options.cacheBytes)
    let identifier = try RasterIdentifier(
      requests, reference: reference, resampling: options.resampling, cache: cache,
      workers: options.workers)
    rasters = identifier
    self.reference = identifier.reference
    kind = .rasters(identifier)
    documents = []
    parts = zip(names, requests).enumerated().map { ($1.0, .raster($0, $1.1)) }
    advice = "rename the raster with NAME=PATH"
  }

  private init(
    _ map: Map, _ query: IdentifyOptions, layer: String?, _ options: BatchIdentify.Options,
    reference: SpatialReference?
  ) throws {
    var rasterOptions = MapIdentifier.RasterOptions()
    rasterOptions.bands = options.bands
    rasterOptions.resampling = options.resampling
    rasterOptions.cache = options.cache ?? TileCache(capacity: options.cacheBytes)
    cache = rasterOptions.cache
    let identifier = try MapIdentifier(
      map, options: query, reference: reference, layer: layer, rasterOptions: rasterOptions,
      workers: options.workers)
    if let failure = identifier.failure { throw failure }
    rasters = identifier.rasters
    documents = map.documents
    self.reference = identifier.reference
    kind = .map(identifier)
    parts = Self.parts(of: identifier)
    advice = "give the layer another title in the map"
  }

  /// Returns the layers with their names. Layers that share a name are identified by their paths
  /// instead.
  private static func parts(
    of identifier: MapIdentifier
  ) -> [(name: String, part: ResultColumns.Part)] {
    var counts: [String: Int] = [:]
    for leaf in identifier.leaves { counts[leaf.content.name, default: 0] += 1 }
    return identifier.leaves.map { leaf in
      let name = counts[leaf.content.name] == 1 ? leaf.content.name : leaf.path
      return switch leaf.source {
      case .raster(let index):
        (name, identifier.rasters.map { .raster(index, $0.sampler.requests[index]) } ?? .failed)
      case .features(let index):
        (name, .features(index, identifier.features[index].layer.table.fields))
      case .remote(let index): (name, .remote(index))
      case .failed(.feature): (name + ".count", .failed)
      case .failed: (name, .failed)
      }
    }
  }

  /// The map's identifier; nil for rasters.
  package var map: MapIdentifier? {
    if case .map(let identifier) = kind { identifier } else { nil }
  }

  /// Whether a new source may return more results, because a remote layer failed a few seconds ago.
  package var isStale: Bool {
    if case .map(let identifier) = kind { identifier.isStale } else { false }
  }

  /// Starts to read the data that all rows need, in parallel with the first rows.
  package func startLoading() {
    if case .map(let identifier) = kind { identifier.startLoading() }
  }

  /// Waits until loading ends. This is necessary if no row has waited for the data.
  package func finishLoading() {
    if case .map(let identifier) = kind { identifier.finishLoading() }
  }

  /// Warnings about CRSs and about features that are not drawn, and the dates of layers with dates.
  package var warnings: [String] {
    switch kind {
    case .rasters: rasters?.referenceWarnings ?? []
    case .map(let identifier): identifier.referenceWarnings + identifier.dateNotes
    }
  }

  /// A warning for each layer that is known to fail or to return incomplete results.
  package var layerWarnings: [MessageTemplate] {
    if case .map(let identifier) = kind { return identifier.warnings }
    return []
  }

  /// The failure of the layer, if only one layer of a map is requested.
  package var failure: LayerError? {
    if case .map(let identifier) = kind { return identifier.failure ?? identifier.wholeFailure }
    return nil
  }

  /// The names of the feature layers, in the order of their results.
  var featureNames: [String] {
    if case .map(let identifier) = kind { return identifier.features.map(\.layer.name) }
    return []
  }

  /// The names of the remote layers, in the order of their results.
  var remoteNames: [String] {
    if case .map(let identifier) = kind { return identifier.remotes.map(\.layer.name) }
    return []
  }

  /// Warnings about transformations that may be less accurate than the CRSs allow, one line each.
  package var transformationWarnings: [String] {
    switch kind {
    case .rasters: rasters?.transformationWarnings ?? []
    case .map(let identifier): identifier.transformationWarnings
    }
  }

  var cacheStatistics: TileCache.Statistics { cache.statistics }

  /// The files that are read, as far as they are known.
  package var files: [String] {
    let members = rasters?.sampler.requests.flatMap(\.raster.members) ?? []
    var files = members.flatMap(\.files)
    files += documents
    if case .map(let identifier) = kind {
      files += identifier.features.flatMap(\.layer.table.files)
    }
    return files
  }

  package func answers(
    to points: PointCoordinates, keepsProvenance: Bool, keepsTiles: Bool
  ) -> MapAnswers {
    switch kind {
    case .rasters:
      MapAnswers(
        rasters: rasters?.sample(
          points, keepsProvenance: keepsProvenance, keepsTiles: keepsTiles) ?? [],
        features: [])
    case .map(let identifier):
      identifier.answers(to: points, keepsProvenance: keepsProvenance, keepsTiles: keepsTiles)
    }
  }

  /// Whether the decoded tiles of all rasters fit into memory together, so that processing rows in
  /// several batches does not decode a tile twice.
  package var keepsAllTiles: Bool { rasters?.sampler.keepsAllTiles ?? true }

  /// The size of all decoded tiles of all rasters, in bytes.
  package var tileBytes: Double { rasters?.sampler.tileBytes ?? 0 }

  /// Returns the results of feature layers at points, for runs that read rasters separately.
  package func featureAnswers(
    to points: PointCoordinates, keepsPoints: Bool
  ) -> [FeatureAnswer] {
    guard case .map(let identifier) = kind else { return [] }
    return identifier.featureAnswers(to: points, keepsPoints: keepsPoints)
  }

  /// Returns the results of remote layers at points, for runs that read rasters separately.
  package func remoteAnswers(to points: PointCoordinates) -> [[RemoteLayer.Answer]] {
    guard case .map(let identifier) = kind else { return [] }
    return identifier.remoteAnswers(to: points)
  }

  /// Creates a writer that formats the results of rows as JSON.
  ///
  /// - Parameters:
  ///   - names: the names of settings in errors.
  ///   - count: the number of threads that may write concurrently.
  func resultText(
    names: [Setting: String], workers count: Int
  ) throws -> BatchResultText {
    switch kind {
    case .rasters(let identifier):
      return .rasters(try RasterResultText(identifier, names: names, workers: count))
    case .map(let identifier):
      var makers: [MapResultMaker] = []
      for _ in 0..<count {
        guard let maker = try identifier.makeResultMaker() else {
          return .identifier(WorkerStates([identifier]), names)
        }
        makers.append(maker)
      }
      return .map(WorkerStates(makers), names)
    }
  }
}

/// Writes the results of rows as JSON.
enum BatchResultText: Sendable {
  case rasters(RasterResultText)
  case map(WorkerStates<MapResultMaker>, [Setting: String])
  /// A map whose results can be created by only one thread.
  case identifier(WorkerStates<MapIdentifier>, [Setting: String])

  /// Returns the threads that may write concurrently.
  package func workers(of all: Workers) -> Workers {
    if case .identifier = self { return Workers(count: 1) }
    return all
  }

  /// Creates the writer for the results of a batch's rows on one thread.
  package func rows(of answers: MapAnswers, worker: Int) -> Rows {
    var rows = Rows(answers: answers, worker: worker)
    switch self {
    case .rasters(let text):
      rows.rasters = text
      rows.memory = RasterResultText.Answers(answers.rasters)
    case .map(let makers, let names): (rows.maker, rows.names) = (makers[worker], names)
    case .identifier(let identifiers, let names):
      (rows.identifier, rows.names) = (identifiers[worker], names)
    }
    return rows
  }

  package struct Rows {
    fileprivate let answers: MapAnswers
    fileprivate let worker: Int
    fileprivate var memory = RasterResultText.Answers([])
    fileprivate var rasters: RasterResultText?
    fileprivate var maker: MapResultMaker?
    fileprivate var identifier: MapIdentifier?
    fileprivate var names: [Setting: String] = [:]

    fileprivate init(answers: MapAnswers, worker: Int) {
      (self.answers, self.worker) = (answers, worker)
    }

    /// Appends the results at a row's point, separated by commas.
    package func append(_ row: Int, x: Double, y: Double, to text: TextBuffer) {
      if let rasters {
        return rasters.append(row, of: memory, x: x, worker: worker, to: text)
      }
      let results =
        maker?.results(at: row, of: answers, x: x, y: y)
        ?? identifier?.results(at: row, of: answers, x: x, y: y) ?? []
      IdentifyJSON.append(results, names, to: text)
    }
  }
}
