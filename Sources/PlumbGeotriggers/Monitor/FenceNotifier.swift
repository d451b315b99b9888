import PlumbCore
import PlumbExpressions

/// Evaluates a geotrigger for batches of locations, and returns notifications synchronously and in
/// a reproducible order. `GeotriggerMonitor` evaluates a geotrigger for a live feed.
///
/// A notifier is not thread-safe.
///
/// ```swift
/// let notifier = try FenceNotifier(geotrigger)
/// while let batch = try feed.next(limit: 65_536) {
///   for notification in notifier.update(batch, entities: feed.entities).notifications { … }
/// }
/// ```
public final class FenceNotifier {
  /// The geotrigger. `replace` changes its fences.
  public private(set) var geotrigger: FenceGeotrigger
  private let tracker: FenceTracker
  private var filter: FilterRun?
  private var message: MessageRun?

  /// - Parameters:
  ///   - geotrigger: the fences, the rules and the messages.
  ///   - filter: the filter of locations; nil for all locations.
  ///   - stayLimit: the maximum number of remembered pairs of entity and fence, as in
  ///     `FenceTracker`.
  ///   - workers: the threads that share the work.
  /// - Throws: for invalid rules.
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

  /// The results of processing locations.
  public struct Updates: Sendable {
    /// The notifications in the order of the locations. The notifications of one location are in
    /// the order of `FenceUpdates.events`.
    public var notifications: [FenceNotification] = []
    /// The issues in the order of the locations. The issues of one location are in the order
    /// filter, fences, messages.
    public var issues: [GeotriggerIssue] = []
    /// The entity numbers of the forgotten entities. A feed with a single geotrigger may release
    /// the names of these entities.
    public var forgotten: [Int32] = []
  }

  /// Processes locations and returns the resulting notifications. All locations are processed even
  /// if the calling thread's work is cancelled, so that cancellation does not affect the state of
  /// entities.
  ///
  /// - Parameters:
  ///   - batch: the locations, in the feed's order.
  ///   - entities: the names of the batch's entity numbers.
  /// - Precondition: each column of the batch has `count` rows. Optional columns may be empty.
  public func update(_ batch: LocationBatch, entities: EntityNames) -> Updates {
    WorkCancellation.uncancelled { process(batch, entities) }
  }

  private func process(_ batch: LocationBatch, _ entities: EntityNames) -> Updates {
    var updates = Updates()
    let batch = filter?.kept(batch, entities, &updates.issues) ?? batch
    let found = tracker.update(batch)
    updates.forgotten = found.forgotten
    updates.issues += found.issues.map { found in
      var issue = batch.issue(found.row, found.description)
      issue.lacksCapacity = found.kind == .noRoom
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
      // The event is reported even if its message fails, because the event is more important.
      var issue = batch.issue(event.row, "the message: \(error.message)")
      issue.wasAccepted = true
      updates.issues.append(issue)
    }
    updates.notifications.append(
      FenceNotification(
        event: event, message: text, fence: fence,
        location: batch.location(event.row, entities: entities), monitor: geotrigger.name,
        fences: fences, rules: geotrigger.rules))
  }

  /// Replaces the fences, for example after a change of their features. An entity inside a fence
  /// remains inside the new fence with the same id. If the shape or buffer of a fence changes, the
  /// entities' last locations are evaluated again. Entities exit removed fences.
  ///
  /// - Parameters:
  ///   - fences: the new fences.
  ///   - fields: the names of their attributes.
  ///   - entities: the names of the entity numbers.
  /// - Returns: the results of the replacement, ordered by entity number. The locations in the
  ///   results have no attributes.
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

  /// Replaces the fences like the public method `replace`.
  ///
  /// - Parameter receive: called with the results in parts of limited size.
  package func replace(
    _ fences: FenceSet, fields: [String], entities: EntityNames,
    receiving receive: (Updates) -> Void
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
      receive(updates)
    }
  }

  /// Whether the entities would have at most `stayLimit` stays if these fences replaced the current
  /// fences.
  ///
  /// - Throws: `CancellationError` if the calling thread's work is cancelled.
  package func hasCapacity(for fences: FenceSet) throws -> Bool {
    try tracker.hasCapacity(for: fences)
  }

  /// Returns how many of a batch's locations to process together. This number bounds the memory of
  /// the events.
  func rowsAtOnce(_ batch: LocationBatch) -> Int { tracker.rowsAtOnce(batch) }

  /// The remembered entities, by number.
  package var entities: [TrackedEntity] { tracker.entities }

  /// Forgets some entities, so that the next location of each counts as its first.
  package func forget(_ entities: Set<Int32>) { tracker.forget(entities) }

  /// Whether an entity is remembered.
  package func remembers(_ entity: Int32) -> Bool { tracker.remembers(entity) }

  /// Forgets the entities that, at a time in milliseconds since 1970, have been silent for longer
  /// than the rules allow.
  ///
  /// - Returns: the numbers of the forgotten entities.
  package func forgetSilent(at time: Int64) -> [Int32] { tracker.forgetSilent(at: time) }

  /// Forgets all entities and their stays.
  public func reset() { tracker.reset() }
}

extension LocationBatch {
  /// Creates a batch with the locations of the given events.
  fileprivate init(of events: [FenceEvent]) {
    index = events.map(\.index)
    entity = events.map(\.entity)
    time = events.map(\.time)
    (x, y) = (events.map(\.x), events.map(\.y))
    horizontalAccuracy = events.map { $0.accuracy > 0 ? $0.accuracy : .nan }
  }
}
