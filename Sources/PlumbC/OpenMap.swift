import Plumb
import PlumbVerbs

/// A map and what was made ready to ask it.
final class OpenMap: Sendable {
  /// How the map's rasters are read.
  struct Settings: Sendable {
    var bands: [Int]?
    var resampling = Resampling.nearest
    var cacheBytes: Int
    var workers: Workers
    var access: DocumentAccess
  }

  let path: String
  let map: Map
  let settings: Settings
  private let cache: TileCache
  private let narrowed = NarrowedMaps<Map>()
  /// Identifiers that nobody uses now, each one thread's at a time.
  private let identifiers = IdlePool<MapQuery, MapIdentifier>(limit: 16)
  /// The same for batches.
  private let batches = IdlePool<MapQuery, MapBatch>(limit: 2)

  init(_ path: String, _ settings: Settings) throws {
    self.path = path
    self.settings = settings
    map = try Map.open(path: path, access: settings.access, workers: settings.workers)
    cache = TileCache(capacity: settings.cacheBytes)
  }

  /// The map, or one of the same document with the features that a query's condition leaves.
  private func map(for query: MapQuery) throws -> Map {
    guard let layer = query.layer, let condition = query.condition else { return map }
    return try narrowed.value(layer: layer, condition: condition) {
      try Map.open(path: path, access: settings.access, workers: settings.workers)
    } make: {
      $0
    }
  }

  /// Lends an identifier to `body`.
  func withIdentifier<Value>(
    _ query: MapQuery, _ body: (MapIdentifier) throws -> Value
  ) throws -> Value {
    try identifiers.lend(
      query, isFresh: { !$0.isStale }, make: { try makeIdentifier(query) }, body)
  }

  private func makeIdentifier(_ query: MapQuery) throws -> MapIdentifier {
    var rasters = MapIdentifier.RasterOptions()
    (rasters.bands, rasters.resampling, rasters.cache) = (
      settings.bands, settings.resampling, cache
    )
    return try MapIdentifier(
      map(for: query), options: query.options,
      reference: query.crs.map { try SpatialReference(asked: $0) }, layer: query.layer,
      rasterOptions: rasters, workers: Workers(count: 1))
  }

  /// Lends what asks many points to `body`.
  func withBatch<Value>(
    _ query: MapQuery, _ body: (MapBatch) throws -> Value
  ) throws -> Value {
    try batches.lend(
      query, isFresh: { !$0.isStale }, make: { try MapBatch(map(for: query), query, settings) },
      body)
  }

  // MARK: One point

  /// What the layers hold at a point, as JSON, and what is to be said of it.
  ///
  /// - Throws: when the one layer that is asked does not answer, and what strictness refuses.
  func identify(
    x: Double, y: Double, _ query: MapQuery
  ) throws -> (json: String, warnings: [Wording]) {
    try withIdentifier(query) { identifier in
      var warnings: [Wording] = []
      var json = ""
      let context = RunContext(.library) { warnings.append($0) }
      _ = try Identify.run(
        at: [SIMD2(x, y)], with: identifier, isStrict: query.isStrict, in: context
      ) { point, results in
        let point = AskedPoint(
          x: point.x, y: point.y, reference: identifier.reference?.label)
        json = IdentifyLayerResult.json(point: point, results: results)
      }
      return (json, warnings)
    }
  }
}
