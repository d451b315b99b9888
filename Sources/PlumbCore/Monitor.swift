#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A state that threads share, and whose changes they can wait for.
package final class Monitor<State: Sendable>: Sendable {
  private struct Storage {
    var lock = pthread_mutex_t()
    var changed = pthread_cond_t()
    var state: State
  }

  // Used under the lock in it alone, which is why it may be shared.
  private let storage: SharedPointer<UnsafeMutablePointer<Storage>>

  package init(_ state: State) {
    let storage = UnsafeMutablePointer<Storage>.allocate(capacity: 1)
    storage.initialize(to: Storage(state: state))
    pthread_mutex_init(storage.pointer(to: \.lock)!, nil)
    pthread_cond_init(storage.pointer(to: \.changed)!, nil)
    self.storage = SharedPointer(storage)
  }

  deinit {
    let storage = storage.pointer
    pthread_cond_destroy(storage.pointer(to: \.changed)!)
    pthread_mutex_destroy(storage.pointer(to: \.lock)!)
    storage.deinitialize(count: 1)
    storage.deallocate()
  }

  private var lock: UnsafeMutablePointer<pthread_mutex_t> {
    storage.pointer.pointer(to: \.lock)!
  }

  private var changed: UnsafeMutablePointer<pthread_cond_t> {
    storage.pointer.pointer(to: \.changed)!
  }

  /// Calls `body` while no other thread is in a call of this object.
  package func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return try body(&storage.pointer.pointee.state)
  }

  /// Changes the state, then lets those that wait look at it.
  package func change<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    defer { pthread_cond_broadcast(changed) }
    return try withLock(body)
  }

  /// Changes the state, then lets one of those that wait look at it: enough where any of them will do.
  package func changeForOne<Result>(
    _ body: (inout State) throws -> Result
  ) rethrows -> Result {
    defer { pthread_cond_signal(changed) }
    return try withLock(body)
  }

  /// Waits until `body` gives a value; it is asked at once, and after each change.
  package func wait<Result>(_ body: (inout State) -> Result?) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while true {
      // Each time anew: while this thread waits, the state is another's.
      if let result = body(&storage.pointer.pointee.state) { return result }
      pthread_cond_wait(changed, lock)
    }
  }

  /// The same, but gives up after some seconds without a change that brings a value.
  ///
  /// - Returns: nil when it gave up.
  package func wait<Result>(seconds: Double, _ body: (inout State) -> Result?) -> Result? {
    var deadline = timespec()
    clock_gettime(CLOCK_REALTIME, &deadline)
    let whole = seconds.rounded(.down)
    deadline.tv_sec += Int(whole)
    deadline.tv_nsec += Int((seconds - whole) * 1e9)
    if deadline.tv_nsec >= 1_000_000_000 {
      deadline.tv_sec += 1
      deadline.tv_nsec -= 1_000_000_000
    }
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while true {
      if let result = body(&storage.pointer.pointee.state) { return result }
      if pthread_cond_timedwait(changed, lock, &deadline) == ETIMEDOUT {
        return body(&storage.pointer.pointee.state)
      }
    }
  }
}
