import Synchronization

/// Watches one feed for one geotrigger.
///
/// ```swift
/// let feed = LocationGeotriggerFeed()
/// let monitor = GeotriggerMonitor(feed: feed) {
///   FenceGeotrigger(name: "POI", fences: try FenceSet(sights, bufferDistance: 10))
/// }
/// let notifications = monitor.notifications()
/// feed.start()
/// try await monitor.start()
/// for await notification in notifications { print(notification.message.text) }
/// ```
public final class GeotriggerMonitor: Sendable {
  /// The state of a monitor.
  public enum Status: Sendable, Hashable {
    /// The monitor is stopped, is preparing its geotrigger, or is receiving locations.
    case stopped, starting, started
    /// The monitor failed to start, with the reason.
    case failedToStart(String)
  }

  private struct State {
    var status = Status.stopped
    var warnings: [String] = []
    var issues: [GeotriggerIssue] = []
    var notifier: FenceNotifier?
    /// The entity numbers of the feed.
    var entities = EntityNames()
    var listener: Int?
    /// The number of starts. `start` compares this number before and after `prepare` to detect
    /// whether the monitor was started again in the meantime.
    var starts = 0
    var streams: [Int: AsyncStream<FenceNotification>.Continuation] = [:]
    var nextStream = 0
  }

  /// The maximum number of stored issues. Further issues are discarded.
  public static let issueLimit = 1000

  private let feed: LocationGeotriggerFeed
  private let prepare: @Sendable () async throws -> FenceGeotrigger
  /// The notifier in the state is used only under this lock.
  private let state = Mutex(State())

  /// - Parameters:
  ///   - feed: the source of the locations.
  ///   - prepare: creates the geotrigger, for example by loading fences and parsing expressions. It
  ///     is called at every start.
  public init(
    feed: LocationGeotriggerFeed, prepare: @escaping @Sendable () async throws -> FenceGeotrigger
  ) {
    self.feed = feed
    self.prepare = prepare
  }

  deinit {
    state.withLock { state in
      if let listener = state.listener { feed.remove(listener) }
      for stream in state.streams.values { stream.finish() }
    }
  }

  /// The state of the monitor, which `start` and `stop` change.
  public var status: Status { state.withLock { $0.status } }

  /// The warnings of the last start, one line each. They report a feed that is not started, fences
  /// that cannot be used, and fences that are used although their polygons are not well formed.
  public var warnings: [String] { state.withLock { $0.warnings } }

  /// Returns the issues with locations since the last call, up to `issueLimit`.
  public func drainIssues() -> [GeotriggerIssue] {
    state.withLock { state in
      defer { state.issues = [] }
      return state.issues
    }
  }

  /// Returns a sequence of the notifications after this call. Each call returns a separate
  /// sequence, which ends when the monitor is deallocated. Unread notifications are buffered.
  public func notifications() -> AsyncStream<FenceNotification> {
    let (stream, continuation) = AsyncStream.makeStream(of: FenceNotification.self)
    let id = state.withLock { state in
      state.nextStream += 1
      state.streams[state.nextStream] = continuation
      return state.nextStream
    }
    continuation.onTermination = { [weak self] _ in
      guard let self else { return }
      state.withLock { $0.streams[id] = nil }
    }
    return stream
  }

  /// Prepares the geotrigger and begins to receive locations. The method does nothing if the
  /// monitor is already started or starting.
  ///
  /// - Throws: the error with which the start failed. `status` contains this error too.
  public func start() async throws {
    let number: Int? = state.withLock { state in
      if state.status == .starting || state.status == .started { return nil }
      state.status = .starting
      state.starts += 1
      return state.starts
    }
    guard let number else { return }
    do {
      let geotrigger = try await prepare()
      try begin(geotrigger, number)
    } catch {
      state.withLock { state in
        if state.starts == number, state.status == .starting {
          state.status = .failedToStart((error as? GeotriggerError)?.message ?? "\(error)")
        }
      }
      throw error
    }
  }

  private func begin(_ geotrigger: FenceGeotrigger, _ number: Int) throws {
    let fences = geotrigger.fences
    var warnings = [fences.transformationWarning].compactMap { $0 }
    warnings += (fences.warnings + fences.shapeWarnings()).map(\.description)
    if !feed.isStarted { warnings.append("the feed is not started") }
    if !fences.hasUsableFence { warnings.append("no fence is valid") }
    try state.withLock { state in
      let notifier = try FenceNotifier(geotrigger, filter: feed.filter)
      guard state.starts == number, state.status == .starting else { return }
      state.notifier = notifier
      state.warnings = warnings
      state.status = .started
      state.listener = feed.add { [weak self] batch, entities in self?.process(batch, entities) }
    }
  }

  /// Stops receiving locations, and forgets all entities and their stays.
  public func stop() {
    let listener = state.withLock { state in
      defer { (state.status, state.notifier, state.listener) = (.stopped, nil, nil) }
      return state.listener
    }
    if let listener { feed.remove(listener) }
  }

  /// Replaces the fences like `FenceNotifier.replace`, and sends the resulting notifications. The
  /// method does nothing if the monitor is not started.
  public func replace(_ fences: FenceSet, fields: [String]) {
    state.withLock { state in
      guard
        let updates = state.notifier?.replace(fences, fields: fields, entities: state.entities)
      else { return }
      state.warnings = fences.warnings.map(\.description)
      Self.add(updates, to: &state)
    }
  }

  private static func add(_ updates: FenceNotifier.Updates, to state: inout State) {
    state.issues += updates.issues.prefix(issueLimit - state.issues.count)
    for notification in updates.notifications {
      for stream in state.streams.values { stream.yield(notification) }
    }
  }

  private func process(_ batch: LocationBatch, _ entities: EntityNames) {
    state.withLock { state in
      guard let updates = state.notifier?.update(batch, entities: entities) else { return }
      state.entities = entities
      Self.add(updates, to: &state)
    }
  }
}
