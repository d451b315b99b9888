import Plumb
import Synchronization

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
  /// Maps whose features were narrowed down, by how.
  private let narrowed = Mutex<[MapQuery: Map]>([:])
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
    guard query.condition != nil else { return map }
    // What else is asked does not matter to it.
    var key = query
    (key.options, key.crs, key.isStrict) = (IdentifyOptions(), nil, false)
    if let known = narrowed.withLock({ $0[key] }) { return known }
    let made = try Map.open(path: path, access: settings.access, workers: settings.workers)
    try made.narrow(to: query)
    return narrowed.withLock { maps in
      if let other = maps[key] { return other }
      if maps.count >= 8 { maps.removeAll() }
      maps[key] = made
      return made
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
      var warnings = identifier.transformationWarnings.map { Wording($0) }
      if query.isStrict, let first = warnings.first { throw PlumbError.strict(first, "it") }
      let results = identifier.identify(x: x, y: y)
      try WorkCancellation.checkCurrent()
      let unread = identifier.rasters?.sampler.takeFailures().messages ?? []
      let faults = identifier.warnings + unread
      if let failure = identifier.failure { throw failure }
      if query.isStrict, let first = faults.first { throw PlumbError.strict(first) }
      if query.isStrict, let refusal = IdentifyLayerResult.strictRefusal(of: results) {
        throw refusal
      }
      warnings += faults
      let points = PointWarnings(x: [x], y: [y], reference: identifier.reference)
      warnings += points.warnings(of: identifier)
      if let absence = identifier.absence { warnings.append(Wording(absence)) }
      let point = AskedPoint(x: x, y: y, reference: identifier.reference?.label)
      return (IdentifyLayerResult.json(point: point, results: results), warnings)
    }
  }
}
