import PlumbCore

/// Several geotriggers on one feed.
///
/// Not thread-safe.
public final class FenceNotifierGroup {
  /// The notifiers, one for each geotrigger; the notifications for one location are in this order.
  public let notifiers: [FenceNotifier]

  /// Combines notifiers on one feed; each keeps its state.
  public init(_ notifiers: [FenceNotifier]) { self.notifiers = notifiers }

  /// Processes locations and returns the results, in the order of the locations and then of the notifiers.
  /// Issues of the location itself are reported once.
  ///
  /// - Parameters:
  ///   - batch: the locations, in the feed's order.
  ///   - entities: the names of the batch's entity numbers.
  /// - Precondition: the batch's columns have `count` rows, or none if they are optional.
  public func update(_ batch: LocationBatch, entities: EntityNames) -> FenceNotifier.Updates {
    let all = notifiers.map { $0.update(batch, entities: entities) }
    guard all.count > 1 else { return all.first ?? FenceNotifier.Updates() }
    var result = FenceNotifier.Updates()
    result.notifications = Self.merged(all.map(\.notifications)) { $0.event.row }
    var seen: Set<GeotriggerIssue> = []
    result.issues = Self.merged(all.map(\.issues)) { $0.index }.filter { seen.insert($0).inserted }
    // A number can be reused once no notifier remembers its entity.
    let forgotten = all.dropFirst().reduce(into: Set(all[0].forgotten)) {
      $0.formIntersection($1.forgotten)
    }
    result.forgotten = all[0].forgotten.filter(forgotten.contains)
    return result
  }

  /// Processes locations in parts, and calls `body` with the results of each part, because with many
  /// overlapping fences all events of a batch may not fit into memory. Rows in a part are numbered from 0.
  ///
  /// - Parameters:
  ///   - batch: the locations, in the feed's order.
  ///   - entities: the names of the batch's entity numbers.
  /// - Precondition: the batch's columns have `count` rows, or none if they are optional.
  package func update(
    _ batch: LocationBatch, entities: EntityNames,
    receiving body: (FenceNotifier.Updates) throws -> Void
  ) rethrows {
    let rows = rowsAtOnce(batch)
    guard batch.count > rows else { return try body(update(batch, entities: entities)) }
    var forgotten: [Int32] = []
    for first in stride(from: 0, to: batch.count, by: rows) {
      let end = min(batch.count, first + rows)
      var updates = update(batch.rows(first..<end), entities: entities)
      forgotten += updates.forgotten
      // An entity that is forgotten in one part may have locations in a later part.
      updates.forgotten =
        end < batch.count
        ? [] : forgotten.filter { entity in !notifiers.contains { $0.remembers(entity) } }
      try body(updates)
    }
  }

  /// The number of a batch's locations to process together, which bounds the memory of their events.
  package func rowsAtOnce(_ batch: LocationBatch) -> Int {
    let share = notifiers.map { $0.rowsAtOnce(batch) }.min() ?? batch.count
    return max(1, share / max(1, notifiers.count))
  }

  /// Merges ascending lists; among equal elements, those of the first list come first.
  private static func merged<Element>(
    _ lists: [[Element]], by key: (Element) -> Int
  ) -> [Element] {
    lists.joined().enumerated().sorted {
      (key($0.element), $0.offset) < (key($1.element), $1.offset)
    }.map(\.element)
  }
}
