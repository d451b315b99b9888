import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Whether some work is no longer wanted: its time is over, or its client or task is gone.
///
/// A thread has at most one, and the threads that it starts with `Workers` have the same. Engines ask
/// `isCurrentCancelled` for each tile or block and skip the rest, so that what they return then is not an
/// answer. `run` is the only way into such work and the only way out, and lets nothing out that was
/// cancelled. Two rules keep it from other work:
/// - What all share (caches, opened files, layers) does not keep what cancelled work made or failed to make.
/// - A change that cannot be undone (a monitor's state) is made `uncancelled`.
public final class WorkCancellation: Sendable {
  private let flag = Atomic<Bool>(false)
  private let remark = Mutex<String?>(nil)

  package init() {}

  /// Whether the work is no longer wanted. Once true, it stays so.
  public var isCancelled: Bool { flag.load(ordering: .relaxed) }

  /// - Throws: `CancellationError` once the work is no longer wanted.
  public func check() throws {
    if isCancelled { throw CancellationError() }
  }

  package func cancel() { flag.store(true, ordering: .relaxed) }

  /// How far the work came that changed something, for the message of its cancellation; nil for work that
  /// changes nothing.
  package var progress: String? { remark.withLock { $0 } }

  /// Notes how far the calling thread's work has come.
  package static func note(_ progress: String) {
    current?.remark.withLock { $0 = progress }
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// That of the calling thread; nil for work that cannot be cancelled.
  static var current: WorkCancellation? {
    pthread_getspecific(key).map {
      Unmanaged<WorkCancellation>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Whether the calling thread's work is no longer wanted. Costs some nanoseconds.
  package static var isCurrentCancelled: Bool { current?.isCancelled ?? false }

  /// - Throws: `CancellationError` once the calling thread's work is no longer wanted.
  package static func checkCurrent() throws { try current?.check() }

  /// Runs `body` as work that may be cancelled, on the calling thread and those that it starts.
  ///
  /// Whoever skipped something saw the flag, and has ended, or has handed over what it made, before `body`
  /// returns; the flag is never cleared. So the last look sees it too, and no part of an answer is taken
  /// for the whole.
  ///
  /// - Throws: `CancellationError` where the work was cancelled before its end, whatever `body` returned or
  ///   threw; else the error of `body`.
  package static func run<Value>(
    _ cancellation: WorkCancellation, _ body: () throws -> Value
  ) throws -> Value {
    try cancellation.check()
    let result = Result { try with(cancellation, body) }
    try cancellation.check()
    return try result.get()
  }

  /// Runs `body`, which changes what other work sees, to its end, even where the calling thread's work is
  /// cancelled.
  package static func uncancelled<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try with(nil, body)
  }

  /// Runs `body` with the cancellation of the thread that started the calling one.
  static func with<Value, Failure: Error>(
    _ cancellation: WorkCancellation?, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let before = pthread_getspecific(key)
    pthread_setspecific(key, cancellation.map { Unmanaged.passUnretained($0).toOpaque() })
    defer {
      pthread_setspecific(key, before)
      // The thread's own reference is not counted.
      withExtendedLifetime(cancellation) {}
    }
    return try body()
  }
}
