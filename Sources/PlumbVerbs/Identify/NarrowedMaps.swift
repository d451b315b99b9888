import Plumb
import PlumbCore
import PlumbLayers
import Synchronization

extension Map {
  /// Narrows a layer to the features that meet a condition.
  ///
  /// - Throws: for an unknown layer, a layer that does not load or has no features, and a condition that
  ///   is not valid.
  package func narrow(layer id: String, to condition: String) throws {
    guard let asked = layer(id: id) else {
      throw PlumbError("the map has no layer \(id.shown)", code: .badQuery)
    }
    let name = asked.name.printable
    if case .failed(let error) = asked.loadStatus { throw error.of(name) }
    guard case .feature(let features) = asked.typed else {
      throw PlumbError(
        wording: "\(.whereClause): \(id.shown) is not a layer of features",
        code: .badCondition)
    }
    do {
      try features.narrow(to: condition)
    } catch let error as LayerError {
      throw error.of(name)
    } catch {
      throw PlumbError("\(.whereClause)", error)
    }
  }
}

/// Values made of a map with one layer narrowed to a condition; the last few are kept.
package final class NarrowedMaps<Value: Sendable>: Sendable {
  private struct Key: Hashable {
    var layer: String
    var condition: String
  }

  private static var limit: Int { 8 }
  private let kept = Mutex<[Key: Value]>([:])

  package init() {}

  /// The value for a layer and a condition.
  ///
  /// - Parameters:
  ///   - open: opens the map again, as narrowing changes it.
  ///   - make: makes the value of the narrowed map.
  /// - Throws: the error of either, and what `Map.narrow` throws; nothing is kept then.
  package func value(
    layer: String, condition: String, open: () throws -> Map, make: (Map) throws -> Value
  ) throws -> Value {
    let key = Key(layer: layer, condition: condition)
    if let known = kept.withLock({ $0[key] }) { return known }
    let map = try open()
    try map.narrow(layer: layer, to: condition)
    let made = try make(map)
    try WorkCancellation.checkCurrent()
    return kept.withLock { kept in
      if let other = kept[key] { return other }
      if kept.count >= Self.limit { kept.removeAll() }
      kept[key] = made
      return made
    }
  }
}
