import PlumbCore
import PlumbGeometry

@testable import PlumbGeotriggers

/// A second implementation of the rules, one fix and one fence at a time, with distances searched
/// along all edges. Crossings are not implemented.
final class BruteForce {
  struct Found: Hashable, CustomStringConvertible {
    var row: Int
    var type: FenceEventType
    var entity: Int32
    var id: String
    var since: Int64?

    var description: String { "\(row) e\(entity) \(type) \(id) \(since.map { "\($0)" } ?? "")" }
  }

  private struct Pair {
    var inside = false
    var since: Int64 = 0
    var dwelt = false
    var last: Int64?
  }

  private struct Entity {
    var time: Int64
    var point = SIMD2<Double>(0, 0)
    var pairs: [String: Pair] = [:]
  }

  private let rules: FenceRules
  private let buffer: Double
  private var fences: [(id: String, shape: BruteDistance)] = []
  private var entities: [Int32: Entity] = [:]
  /// The latest time of each entity so far.
  private var latest: [Int32: Int64] = [:]
  private(set) var found: [Found] = []
  private(set) var ignored: [Int] = []
  /// Fixes so near to a threshold that rounding may decide.
  private(set) var doubtful = 0

  init(_ rules: FenceRules, buffer: Double) { (self.rules, self.buffer) = (rules, buffer) }

  /// Replaces the fences: entities exit removed fences, and enter or exit changed ones at their
  /// last location. Cooldowns and discs are not supported here.
  func use(_ list: [Fence]) throws {
    let former = Dictionary(uniqueKeysWithValues: fences.map { ($0.id, $0.shape.geometry) })
    fences = try list.map { ($0.id, try BruteDistance($0.geometry)) }
    let ids = Set(list.map(\.id))
    for number in entities.keys.sorted() {
      guard var entity = entities[number] else { continue }
      var (exits, enters): ([Found], [Found]) = ([], [])
      for (id, pair) in entity.pairs where !ids.contains(id) {
        if pair.inside {
          exits.append(Found(row: 0, type: .exited, entity: number, id: id, since: pair.since))
        }
        entity.pairs[id] = nil
      }
      for (id, shape) in fences {
        guard let old = former[id], old != shape.geometry else { continue }
        var pair = entity.pairs[id] ?? Pair()
        let inside = isInside(shape, entity.point, 0, was: pair.inside)
        if inside != pair.inside {
          pair.inside = inside
          if inside {
            enters.append(Found(row: 0, type: .entered, entity: number, id: id))
            (pair.since, pair.dwelt) = (entity.time, false)
          } else {
            exits.append(Found(row: 0, type: .exited, entity: number, id: id, since: pair.since))
          }
        }
        entity.pairs[id] = pair
      }
      entities[number] = entity
      replaced += exits + enters
    }
  }

  private var replaced: [Found] = []

  /// The events of other fences, as a set: fences of two sets have no common order.
  func removeReplaced() -> Set<Found> {
    defer { replaced = [] }
    return Set(replaced)
  }

  func process(_ batch: LocationBatch, offset: Int = 0) {
    for row in 0..<batch.count {
      let point = SIMD2(batch.x[row], batch.y[row])
      guard point.x.isFinite, point.y.isFinite, point.y >= -90, point.y <= 90, point.x >= -360,
        point.x <= 360
      else {
        ignored.append(row + offset)
        continue
      }
      var radius = 0.0
      if rules.feedAccuracyMode == .useGeometryWithAccuracy, !batch.horizontalAccuracy.isEmpty,
        batch.horizontalAccuracy[row] > 0
      {
        radius = batch.horizontalAccuracy[row]
      }
      process(row + offset, batch.entity[row], batch.time[row], point, radius)
    }
  }

  private func process(
    _ row: Int, _ number: Int32, _ time: Int64, _ point: SIMD2<Double>, _ radius: Double
  ) {
    var isFirst = false
    var entity: Entity
    latest[number] = max(latest[number] ?? time, time)
    let second = latest.values.sorted().dropLast().last ?? time
    if let known = entities[number],
      rules.forgetsAfter.map({ Double(max(time, second) - known.time) <= $0 * 1000 }) ?? true
    {
      if time < known.time {
        ignored.append(row)
        return
      }
      entity = known
    } else {
      (isFirst, entity) = (true, Entity(time: time))
    }
    (entity.time, entity.point) = (time, point)
    var (exits, enters, dwells): ([Found], [Found], [Found]) = ([], [], [])
    for (id, shape) in fences {
      var pair = entity.pairs[id] ?? Pair()
      let inside = isInside(shape, point, radius, was: pair.inside)
      func isLoud() -> Bool {
        guard let cooldown = rules.cooldown, let last = pair.last else { return true }
        return Double(time - last) >= cooldown * 1000
      }
      if inside != pair.inside {
        pair.inside = inside
        let found = inside ? rules.rule != .exit : rules.rule != .enter
        let silent = inside && isFirst && !rules.firesInitially
        if found, !silent, isLoud() {
          pair.last = time
          if inside {
            enters.append(Found(row: row, type: .entered, entity: number, id: id))
          } else {
            exits.append(
              Found(row: row, type: .exited, entity: number, id: id, since: pair.since))
          }
        }
        if inside { (pair.since, pair.dwelt) = (time, false) }
      }
      if inside, let dwell = rules.dwell, !pair.dwelt, Double(time - pair.since) >= dwell * 1000 {
        pair.dwelt = true
        if isLoud() {
          pair.last = time
          dwells.append(Found(row: row, type: .dwelt, entity: number, id: id, since: pair.since))
        }
      }
      entity.pairs[id] = pair
    }
    entities[number] = entity
    found += exits + enters + dwells
  }

  private func isInside(
    _ shape: BruteDistance, _ point: SIMD2<Double>, _ radius: Double, was: Bool
  ) -> Bool {
    func compare(_ value: Double, _ limit: Double) -> Bool {
      if value > 0, (value - limit).magnitude < 1e-6 { doubtful += 1 }
      return value <= limit
    }
    let distance = shape.distance(point, maximumDistance: buffer + radius + 1)
    let intersects = compare(distance, buffer + radius)
    guard radius > 0 else { return intersects }
    guard intersects else { return false }
    switch rules.relationship {
    case .enterIntersectsAndExitDoesNotIntersect: return true
    case .enterContainsAndExitDoesNotIntersect where was: return true
    default: break
    }
    if shape.geometry.dimension == 0, case .point = shape.geometry {
      return compare(distance + radius, buffer)
    }
    if buffer == 0 { return distance == 0 && compare(radius, shape.toEdges(point)) }
    let greatest = shape.greatest(inDiscRound: point, radius: radius)
    if (greatest - buffer).magnitude < 2e-4 { doubtful += 1 }
    return greatest <= buffer
  }
}

extension FenceUpdates {
  /// The events of other fences in the form of the tested implementation.
  func found(_ fences: [Fence], _ former: [Fence]) -> Set<BruteForce.Found> {
    Set(
      events.map {
        BruteForce.Found(
          row: 0, type: $0.type, entity: $0.entity,
          id: ($0.cause == .fenceRemoved ? former : fences)[$0.fence].id, since: $0.since)
      })
  }

  /// The events in the form of the tested implementation.
  func found(_ fences: [Fence], offset: Int = 0) -> [BruteForce.Found] {
    events.map {
      BruteForce.Found(
        row: $0.row + offset, type: $0.type, entity: $0.entity, id: fences[$0.fence].id,
        since: $0.since)
    }
  }
}
