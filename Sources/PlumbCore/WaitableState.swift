#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A state that several threads share. A thread can wait until the state changes.
package final class WaitableState<State: Sendable>: Sendable {
  private struct Storage {
    var lock = pthread_mutex_t()
    var changed = pthread_cond_t()
    var state: State
  }

  // The storage is used only with its lock held, so threads may share the pointer.
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

  /// Initializes a condition variable whose waits use the monotonic clock.
  private static func makeCondition(_ condition: UnsafeMutablePointer<pthread_cond_t>) {
    #if canImport(Darwin)
      // On Darwin, waits use a relative timeout.
      pthread_cond_init(condition, nil)
    #else
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      pthread_cond_init(condition, &attributes)
      pthread_condattr_destroy(&attributes)
    #endif
  }

  /// Waits for a change until the deadline. The caller holds the lock.
  ///
  /// - Returns: whether the deadline has passed.
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

  /// Calls `body` with the lock held.
  package func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return try body(&storage.pointer.pointee.state)
  }

  /// Changes the state and wakes all waiting threads.
  package func change<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    defer { pthread_cond_broadcast(changed) }
    return try withLock(body)
  }

  /// Changes the state and wakes one waiting thread, for changes that any waiting thread can
  /// handle.
  package func changeForOne<Result>(
    _ body: (inout State) throws -> Result
  ) rethrows -> Result {
    defer { pthread_cond_signal(changed) }
    return try withLock(body)
  }

  /// Calls `body` immediately and after each change, until `body` returns a value.
  package func wait<Result>(_ body: (inout State) -> Result?) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while true {
      // Read the state again each time: other threads change it during the wait.
      if let result = body(&storage.pointer.pointee.state) { return result }
      pthread_cond_wait(changed, lock)
    }
  }

  /// Calls `body` immediately and after each change, until `body` returns a value or the timeout
  /// ends.
  ///
  /// - Returns: nil after the timeout.
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

/// A time of the monotonic clock, which is independent of changes to the time of day.
package struct MonotonicTime: Sendable {
  /// The longest wait in seconds; longer waits are shortened to it.
  private static let longest = 1e9

  package let time: timespec

  /// The time a number of seconds from now; the current time if the number is negative.
  package init(after seconds: Double) {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let seconds = min(max(seconds, 0), Self.longest)
    let integral = seconds.rounded(.down)
    time.tv_sec += Int(integral)
    time.tv_nsec += Int((seconds - integral) * 1e9)
    if time.tv_nsec >= 1_000_000_000 {
      time.tv_sec += 1
      time.tv_nsec -= 1_000_000_000
    }
    self.time = time
  }

  #if canImport(Darwin)
    /// The duration from now to this time; zero if this time has passed.
    var left: timespec {
      var now = timespec()
      clock_gettime(CLOCK_MONOTONIC, &now)
      var (seconds, nanoseconds) = (time.tv_sec - now.tv_sec, time.tv_nsec - now.tv_nsec)
      if nanoseconds < 0 { (seconds, nanoseconds) = (seconds - 1, nanoseconds + 1_000_000_000) }
      return seconds < 0 ? timespec() : timespec(tv_sec: seconds, tv_nsec: nanoseconds)
    }
  #endif
}
