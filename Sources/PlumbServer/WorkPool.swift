import Plumb
import PlumbCore
import Synchronization

/// Threads that answer requests, so that no event loop waits for an engine.
///
/// Clients take turns, so that one with many requests does not hold up the others.
final class WorkPool: Sendable {
  /// All threads are busy, and so many requests wait that another would wait too long.
  struct Full: Error {}

  /// Work that took longer than it may, or whose client is gone.
  struct Cancelled: Error {
    /// Whether it was ended for want of memory.
    var lacksMemory = false
    /// How far it came; nil where it changes nothing.
    var progress: String?
  }

  /// Whom work is done for.
  struct Turn: Sendable {
    /// The client's address.
    var client: String
    /// Whether it draws a picture: of those a client wants the newest first.
    var isPicture = false
  }

  private let queue: WaitableState<WorkQueue>
  private let watch: DeadlineWatch
  private let given = GivenUpThreads()

  /// Seconds that cancelled work has to end before its thread is given up.
  private static let grace = 1.0
  /// Threads that are replaced at once, for each of the pool's.
  private static let replacements = 4
  private let threads: Int

  /// - Parameters:
  ///   - threads: how many requests are answered at once.
  ///   - limit: how many may wait.
  ///   - perClient: how many of one client are answered at once.
  ///   - timeout: seconds that one may take, waiting included.
  init(threads: Int, limit: Int, perClient: Int, timeout: Double) {
    self.threads = threads
    queue = WaitableState(WorkQueue(limit: limit, perClient: perClient))
    watch = DeadlineWatch(timeout: timeout)
    for _ in 0..<threads { startThread() }
  }

  private func startThread() {
    Workers.detach { [queue, given] in
      while let job = queue.wait({ $0.next() }) {
        job.run()
        queue.change { $0.end(job) }
        if job.wasReplaced { return given.end() }
      }
    }
  }

  /// Runs `body` on a thread of the pool; past the time, or when the client goes, it is cancelled. Work that
  /// does not end then goes on alone, and another thread takes its thread's place.
  ///
  /// - Throws: `Full`; `Cancelled` for work that was cancelled, whatever `body` has returned.
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
        let answer = SingleAnswer(continuation)
        let job = WorkJob(
          turn, cancellation,
          work: { job in
            answer.give(
              Result { try WorkCancellation.run(cancellation, body) }
                .mapError { _ in
                  Cancelled(lacksMemory: job.lacksMemory, progress: cancellation.progress)
                })
          },
          giveUp: { answer.give(.failure(Cancelled(progress: cancellation.progress))) })
        guard queue.changeForOne({ $0.add(job) }) else {
          return answer.give(.failure(Full()))
        }
        watch.start(cancellation) { [weak self] late in self?.giveUp(job, late: late) }
      }
    } onCancel: {
      cancellation.cancel()
    }
  }

  /// Answers a client whose work is late: at once while it waits for a thread.
  private func giveUp(_ job: WorkJob, late: Double) {
    if queue.withLock({ $0.remove(job) }) { return job.giveUp() }
    guard late > Self.grace,
      let isReplaced = job.abandon({ given.begin(limit: threads * Self.replacements) })
    else { return }
    job.giveUp()
    if isReplaced { startThread() }
  }

  /// Writes what is made part by part, on the calling thread. Each part may take as long as a request;
  /// `put` takes its own time.
  ///
  /// - Parameters:
  ///   - cancellation: ends the work.
  ///   - put: takes a part; none that was made by cancelled work comes there.
  /// - Throws: `CancellationError`, so that the end is not taken for that of the whole.
  func write(
    _ cancellation: WorkCancellation,
    _ write: @escaping @Sendable (_ take: ([UInt8]) throws -> Void) throws -> Void,
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

  /// Threads that were given up since the start.
  var abandoned: Int { given.count }
  /// Requests that wait for a thread.
  var waiting: Int { queue.withLock { $0.count } }
  /// Requests that are worked on.
  var running: Int { queue.withLock { $0.runningJobs.count } }

  /// Whether requests wait until no other is worked on.
  var runsOneByOne: Bool {
    get { queue.withLock { $0.runsOneByOne } }
    set {
      guard newValue != runsOneByOne else { return }
      queue.change { $0.runsOneByOne = newValue }
    }
  }

  /// Ends the work that has run for the longest time, for want of memory.
  ///
  /// - Returns: whether there is any.
  func endLongest() -> Bool {
    queue.withLock { $0.runningJobs }.contains { $0.endForMemory() }
  }

  /// Lets the threads go when they have done what waits.
  func close() {
    queue.change { $0.isClosed = true }
    watch.close()
  }
}

