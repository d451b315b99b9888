import PlumbCore
import PlumbExpressions

/// One geotrigger at work: takes batches of locations and gives notifications, at once and in the
/// same order every time. `GeotriggerMonitor` is this on a feed that runs by itself.
///
/// Not thread-safe.
///
/// ```swift
/// let notifier = try FenceNotifier(geotrigger)
/// while let batch = try feed.next(limit: 65_536) {
///   for notification in notifier.update(batch, entities: feed.entities).notifications { … }
/// }
/// ```
public final class FenceNotifier {
  /// What it watches for; `replace` changes its fences.
  public private(set) var geotrigger: FenceGeotrigger
  private let tracker: FenceTracker
  private var filter: FilterRun?
  private var message: MessageRun?

  /// - Parameters:
  ///   - geotrigger: the fences, and what is reported of them.
  ///   - filter: the locations that count; nil for all.
  ///   - stayLimit: pairs of an entity and a fence that are remembered, as of `FenceTracker`.
  ///   - workers: the threads that share the work.
  /// - Throws: for rules that cannot be kept.
  public init(
    _ geotrigger: FenceGeotrigger, filter: FeedFilter? = nil, stayLimit: Int = .max,
    workers: Workers = Workers()
  ) throws(GeotriggerError) {
    self.geotrigger = geotrigger
    tracker = try FenceTracker(
      geotrigger.fences, geotrigger.rules, stayLimit: stayLimit, workers: workers)
    self.filter = filter.map { FilterRun($0) }
    message = geotrigger.messageExpression.map {
      MessageRun($0, fenceFields: geotrigger.fenceFields)
    }
  }

  /// What some locations lead to.
  public struct Updates: Sendable {
    /// By location; at one location in the order of `FenceUpdates`.
    public var notifications: [FenceNotification] = []
    /// By location, within what filters, the fences and messages say in turn.
    public var issues: [GeotriggerIssue] = []
    /// Entities of which nothing is remembered any more: a feed of one geotrigger may release their
    /// names.
    public var forgotten: [Int32] = []
  }

  /// Takes locations to the end, even where the calling thread's work is cancelled: where entities are does
  /// not depend on it.
  ///
  /// - Parameters:
  ///   - batch: locations in the feed's order.
  ///   - entities: the names that the batch's entities are numbered by.
  /// - Precondition: the batch's columns have as many rows as it has, or none where they may.
  public func update(_ batch: LocationBatch, entities: EntityNames) -> Updates {
    WorkCancellation.uncancelled { taken(batch, entities) }
  }

  private func taken(_ batch: LocationBatch, _ entities: EntityNames) -> Updates {
    var updates = Updates()
    let batch = filter?.kept(batch, entities, &updates.issues) ?? batch
    let found = tracker.update(batch)
    updates.forgotten = found.forgotten
    updates.issues += found.issues.map { found in
      var issue = batch.issue(found.row, found.description)
      issue.lacksRoom = found.kind == .noRoom
      return issue
    }
    updates.notifications.reserveCapacity(found.events.count)
    for event in found.events {
      add(event, geotrigger.fences, &message, batch, entities, to: &updates)
    }
    return updates
  }

  /// Adds the notification of an event.
  private func add(
    _ event: FenceEvent, _ fences: FenceSet, _ message: inout MessageRun?, _ batch: LocationBatch,
    _ entities: EntityNames, to updates: inout Updates
  ) {
    let fence = fences.fences[event.fence]
    var text = GeotriggerMessage(text: fence.name.isEmpty ? fence.id : fence.name)
    do throws(ExpressionError) {
      if let made = try message?.message(event, fence, batch, entities) { text = made }
    } catch {
      // The event counts more than its words.
      var issue = batch.issue(event.row, "the message: \(error.message)")
      issue.wasTaken = true
      updates.issues.append(issue)
    }
    updates.notifications.append(
      FenceNotification(
        event: event, message: text, fence: fence,
        location: batch.location(event.row, entities: entities), monitor: geotrigger.name,
        fences: fences, rules: geotrigger.rules))
  }

  /// Replaces the fences, as when their features have changed. An entity stays inside of a fence by the
  /// fence's id; for a fence of another shape or buffer its last location is taken again; what it was
  /// inside of and is removed it exits.
  ///
  /// - Parameters:
  ///   - fences: those that are watched from now on.
  ///   - fields: the names of their attributes.
  ///   - entities: the names that the entities are numbered by.
  /// - Returns: what the change leads to, by the numbers of the entities. Locations have no attributes.
  public func replace(
    _ fences: FenceSet, fields: [String], entities: EntityNames
  ) -> Updates {
    var all = Updates()
    replace(fences, fields: fields, entities: entities) { updates in
      all.notifications += updates.notifications
      all.issues += updates.issues
    }
    return all
  }

  /// Replaces the fences as the other `replace` does.
  ///
  /// - Parameter take: is given what the change leads to part by part; no part is long.
  package func replace(
    _ fences: FenceSet, fields: [String], entities: EntityNames, taking take: (Updates) -> Void
  ) {
    let former = geotrigger.fences
    var formerMessage = message
    geotrigger.fences = fences
    geotrigger.fenceFields = fields
    message = geotrigger.messageExpression.map { MessageRun($0, fenceFields: fields) }
    tracker.replace(fences) { events in
      var updates = Updates()
      let batch = LocationBatch(of: events)
      for (row, var event) in events.enumerated() {
        event.row = row
        if event.cause == .fenceRemoved {
          add(event, former, &formerMessage, batch, entities, to: &updates)
        } else {
          add(event, fences, &message, batch, entities, to: &updates)
        }
      }
      take(updates)
    }
  }

  /// Returns whether the entities have at most `stayLimit` stays once these fences replace the current ones.
  ///
  /// - Throws: `CancellationError` where the calling thread's work is cancelled.
  package func hasRoom(for fences: FenceSet) throws -> Bool { try tracker.hasRoom(for: fences) }

  /// The number of a batch's locations to process together, which bounds the memory of their events.
  func rowsAtOnce(_ batch: LocationBatch) -> Int { tracker.rowsAtOnce(batch) }

  /// The entities that are remembered, by their numbers.
  package var entities: [TrackedEntity] { tracker.entities }

  /// Forgets some entities: the next location of each is its first.
  package func forget(_ entities: Set<Int32>) { tracker.forget(entities) }

  /// Whether anything is known of an entity.
  package func remembers(_ entity: Int32) -> Bool { tracker.remembers(entity) }

  /// Forgets the entities that have been silent for as long as the rules say, at a time in
  /// milliseconds.
  ///
  /// - Returns: their numbers.
  package func forgetSilent(at time: Int64) -> [Int32] { tracker.forgetSilent(at: time) }

  /// Forgets what all entities are inside of.
  public func reset() { tracker.reset() }
}

extension LocationBatch {
  /// Where entities were at some events.
  fileprivate init(of events: [FenceEvent]) {
    index = events.map(\.index)
    entity = events.map(\.entity)
    time = events.map(\.time)
    (x, y) = (events.map(\.x), events.map(\.y))
    horizontalAccuracy = events.map { $0.accuracy > 0 ? $0.accuracy : .nan }
  }
}
