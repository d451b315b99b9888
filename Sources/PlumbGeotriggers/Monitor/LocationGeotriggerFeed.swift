import Synchronization

/// A feed of locations that any number of monitors listen to.
///
/// Whoever has the locations sends them: a file's reader, a receiver, a simulated source.
public final class LocationGeotriggerFeed: Sendable {
  typealias Listener = @Sendable (LocationBatch, EntityNames) -> Void

  /// Which locations count; nil for all.
  public let filter: FeedFilter?

  private struct State {
    var isStarted = false
    var listeners: [(id: Int, listen: Listener)] = []
    var nextID = 0
  }

  private let state = Mutex(State())

  /// A feed that is stopped, with a filter for all of its monitors or without.
  public init(filter: FeedFilter? = nil) { self.filter = filter }

  /// Monitors that start before it do so with a warning.
  public var isStarted: Bool { state.withLock { $0.isStarted } }

  /// Hands on what is sent from now on.
  public func start() { state.withLock { $0.isStarted = true } }

  /// Locations that are sent from now on are not looked at.
  public func stop() { state.withLock { $0.isStarted = false } }

  /// Hands locations to the monitors, in the order in which they started, and returns when all have
  /// worked through them; does nothing while the feed is stopped. One thread at a time sends, so
  /// that locations keep their order.
  ///
  /// - Parameters:
  ///   - batch: locations in the feed's order.
  ///   - entities: the names that the batch's entities are numbered by; the same numbers mean the
  ///     same entities all through the feed.
  public func send(_ batch: LocationBatch, entities: EntityNames) {
    let listeners = state.withLock { $0.isStarted ? $0.listeners : [] }
    for listener in listeners { listener.listen(batch, entities) }
  }

  /// - Returns: what `remove` takes.
  func add(_ listener: @escaping Listener) -> Int {
    state.withLock { state in
      state.nextID += 1
      state.listeners.append((state.nextID, listener))
      return state.nextID
    }
  }

  func remove(_ id: Int) { state.withLock { $0.listeners.removeAll { $0.id == id } } }
}
