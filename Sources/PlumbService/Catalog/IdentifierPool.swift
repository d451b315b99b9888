import Plumb
import PlumbCore

/// What asks a map at points, made ready for a way of asking and kept for the next request that asks
/// so: making one takes longer than a point.
final class IdentifierPool: Sendable {
  /// A way of asking.
  struct Query: Sendable, Hashable {
    var options = IdentifyOptions()
    /// The points' reference; nil for the map's.
    var reference: SpatialReference?
    /// The one layer to ask, as `Map.layer(id:)` takes it; nil for all.
    var layer: String?
    var resampling = Resampling.nearest
  }

  private let map: Map
  private let cache: TileCache
  private let idle = IdlePool<Query, MapIdentifier>(limit: 32)

  init(_ map: Map, _ cache: TileCache) { (self.map, self.cache) = (map, cache) }

  /// Lends an identifier to `body`.
  func withIdentifier<Value>(
    _ query: Query, _ body: (MapIdentifier) throws -> Value
  ) throws -> Value {
    try idle.lend(query, isFresh: { !$0.isStale }, make: { try make(query) }, body)
  }

  private func make(_ query: Query) throws -> MapIdentifier {
    var rasters = MapIdentifier.RasterOptions()
    (rasters.resampling, rasters.cache) = (query.resampling, cache)
    return try MapIdentifier(
      map, options: query.options, reference: query.reference, layer: query.layer,
      rasterOptions: rasters, workers: Workers(count: 1))
  }
}