/// Threads whose work did not end when its time was over.
private final class GivenUpThreads: Sendable {
  private let state = Mutex((all: 0, lost: 0))

  /// Those since the start.
  var count: Int { state.withLock { $0.all } }

  /// Counts one.
  ///
  /// - Parameter limit: how many may be replaced at once.
  /// - Returns: whether another thread may take its place.
  func begin(limit: Int) -> Bool {
    state.withLock { state in
      state.all += 1
      guard state.lost < limit else { return false }
      state.lost += 1
      return true
    }
  }

  /// One that was replaced has ended.
  func end() { state.withLock { $0.lost -= 1 } }
}

/// Work of a pool that has a client.
final class WorkJob: Sendable {
  private enum Phase { case waiting, running, ended, abandoned, replaced }

  let turn: WorkPool.Turn
  /// Answers the client in place of the work.
  let giveUp: @Sendable () -> Void
  private let cancellation: WorkCancellation
  private let work: @Sendable (WorkJob) -> Void
  private let phase = Mutex(Phase.waiting)
  private let isShort = Atomic<Bool>(false)

  init(
    _ turn: WorkPool.Turn, _ cancellation: WorkCancellation,
    work: @escaping @Sendable (WorkJob) -> Void, giveUp: @escaping @Sendable () -> Void
  ) {
    (self.turn, self.cancellation, self.work, self.giveUp) = (turn, cancellation, work, giveUp)
  }

  func run() {
    phase.withLock { $0 = .running }
    work(self)
    phase.withLock { if $0 == .running { $0 = .ended } }
  }

  /// Whether it was ended for want of memory.
  var lacksMemory: Bool { isShort.load(ordering: .relaxed) }

  /// Ends the work for want of memory.
  ///
  /// - Returns: false for work that was ended before, for whatever reason.
  func endForMemory() -> Bool {
    guard !cancellation.isCancelled else { return false }
    isShort.store(true, ordering: .relaxed)
    cancellation.cancel()
    return true
  }

  /// Whether it was given up while it ran.
  var isAbandoned: Bool { phase.withLock { $0 == .abandoned || $0 == .replaced } }

  /// Whether another thread has taken the place of the one that ran it.
  var wasReplaced: Bool { phase.withLock { $0 == .replaced } }

  /// Gives up the work while it runs.
  ///
  /// - Parameter mayReplace: asked whether another thread may take the place of the work's.
  /// - Returns: what it said; nil for work that does not run, or was given up before.
  func abandon(_ mayReplace: () -> Bool) -> Bool? {
    phase.withLock { phase in
      guard phase == .running else { return nil }
      let isReplaced = mayReplace()
      phase = isReplaced ? .replaced : .abandoned
      return isReplaced
    }
  }
}

/// The answer to who waits for some work: the first counts.
private final class SingleAnswer<Value: Sendable>: Sendable {
  private let continuation: Mutex<CheckedContinuation<Value, any Error>?>

  init(_ continuation: CheckedContinuation<Value, any Error>) {
    self.continuation = Mutex(continuation)
  }

  func give<Failure: Error>(_ result: Result<Value, Failure>) {
    let continuation = continuation.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
    continuation?.resume(with: result)
  }
}
