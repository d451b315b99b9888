#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A lock that its holder gives up while it waits for another machine, so that a slow one holds up nobody
/// else.
///
/// What the lock guards is changed by one thread at a time, but others may have changed it when a wait is
/// over: what is in hand then has to be looked at anew. Not to be taken by a thread that has it.
package final class YieldingLock: Sendable {
  private let isHeld = WaitableState(false)

  package init() {}

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  private func lock() {
    isHeld.wait { isHeld -> Void? in
      if isHeld { return nil }
      isHeld = true
      return ()
    }
  }

  private func unlock() { isHeld.changeForOne { $0 = false } }

  /// Calls `body` while no other thread is in such a call, but for the time in which it waits.
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

  /// Calls `body`, which waits for another machine and uses nothing that the calling thread's lock guards,
  /// without that lock.
  package static func whileWaiting<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let held = pthread_getspecific(key) else { return try body() }
    let lock = Unmanaged<YieldingLock>.fromOpaque(held).takeUnretainedValue()
    // Another map's lock may be taken within.
    pthread_setspecific(key, nil)
    lock.unlock()
    defer {
      lock.lock()
      pthread_setspecific(key, held)
    }
    return try body()
  }
}
