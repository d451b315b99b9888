import Synchronization

/// A pool of states that are expensive to create and that only one thread at a time may use.
package final class IdlePool<Key: Hashable & Sendable, State>: Sendable {
  /// The unused states, with the most recently used state at the end. A state is either in this
  /// list or in use by one thread.
  private let idle = Mutex<[(key: Key, state: WorkerStates<State>)]>([])
  private let limit: Int

  /// - Parameter limit: the largest number of unused states.
  package init(limit: Int) { self.limit = limit }

  /// Calls `body` with a state from the pool. The state is discarded if `body` fails or the work is
  /// cancelled.
  ///
  /// - Parameters:
  ///   - isFresh: whether a pooled state may be reused.
  ///   - make: creates a state if the pool has none for the key.
  package func lend<Value>(
    _ key: Key, isFresh: (State) -> Bool = { _ in true }, make: () throws -> State,
    _ body: (State) throws -> Value
  ) throws -> Value {
    var known = idle.withLock { list -> WorkerStates<State>? in
      guard let index = list.lastIndex(where: { $0.key == key }) else { return nil }
      return list.remove(at: index).state
    }
    if let kept = known, !isFresh(kept[0]) { known = nil }
    let state = try known ?? WorkerStates([make()])
    let value = try body(state[0])
    if WorkCancellation.isCurrentCancelled { return value }
    idle.withLock { list in
      if list.count >= limit { list.removeFirst() }
      list.append((key, state))
    }
    return value
  }
}
