import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Whether whoever waits for some work has given up; work in several steps asks between them.
///
/// A thread may have one, which the threads that it starts with `Workers` have too: long loops ask
/// `isCurrentCancelled` for each tile or block, and end with whatever they have.
public final class WorkCancellation: Sendable {
  private let flag = Atomic<Bool>(false)

  package init() {}

  /// Whether whoever waits for the work has given up.
  public var isCancelled: Bool { flag.load(ordering: .relaxed) }

  /// - Throws: `CancellationError` once whoever waits has given up.
  public func check() throws {
    if isCancelled { throw CancellationError() }
  }

  package func cancel() { flag.store(true, ordering: .relaxed) }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// That of the calling thread; nil where nobody can give up its work.
  static var current: WorkCancellation? {
    pthread_getspecific(key).map {
      Unmanaged<WorkCancellation>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Whether nobody wants the calling thread's work any more. Costs some nanoseconds.
  package static var isCurrentCancelled: Bool { current?.isCancelled ?? false }

  /// - Throws: `CancellationError` once nobody wants the calling thread's work any more.
  package static func checkCurrent() throws { try current?.check() }

  /// Runs `body` with a cancellation for the calling thread, and the threads that it starts.
  package static func with<Value>(
    _ cancellation: WorkCancellation?, _ body: () throws -> Value
  ) rethrows -> Value {
    let before = pthread_getspecific(key)
    pthread_setspecific(key, cancellation.map { Unmanaged.passUnretained($0).toOpaque() })
    defer { pthread_setspecific(key, before) }
    return try withExtendedLifetime(cancellation) { try body() }
  }
}
