import PlumbCore

/// A group of geotriggers on one feed.
///
/// A group is not thread-safe.
public final class FenceNotifierGroup {
  /// The notifiers, one for each geotrigger. The notifications for one location are in the order of
  /// the notifiers.
  public let notifiers: [FenceNotifier]

  /// Combines notifiers on one feed. Each notifier keeps its state.
  public init(_ notifiers: [FenceNotifier]) { self.notifiers = notifiers }

  /// Processes locations and returns the results, in the order of the locations and then of the
  /// notifiers. Issues of the location itself are reported once.
  ///
  /// - Parameters:
  ///   - batch: the locations, in the feed's order.
  ///   - entities: the names of the batch's entity numbers.
  /// - Precondition: each column of the batch has `count` rows. Optional columns may be empty.
  public func update(_ batch: LocationBatch, entities: EntityNames) -> FenceNotifier.Updates {
    let all = notifiers.map { $0.update(batch, entities: entities) }
    guard all.count > 1 else { return all.first ?? FenceNotifier.Updates() }
    var result = FenceNotifier.Updates()
    result.notifications = Self.merged(all.map(\.notifications)) { $0.event.row }
    var seen: Set<GeotriggerIssue> = []
    result.issues = Self.merged(all.map(\.issues)) { $0.index }.filter { seen.insert($0).inserted }
    // A number can be reused after all notifiers have forgotten its entity.
    let forgotten = all.dropFirst().reduce(into: Set(all[0].forgotten)) {
      $0.formIntersection($1.forgotten)
    }
    result.forgotten = all[0].forgotten.filter(forgotten.contains)
    return result
  }

  /// Processes locations in parts, and calls `body` with the results of each part. With many
  /// overlapping fences, all events of a batch may not fit into memory. Rows in each part are
  /// numbered from 0.
  ///
  /// - Parameters:
  ///   - batch: the locations, in the feed's order.
  ///   - entities: the names of the batch's entity numbers.
  /// - Precondition: each column of the batch has `count` rows. Optional columns may be empty.
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

  /// Returns how many of a batch's locations to process together. This number bounds the memory of
  /// the events.
  package func rowsAtOnce(_ batch: LocationBatch) -> Int {
    let share = notifiers.map { $0.rowsAtOnce(batch) }.min() ?? batch.count
    return max(1, share / max(1, notifiers.count))
  }

  /// Merges ascending lists. Elements with equal keys are in the order of their lists.
  private static func merged<Element>(
    _ lists: [[Element]], by key: (Element) -> Int
  ) -> [Element] {
    lists.joined().enumerated().sorted {
      (key($0.element), $0.offset) < (key($1.element), $1.offset)
    }.map(\.element)
  }
}
