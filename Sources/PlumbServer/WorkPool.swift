import Plumb
import PlumbCore
import Synchronization

#if os(Linux)
  import Glibc
#endif

/// A pool of threads that handle requests, so that the event loop does not wait for an engine.
///
/// Clients take turns, so that a client with many requests does not delay other clients.
package final class WorkPool: Sendable {
  /// The error of a request that cannot wait because the queue is full.
  struct Full: Error {}

  /// The error of cancelled work. Work is cancelled when it exceeds its time limit, when memory is
  /// low, or when its client disconnects.
  struct Cancelled: Error {
    /// Whether the work was cancelled for lack of memory.
    var lacksMemory = false
    /// A description of the work that was already done; nil if the request changes nothing.
    var progress: String?
  }

  /// The properties of work that determine when the work gets its turn.
  package struct Turn: Sendable {
    /// The client's address.
    package var client: String
    /// Whether the work draws a picture. Of a client's waiting pictures, the newest is drawn first.
    var isPicture = false
    /// Whether the work takes much memory.
    var isLarge = false

    package init(client: String, isPicture: Bool = false, isLarge: Bool = false) {
      (self.client, self.isPicture, self.isLarge) = (client, isPicture, isLarge)
    }
  }

  private let queue: WaitableState<WorkQueue>
  private let watch: DeadlineWatch
  private let abandonedThreads = AbandonedThreads()

  /// The number of seconds after its deadline at which the thread of cancelled work is abandoned.
  private static let grace = 1.0
  /// The maximum number of replaced threads per thread of the pool.
  private static let replacements = 4
  private let threads: Int

  /// - Parameters:
  ///   - threads: the number of requests handled concurrently.
  ///   - limit: the maximum number of waiting requests.
  ///   - perClient: the maximum number of requests of one client handled concurrently.
  ///   - timeout: the time limit of a request in seconds, including its wait.
  ///   - largeLimit: the maximum number of concurrent requests that take much memory.
  init(
    threads: Int, limit: Int, perClient: Int, timeout: Double, largeLimit: Int = .max
  ) {
    self.threads = threads
    queue = WaitableState(
      WorkQueue(limit: limit, perClient: perClient, largeLimit: largeLimit))
    watch = DeadlineWatch(timeout: timeout)
    for _ in 0..<threads { startThread() }
  }

  private func startThread() {
    Workers.detach { [queue, abandonedThreads] in
      Self.yieldToEventLoop()
      while let job = queue.wait({ $0.next() }) {
        job.run()
        queue.change { $0.end(job) }
        if job.wasReplaced { return abandonedThreads.end() }
      }
    }
  }

  /// Sets the scheduling policy of the calling thread to the policy for batch work, on Linux only. With this
  /// policy, a thread that gets a job does not preempt the event loop. The event loop therefore reads all
  /// requests that have arrived, and not only the first of them.
  private static func yieldToEventLoop() {
    #if os(Linux)
      // `SCHED_BATCH` of sched.h, which Swift does not import.
      let batch: Int32 = 3
      var parameters = sched_param()
      _ = sched_setscheduler(0, batch, &parameters)
    #endif
  }

  /// Runs `body` on a thread of the pool, and cancels it at the deadline or when the client
  /// disconnects. If `body` does not end after its cancellation, its thread is abandoned and
  /// replaced.
  ///
  /// - Throws: `Full` if the queue is full, and `Cancelled` for cancelled work, regardless of the
  ///   result of `body`.
  func run<Value: Sendable>(
    for turn: Turn, _ body: @escaping @Sendable () -> Value
  ) async throws -> Value {
    let cancellation = WorkCancellation()
    let connection = ClientConnection.current
    connection?.begin(cancellation)
    defer {
      watch.end(cancellation)
      connection?.end(cancellation)
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome = SingleResult(continuation)
        let job = WorkJob(
          turn, cancellation,
          work: { job in
            outcome.resume(
              Result { try WorkCancellation.run(cancellation, body) }
                .mapError { _ in
                  Cancelled(lacksMemory: job.lacksMemory, progress: cancellation.progress)
                })
          },
          fail: { outcome.resume(.failure(Cancelled(progress: cancellation.progress))) })
        guard queue.changeForOne({ $0.add(job) }) else {
          return outcome.resume(.failure(Full()))
        }
        watch.start(cancellation) { [weak self] late in self?.fail(job, late: late) }
      }
    } onCancel: {
      cancellation.cancel()
    }
  }

  /// Replies to the client of cancelled work. The reply is immediate if the work is still waiting
  /// for a thread. Otherwise the reply follows after a grace period.
  private func fail(_ job: WorkJob, late: Double) {
    if queue.withLock({ $0.remove(job) }) { return job.fail() }
    guard late > Self.grace,
      let isReplaced = job.abandon({ abandonedThreads.begin(limit: threads * Self.replacements) })
    else { return }
    job.fail()
    if isReplaced { startThread() }
  }

  /// Writes a stream on the calling thread. The time limit of a request applies to each chunk. The
  /// time in `put` does not count.
  ///
  /// - Parameters:
  ///   - cancellation: cancels the work.
  ///   - put: receives each chunk. It is not called after the work is cancelled.
  /// - Throws: `CancellationError` if the work is cancelled, so that a partial stream is not
  ///   mistaken for a complete stream.
  func write(
    _ cancellation: WorkCancellation,
    _ write: @escaping @Sendable (_ send: ([UInt8]) throws -> Void) throws -> Void,
    to put: ([UInt8]) throws -> Void
  ) throws {
    watch.start(cancellation)
    defer { watch.end(cancellation) }
    try WorkCancellation.run(cancellation) {
      try write { part in
        watch.end(cancellation)
        try cancellation.check()
        try put(part)
        watch.start(cancellation)
      }
    }
  }

  /// The number of threads abandoned since the start.
  var abandoned: Int { abandonedThreads.count }
  /// The number of requests waiting for a thread.
  var waiting: Int { queue.withLock { $0.count } }
  /// The number of requests being handled.
  var running: Int { queue.withLock { $0.runningJobs.count } }

  /// Whether requests run one at a time.
  var runsOneByOne: Bool {
    get { queue.withLock { $0.runsOneByOne } }
    set {
      guard newValue != runsOneByOne else { return }
      queue.change { $0.runsOneByOne = newValue }
    }
  }

  /// Whether jobs that need much memory have to wait.
  var holdsLarge: Bool {
    get { queue.withLock { $0.holdsLarge } }
    set {
      guard newValue != holdsLarge else { return }
      queue.change { $0.holdsLarge = newValue }
    }
  }

  /// Cancels the longest running work for lack of memory.
  ///
  /// - Returns: whether work was cancelled.
  func endLongest() -> Bool {
    queue.withLock { $0.runningJobs }.contains { $0.endForMemory() }
  }

  /// Cancels work because of its memory.
  ///
  /// - Returns: whether the work was running and not cancelled before.
  func end(_ work: WorkCancellation) -> Bool {
    queue.withLock { $0.runningJobs }.contains { $0.cancellation === work && $0.endForMemory() }
  }

  /// Rejects further work, and ends the threads once the waiting work is done.
  func close() {
    queue.change { $0.isClosed = true }
    watch.close()
  }
}

