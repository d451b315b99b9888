import CPlumb
import Plumb
import PlumbVerbs
import Synchronization

/// Fences that are watched, and what is known of those who move among them.
final class FenceMonitor: Sendable {
  /// What one thread at a time uses.
  final class State {
    let notifiers: FenceNotifierGroup
    let regions: [RasterFence]
    /// Locations that were pushed.
    var pushed: PushedLocations
    /// What is read; nil while nothing is.
    var feed: LocationFeed?
    var walk: (source: SimulatedLocationSource, names: EntityNames)?

    init(_ notifiers: FenceNotifierGroup, _ regions: [RasterFence], readsAttributes: Bool) {
      (self.notifiers, self.regions) = (notifiers, regions)
      pushed = PushedLocations(attributes: readsAttributes)
    }
  }

  let settings: MonitorSettings
  /// What was wrong with the fences.
  let warnings: [Wording]
  private let states: WorkerStates<State>
  private let lock = Mutex(())

  /// - Parameter held: fences of the caller; nil where the settings name them.
  init(_ settings: MonitorSettings, _ held: HeldFences?) throws {
    self.settings = settings
    var warnings = held?.warnings ?? []
    let watched = try WatchedFences(
      settings.plan, and: held.map { [($0.name, $0.fences, $0.fields)] } ?? [],
      access: settings.access,
      services: FeatureServices(access: settings.access, signIn: nil), workers: settings.workers
    ) { warnings.append($0) }
    self.warnings = warnings
    states = WorkerStates([
      State(watched.notifiers, watched.regions, readsAttributes: watched.readsAttributes)
    ])
  }

  /// Events, and what is wrong with locations.
  struct Updates: Sendable {
    var notifications: [FenceNotification] = []
    var warnings: [Wording] = []
    /// Whether others may follow.
    var hasMore = true
  }

  /// Runs `body` while no other thread uses the monitor.
  private func withState<Value>(_ body: (State) throws -> Value) throws -> Value {
    try lock.withLock { _ in try body(states[0]) }
  }

  /// Rows that are taken at once.
  private static let batchLimit = 65_536

  // MARK: Locations that a caller has

  /// Takes locations and gives their events.
  func push(_ locations: HeldLocations) throws -> Updates {
    try withState { state in
      var result = Updates()
      var first = 0
      while first < locations.count {
        try WorkCancellation.checkCurrent()
        let range = first..<min(locations.count, first + Self.batchLimit)
        locations.add(range, to: &state.pushed)
        first = range.upperBound
        result.warnings += state.pushed.takeIssues()
        let found = state.notifiers.update(
          state.pushed.takeBatch(), entities: state.pushed.entities)
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
    result.warnings += found.issues.map { Wording($0.description) }
    for region in state.regions {
      if let fault = region.takeFault() {
        result.warnings.append("the raster fence \(region.name.printable): \(fault)")
      }
    }
  }

  // MARK: Feeds that are read here

  /// Opens a feed.
  ///
  /// - Throws: also while another is not at its end.
  func follow(_ path: String, _ feed: FeedSettings) throws -> [Wording] {
    try withState { state in
      guard state.feed == nil, state.walk == nil else {
        throw CallError.bad("the monitor follows a feed already: take its events to the end first")
      }
      if let pace = feed.pace {
        var names = EntityNames()
        let walk = try SimulatedLocationSource(
          SimulatedLocationSource.line(path: path), pace: pace,
          maxSegmentLength: feed.segment,
          start: try feed.start.map { try LocationFeed.time($0) } ?? 0,
          entity: names.number(of: ""))
        state.walk = (walk, names)
        return []
      }
      let opened = try LocationFeed(
        path, columns: feed.columns, attributes: state.pushed.hasAttributes,
        maxAhead: feed.maxAhead)
      state.feed = opened
      return opened.takeRemarks().map { Wording($0) }
    }
  }

  /// Milliseconds between two looks at whether the call goes on.
  private static let pause: Int32 = 50

  /// The events of the feed's next rows.
  func next() throws -> Updates {
    try withState { state in
      var result = Updates()
      if let names = state.walk?.names {
        guard let batch = state.walk?.source.next(limit: Self.batchLimit) else {
          state.walk = nil
          result.hasMore = false
          return result
        }
        Self.add(state.notifiers.update(batch, entities: names), state, to: &result)
        return result
      }
      guard let feed = state.feed else {
        result.hasMore = false
        return result
      }
      while try !feed.isReady(within: Self.pause) { try WorkCancellation.checkCurrent() }
      let batch = try feed.next(limit: Self.batchLimit)
      result.warnings += feed.takeRemarks().map { Wording($0) }
      result.warnings += feed.takeIssues().map(\.report)
      guard let batch else {
        state.feed = nil
        if let emptiness = feed.emptiness { throw emptiness }
        result.hasMore = false
        return result
      }
      let found = state.notifiers.update(batch, entities: feed.entities)
      feed.release(found.forgotten)
      Self.add(found, state, to: &result)
      return result
    }
  }
}
