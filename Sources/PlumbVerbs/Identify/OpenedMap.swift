import Plumb
import PlumbCore
import PlumbLayers

extension Map {
  /// Restricts a layer to the features that meet a condition.
  ///
  /// - Throws: if the layer is unknown, cannot be loaded or is not a feature layer, or if the
  ///   condition is invalid.
  fileprivate func narrow(layer id: String, to condition: String) throws {
    guard let named = layer(id: id) else {
      throw PlumbError("the map has no layer \(id.shown)", code: .badQuery)
    }
    let name = named.name.printable
    if case .failed(let error) = named.loadStatus { throw error.of(name) }
    guard case .feature(let features) = named.typed else {
      throw PlumbError(
        messageTemplate: "\(.whereClause): \(id.shown) is not a feature layer",
        code: .badCondition)
    }
    do {
      try features.narrow(to: condition)
    } catch let error as LayerError {
      throw error.of(name)
    } catch {
      var fault = PlumbError("\(.whereClause)", error)
      fault.code = .badCondition
      throw fault
    }
  }
}

/// An open map, with the identifiers and the restricted maps that are kept for later requests.
package final class OpenedMap: Sendable {
  /// The options with which a map is identified at points.
  package struct Query: Sendable, Hashable {
    package var options = IdentifyOptions()
    /// The CRS of the points; nil for the CRS of the map.
    package var reference: SpatialReference?
    /// The id of the only layer to identify; nil for all layers.
    package var layer: String?
    /// The condition on the layer's features; nil for all features.
    package var condition: String?
    /// The band indices from 0; nil for all bands.
    package var bands: [Int]?
    package var resampling = Resampling.nearest
    /// The number of threads that identify at the points of a call.
    package var threads = 1

    package init(options: IdentifyOptions = IdentifyOptions(), reference: SpatialReference? = nil) {
      (self.options, self.reference) = (options, reference)
    }
  }

  private struct Narrowing: Equatable {
    var layer: String
    var condition: String
  }

  package let map: Map
  package let cache: TileCache
  private let reopen: @Sendable () throws -> Map
  private let fullMap: Prepared
  private let narrowed = RecentValues<Narrowing, Prepared>(limit: 8)

  /// A map and its identifiers, which are removed from memory together.
  private struct Prepared: Sendable {
    let map: Map
    let identifiers: IdlePool<Query, MapIdentifier>

    init(_ map: Map, limit: Int) {
      self.map = map
      identifiers = IdlePool(limit: limit)
    }
  }

  /// - Parameters:
  ///   - cache: the cache for the tiles of the map's rasters.
  ///   - reopen: opens the map again, because a condition on a layer changes the map.
  package init(_ map: Map, cache: TileCache, reopen: @escaping @Sendable () throws -> Map) {
    (self.map, self.cache, self.reopen) = (map, cache, reopen)
    fullMap = Prepared(map, limit: 32)
  }

  /// The map with only the features that meet a query's condition. The maps of a few recent conditions are
  /// kept.
  package func map(for query: Query) throws -> Map { try prepared(for: query).map }

  private func prepared(for query: Query) throws -> Prepared {
    guard let layer = query.layer, let condition = query.condition else { return fullMap }
    return try narrowed.value(of: Narrowing(layer: layer, condition: condition)) {
      let map = try reopen()
      try map.narrow(layer: layer, to: condition)
      return Prepared(map, limit: 4)
    }
  }

  /// Calls `body` with an identifier for a query. No other thread uses the identifier at the same
  /// time.
  package func withIdentifier<Value>(
    _ query: Query, _ body: (MapIdentifier) throws -> Value
  ) throws -> Value {
    let prepared = try prepared(for: query)
    return try prepared.identifiers.lend(
      query, isFresh: { !$0.isStale }, make: { try makeIdentifier(query, of: prepared.map) }, body)
  }

  private func makeIdentifier(_ query: Query, of map: Map) throws -> MapIdentifier {
    var rasters = MapIdentifier.RasterOptions()
    (rasters.bands, rasters.resampling, rasters.cache) = (query.bands, query.resampling, cache)
    return try MapIdentifier(
      map, options: query.options, reference: query.reference, layer: query.layer,
      rasterOptions: rasters, workers: Workers(count: query.threads))
  }
}
