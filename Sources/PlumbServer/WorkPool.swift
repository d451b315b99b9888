import Plumb
import PlumbCore

/// Threads that answer requests, so that no event loop waits for an engine.
final class WorkPool: Sendable {
  /// All are busy, and so many wait that another would wait too long.
  struct Full: Error {}

  private struct State {
    var waiting: [@Sendable () -> Void] = []
    /// The first of `waiting` that nobody has taken.
    var first = 0
    var isClosed = false

    var count: Int { waiting.count - first }
  }

  private let state = Monitor(State())
  private let limit: Int
  private let watch: DeadlineWatch

  /// - Parameters:
  ///   - threads: how many requests are answered at once.
  ///   - limit: how many may wait.
  ///   - timeout: seconds that one may take, waiting included.
  init(threads: Int, limit: Int, timeout: Double) {
    self.limit = limit
    watch = DeadlineWatch(timeout: timeout)
    for _ in 0..<threads {
      Workers.detach { [state] in
        while let job = Self.next(state) { job() }
      }
    }
  }

  private static func next(_ state: Monitor<State>) -> (@Sendable () -> Void)? {
    state.wait { state -> (@Sendable () -> Void)?? in
      if state.count > 0 {
        let job = state.waiting[state.first]
        state.waiting[state.first] = {}
        state.first += 1
        if state.first > 64, state.first * 2 > state.waiting.count {
          state.waiting.removeFirst(state.first)
          state.first = 0
        }
        return .some(job)
      }
      return state.isClosed ? .some(nil) : nil
    }
  }

  /// Work that took longer than it may, or whose client is gone.
  struct Cancelled: Error {
    /// How far it came; nil where it changes nothing.
    var progress: String?
  }

  /// Runs `body` on a thread of the pool; past the time, or when the client goes, it is cancelled.
  ///
  /// - Throws: `Full`; `Cancelled` for work that was cancelled, whatever `body` has returned.
  func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async throws -> Value {
    let cancellation = WorkCancellation()
    let connection = ClientConnection.current
    watch.start(cancellation)
    connection?.begin(cancellation)
    defer {
      watch.end(cancellation)
      connection?.end(cancellation)
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isTaken = state.changeForOne { state in
          guard state.count < limit, !state.isClosed else { return false }
          state.waiting.append {
            continuation.resume(
              with: Result { try WorkCancellation.run(cancellation, body) }
                .mapError { _ in Cancelled(progress: cancellation.progress) })
          }
          return true
        }
        if !isTaken { continuation.resume(throwing: Full()) }
      }
    } onCancel: {
      cancellation.cancel()
    }
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

  /// Lets the threads go when they have done what waits.
  func close() {
    state.change { $0.isClosed = true }
    watch.close()
  }
}

/// Cancels work that takes too long: one thread for all.
final class DeadlineWatch: Sendable {
  private struct State {
    var running: [ObjectIdentifier: (work: WorkCancellation, end: ContinuousClock.Instant)] = [:]
    var isClosed = false
  }

  private let state = Monitor(State())
  private let timeout: Double

  init(timeout: Double) {
    self.timeout = timeout
    // Seconds between two looks.
    let interval = min(0.1, max(0.005, timeout / 4))
    Workers.detach { [state] in
      while true {
        let isClosed: Bool? = state.wait(seconds: interval) { $0.isClosed ? true : nil }
        if isClosed == true { return }
        let now = ContinuousClock.now
        let late = state.withLock { state in
          state.running.values.filter { $0.end <= now }.map(\.work)
        }
        for work in late { work.cancel() }
      }
    }
  }

  /// Lets some work take the time from now on.
  func start(_ work: WorkCancellation) {
    let end = ContinuousClock.now + .seconds(timeout)
    state.withLock { $0.running[ObjectIdentifier(work)] = (work, end) }
  }

  func end(_ work: WorkCancellation) {
    state.withLock { _ = $0.running.removeValue(forKey: ObjectIdentifier(work)) }
  }

  func close() { state.change { $0.isClosed = true } }
}