/// Threads whose work did not end after its cancellation.
private final class AbandonedThreads: Sendable {
  private let state = Mutex((all: 0, lost: 0))

  /// The number of threads abandoned since the start.
  var count: Int { state.withLock { $0.all } }

  /// Adds an abandoned thread.
  ///
  /// - Parameter limit: the maximum number of replaced threads that are still running.
  /// - Returns: whether the thread may be replaced.
  func begin(limit: Int) -> Bool {
    state.withLock { state in
      state.all += 1
      guard state.lost < limit else { return false }
      state.lost += 1
      return true
    }
  }

  /// Records that a replaced thread has ended.
  func end() { state.withLock { $0.lost -= 1 } }
}

/// Work of a client in the pool.
package final class WorkJob: Sendable {
  private enum Phase { case waiting, running, ended, abandoned, replaced }

  package let turn: WorkPool.Turn
  /// Replies to the client in place of the work.
  let fail: @Sendable () -> Void
  let cancellation: WorkCancellation
  private let work: @Sendable (WorkJob) -> Void
  private let phase = Mutex(Phase.waiting)
  private let isShort = Atomic<Bool>(false)

  package init(
    _ turn: WorkPool.Turn, _ cancellation: WorkCancellation,
    work: @escaping @Sendable (WorkJob) -> Void, fail: @escaping @Sendable () -> Void
  ) {
    (self.turn, self.cancellation, self.work, self.fail) = (turn, cancellation, work, fail)
  }

  func run() {
    phase.withLock { $0 = .running }
    work(self)
    phase.withLock { if $0 == .running { $0 = .ended } }
  }

  /// Whether the work was cancelled for lack of memory.
  var lacksMemory: Bool { isShort.load(ordering: .relaxed) }

  /// Cancels the work for lack of memory.
  ///
  /// - Returns: false if the work was already cancelled.
  func endForMemory() -> Bool {
    guard !cancellation.isCancelled else { return false }
    isShort.store(true, ordering: .relaxed)
    cancellation.cancel()
    return true
  }

  /// Whether the work was abandoned while running.
  var isAbandoned: Bool { phase.withLock { $0 == .abandoned || $0 == .replaced } }

  /// Whether the work's thread was replaced.
  var wasReplaced: Bool { phase.withLock { $0 == .replaced } }

  /// Abandons the work if it is running.
  ///
  /// - Parameter mayReplace: returns whether its thread may be replaced.
  /// - Returns: the result of `mayReplace`; nil for work that is not running, or was already
  ///   abandoned.
  func abandon(_ mayReplace: () -> Bool) -> Bool? {
    phase.withLock { phase in
      guard phase == .running else { return nil }
      let isReplaced = mayReplace()
      phase = isReplaced ? .replaced : .abandoned
      return isReplaced
    }
  }
}

/// Passes on the result of some work. Only the first result is used.
private final class SingleResult<Value: Sendable>: Sendable {
  private let continuation: Mutex<CheckedContinuation<Value, any Error>?>

  init(_ continuation: CheckedContinuation<Value, any Error>) {
    self.continuation = Mutex(continuation)
  }

  func resume<Failure: Error>(_ result: Result<Value, Failure>) {
    let continuation = continuation.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
    continuation?.resume(with: result)
  }
}
