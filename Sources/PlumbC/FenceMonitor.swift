import CPlumb
import Plumb
import PlumbVerbs
import Synchronization

/// A monitor, with its fences and the state of the entities that move among the fences.
final class FenceMonitor: Sendable {
  /// The state, which only one thread at a time may use.
  final class State {
    let watched: WatchedFences
    /// The pushed locations.
    var pushed: PushedLocations
    /// The feed that is being read; nil if no feed is being read.
    var feed: FeedSource?

    init(_ watched: WatchedFences) {
      self.watched = watched
      pushed = PushedLocations(attributes: watched.readsAttributes)
    }
  }

  let rules: FenceRules
  let workers: Workers
  /// Warnings about the fences.
  let warnings: [MessageTemplate]
  private let states: WorkerStates<State>
  private let lock = Mutex(())

  /// - Parameter callerFences: the caller's fences; nil if the request names files of fences.
  init(_ request: Monitor.Request, _ callerFences: CallerFences?) throws {
    let plan = request.plan
    rules = plan.rules
    let workers = Workers(count: request.threads)
    self.workers = workers
    let access = FileAccess.files(request.access)
    var warnings = callerFences?.warnings ?? []
    let watched = try WatchedFences(
      plan, and: callerFences.map { [($0.name, $0.fences, $0.fields)] } ?? [], access: access,
      services: FeatureServices(access: access, signIn: nil), workers: workers
    ) { warnings.append($0) }
    self.warnings = warnings
    states = WorkerStates([State(watched)])
  }

  /// Events, and warnings about locations.
  struct Updates: Sendable {
    var notifications: [FenceNotification] = []
    var warnings: [MessageTemplate] = []
    /// Whether more events may follow.
    var hasMore = true
  }

  /// Runs `body` with exclusive access to the monitor.
  private func withState<Value>(_ body: (State) throws -> Value) throws -> Value {
    try lock.withLock { _ in try body(states[0]) }
  }

  /// The maximum number of rows per batch.
  private static let batchLimit = 65_536

  // MARK: Pushed locations

  /// Processes locations and returns their events.
  func push(_ locations: CallerLocations) throws -> Updates {
    try withState { state in
      var result = Updates()
      var first = 0
      while first < locations.count {
        try WorkCancellation.checkCurrent()
        let range = first..<min(locations.count, first + Self.batchLimit)
        locations.add(range, to: &state.pushed)
        first = range.upperBound
        result.warnings += state.pushed.drainIssues()
        let found = state.watched.notifiers.update(
          state.pushed.removeBatch(), entities: state.pushed.entities)
        state.pushed.release(found.forgotten)
        Self.add(found, state, to: &result)
      }
      return result
    }
  }

  private static func add(
    _ found: FenceNotifier.Updates, _ state: State, to result: inout Updates
  ) {
    result.notifications += found.notifications
    result.warnings += found.issues.map { MessageTemplate($0.description) }
    result.warnings += state.watched.drainFaults()
  }

  // MARK: Feeds

  /// Opens a feed.
  ///
  /// - Throws: an error of the feed, or an error if another feed has not been read to its end.
  func follow(_ path: String, _ request: Monitor.Request) throws -> [MessageTemplate] {
    try withState { state in
      guard state.feed == nil else {
        throw CallError.bad("the monitor already follows a feed: read its events to the end first")
      }
      let feed = try FeedSource(path, request, attributes: state.pushed.hasAttributes)
      state.feed = feed
      return feed.drainRemarks().map { MessageTemplate($0) }
    }
  }

  /// The number of milliseconds between two cancellation checks.
  private static let pause: Int32 = 50

  /// Waits for the next rows of the feed and returns their events.
  func next() throws -> Updates {
    try withState { state in
      var result = Updates()
      guard let feed = state.feed else {
        result.hasMore = false
        return result
      }
      while try !feed.isReady(within: Self.pause) { try WorkCancellation.checkCurrent() }
      let batch = try feed.next(limit: Self.batchLimit)
      result.warnings += feed.drainRemarks().map { MessageTemplate($0) }
      result.warnings += feed.drainIssues().map(\.report)
      guard let batch else {
        state.feed = nil
        if let emptiness = feed.emptiness { throw emptiness }
        result.hasMore = false
        return result
      }
      let found = state.watched.notifiers.update(batch, entities: feed.entities)
      feed.release(found.forgotten)
      Self.add(found, state, to: &result)
      return result
    }
  }
}
