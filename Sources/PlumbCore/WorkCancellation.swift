import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The cancellation of some work, because its deadline has passed, its client has disconnected or its task
/// was cancelled.
///
/// A thread has at most one cancellation; the threads that it starts with `Workers` inherit the
/// cancellation. Engines check `isCurrentCancelled` for each tile or block and skip the rest once
/// it is true, so their results are incomplete. `run`, the only way to start such work, discards
/// the results of cancelled work. Two rules protect other work:
/// - Shared objects (caches, opened files, layers) do not keep the results or failures of cancelled work.
/// - A change that cannot be undone, such as to a monitor's state, runs within `uncancelled`.
public final class WorkCancellation: Sendable {
  private let flag = Atomic<Bool>(false)
  private let remark = Mutex<String?>(nil)

  package init() {}

  /// Whether the work is cancelled. Once true, it stays true.
  public var isCancelled: Bool { flag.load(ordering: .relaxed) }

  /// - Throws: `CancellationError` if the work is cancelled.
  public func check() throws {
    if isCancelled { throw CancellationError() }
  }

  package func cancel() { flag.store(true, ordering: .relaxed) }

  /// The progress of work that changes state, for the message about its cancellation; nil for work that does
  /// not change state.
  package var progress: String? { remark.withLock { $0 } }

  /// Records the progress of the calling thread's work.
  package static func note(_ progress: String) {
    current?.remark.withLock { $0 = progress }
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// The cancellation of the calling thread; nil for work that cannot be cancelled.
  package static var current: WorkCancellation? {
    pthread_getspecific(key).map {
      Unmanaged<WorkCancellation>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Whether the calling thread's work is cancelled. Takes a few nanoseconds.
  package static var isCurrentCancelled: Bool { current?.isCancelled ?? false }

  /// - Throws: `CancellationError` if the calling thread's work is cancelled.
  package static func checkCurrent() throws { try current?.check() }

  /// Runs `body` as work that can be cancelled, on the calling thread and the threads that it starts.
  ///
  /// A thread skips work only after it has read the flag as true, and it ends or delivers its
  /// result before `body` returns. The flag is never cleared, so the final check also reads true. A
  /// partial result is therefore never returned as complete.
  ///
  /// - Throws: `CancellationError` if the work was cancelled before its end, even if `body`
  ///   returned a value or threw another error; otherwise the error of `body`.
  package static func run<Value>(
    _ cancellation: WorkCancellation, _ body: () throws -> Value
  ) throws -> Value {
    try cancellation.check()
    let result = Result { try with(cancellation, body) }
    try cancellation.check()
    return try result.get()
  }

  /// Runs `body`, which changes shared state, to its end, even if the calling thread's work is cancelled.
  package static func uncancelled<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try with(nil, body)
  }

  /// Runs `body` with a cancellation, such as the cancellation of the thread that started the
  /// calling thread.
  package static func with<Value, Failure: Error>(
    _ cancellation: WorkCancellation?, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let before = pthread_getspecific(key)
    pthread_setspecific(key, cancellation.map { Unmanaged.passUnretained($0).toOpaque() })
    defer {
      pthread_setspecific(key, before)
      // The thread-specific pointer does not retain the object.
      withExtendedLifetime(cancellation) {}
    }
    return try body()
  }
}
