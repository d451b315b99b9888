#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A state that threads share, and whose changes they can wait for.
package final class WaitableState<State: Sendable>: Sendable {
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
    Self.makeCondition(storage.pointer(to: \.changed)!)
    self.storage = SharedPointer(storage)
  }

  deinit {
    let storage = storage.pointer
    pthread_cond_destroy(storage.pointer(to: \.changed)!)
    pthread_mutex_destroy(storage.pointer(to: \.lock)!)
    storage.deinitialize(count: 1)
    storage.deallocate()
  }

  /// Makes a condition whose waits are measured by the clock that nobody sets.
  private static func makeCondition(_ condition: UnsafeMutablePointer<pthread_cond_t>) {
    #if canImport(Darwin)
      // Waits are relative there.
      pthread_cond_init(condition, nil)
    #else
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      pthread_cond_init(condition, &attributes)
      pthread_condattr_destroy(&attributes)
    #endif
  }

  /// Waits for a change, with the lock held, until a time of the monotonic clock.
  ///
  /// - Returns: whether the time is over.
  private func isOver(at deadline: MonotonicTime) -> Bool {
    #if canImport(Darwin)
      var left = deadline.left
      return pthread_cond_timedwait_relative_np(changed, lock, &left) == ETIMEDOUT
    #else
      var time = deadline.time
      return pthread_cond_timedwait(changed, lock, &time) == ETIMEDOUT
    #endif
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

  /// The same, but at most for some seconds without a change that brings a value.
  ///
  /// - Returns: nil when they are over.
  package func wait<Result>(seconds: Double, _ body: (inout State) -> Result?) -> Result? {
    let deadline = MonotonicTime(after: seconds)
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while true {
      if let result = body(&storage.pointer.pointee.state) { return result }
      if isOver(at: deadline) { return body(&storage.pointer.pointee.state) }
    }
  }
}

/// A time of the clock that runs evenly from the system's start on, whatever the time of day is set to.
package struct MonotonicTime: Sendable {
  /// Longer waits are not told apart.
  private static let longest = 1e9

  package let time: timespec

  /// The time in some seconds from now; now for a number below 0.
  package init(after seconds: Double) {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let seconds = min(max(seconds, 0), Self.longest)
    let whole = seconds.rounded(.down)
    time.tv_sec += Int(whole)
    time.tv_nsec += Int((seconds - whole) * 1e9)
    if time.tv_nsec >= 1_000_000_000 {
      time.tv_sec += 1
      time.tv_nsec -= 1_000_000_000
    }
    self.time = time
  }

  #if canImport(Darwin)
    /// The time from now until then; nothing once it is over.
    var left: timespec {
      var now = timespec()
      clock_gettime(CLOCK_MONOTONIC, &now)
      var (seconds, nanoseconds) = (time.tv_sec - now.tv_sec, time.tv_nsec - now.tv_nsec)
      if nanoseconds < 0 { (seconds, nanoseconds) = (seconds - 1, nanoseconds + 1_000_000_000) }
      return seconds < 0 ? timespec() : timespec(tv_sec: seconds, tv_nsec: nanoseconds)
    }
  #endif
}
