#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A lock that is released while its holder waits for a server or a helper process, so that a slow
/// server or process does not block other threads.
///
/// One thread at a time changes the guarded state, but other threads may change it during a wait: the holder
/// must check the state again afterwards. The lock is not recursive.
package final class YieldingLock: Sendable {
  private let isLocked = WaitableState(false)

  package init() {}

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  private func lock() {
    isLocked.wait { isLocked -> Void? in
      if isLocked { return nil }
      isLocked = true
      return ()
    }
  }

  private func unlock() { isLocked.changeForOne { $0 = false } }

  /// Calls `body` with the lock held, except while `body` is in `whileWaiting`.
  package func withLock<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    let outer = pthread_getspecific(Self.key)
    pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
    defer {
      pthread_setspecific(Self.key, outer)
      unlock()
    }
    return try body()
  }

  /// Releases the lock that the calling thread holds, if any, while `body` runs. `body` waits for a
  /// server or a helper process and must not use the state that the lock guards.
  package static func whileWaiting<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let current = pthread_getspecific(key) else { return try body() }
    let lock = Unmanaged<YieldingLock>.fromOpaque(current).takeUnretainedValue()
    // `body` may acquire another `YieldingLock`.
    pthread_setspecific(key, nil)
    lock.unlock()
    defer {
      lock.lock()
      pthread_setspecific(key, current)
    }
    return try body()
  }
}
