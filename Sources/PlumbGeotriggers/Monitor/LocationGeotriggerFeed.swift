import Synchronization

/// A feed of locations for any number of monitors.
///
/// The source of the locations, such as a file reader, a receiver or a simulated source, calls
/// `send`.
public final class LocationGeotriggerFeed: Sendable {
  typealias Listener = @Sendable (LocationBatch, EntityNames) -> Void

  /// The filter of locations; nil for all locations.
  public let filter: FeedFilter?

  private struct State {
    var isStarted = false
    var listeners: [(id: Int, listen: Listener)] = []
    var nextID = 0
  }

  private let state = Mutex(State())

  /// Creates a stopped feed, optionally with a filter for all of its monitors.
  public init(filter: FeedFilter? = nil) { self.filter = filter }

  /// Whether the feed is started. A monitor that starts before the feed reports a warning.
  public var isStarted: Bool { state.withLock { $0.isStarted } }

  /// Starts passing on locations.
  public func start() { state.withLock { $0.isStarted = true } }

  /// Stops the feed. Locations that are sent to a stopped feed are ignored.
  public func stop() { state.withLock { $0.isStarted = false } }

  /// Passes locations to the monitors in the order in which the monitors were started, and returns
  /// when all monitors have processed the locations. The method does nothing while the feed is
  /// stopped. Only one thread at a time may call the method, so that locations keep their order.
  ///
  /// - Parameters:
  ///   - batch: the locations, in the feed's order.
  ///   - entities: the names for the entity numbers in the batch. A number refers to the same
  ///     entity in all batches of the feed.
  public func send(_ batch: LocationBatch, entities: EntityNames) {
    let listeners = state.withLock { $0.isStarted ? $0.listeners : [] }
    for listener in listeners { listener.listen(batch, entities) }
  }

  /// - Returns: the number to pass to `remove`.
  func add(_ listener: @escaping Listener) -> Int {
    state.withLock { state in
      state.nextID += 1
      state.listeners.append((state.nextID, listener))
      return state.nextID
    }
  }

  func remove(_ id: Int) { state.withLock { $0.listeners.removeAll { $0.id == id } } }
}
