import Synchronization

/// What takes long to make and one thread at a time may use, kept for the next that wants the same.
package final class IdlePool<Key: Hashable & Sendable, State>: Sendable {
  /// Those that nobody uses now, the last used at the end; each is in one list or one thread's.
  private let idle = Mutex<[(key: Key, state: WorkerStates<State>)]>([])
  private let limit: Int

  /// - Parameter limit: how many are kept.
  package init(limit: Int) { self.limit = limit }

  /// Lends a state to `body`; one whose use fails, or is cancelled, is not kept.
  ///
  /// - Parameters:
  ///   - isFresh: whether one that was kept may be used once more.
  ///   - make: makes it where none is idle.
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
