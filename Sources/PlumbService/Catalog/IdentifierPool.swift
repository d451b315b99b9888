import Plumb
import Synchronization

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
  private let idle = Mutex<[(query: Query, identifier: WorkerStates<MapIdentifier>)]>([])
  private static let mostIdle = 32

  init(_ map: Map, _ cache: TileCache) { (self.map, self.cache) = (map, cache) }

  /// Lends an identifier to `body`.
  func withIdentifier<Value>(
    _ query: Query, _ body: (MapIdentifier) throws -> Value
  ) throws -> Value {
    let known = idle.withLock { list -> WorkerStates<MapIdentifier>? in
      guard let index = list.lastIndex(where: { $0.query == query }) else { return nil }
      return list.remove(at: index).identifier
    }
    let identifier = try known ?? WorkerStates([make(query)])
    let value = try body(identifier[0])
    idle.withLock { list in
      if list.count >= Self.mostIdle { list.removeFirst() }
      list.append((query, identifier))
    }
    return value
  }

  private func make(_ query: Query) throws -> MapIdentifier {
    var rasters = MapIdentifier.RasterOptions()
    (rasters.resampling, rasters.cache) = (query.resampling, cache)
    return try MapIdentifier(
      map, options: query.options, reference: query.reference, layer: query.layer,
      rasterOptions: rasters, workers: Workers(count: 1))
  }
}
