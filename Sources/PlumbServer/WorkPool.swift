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

  /// Runs `body` on a thread of the pool; past the time it is cancelled.
  func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async throws -> Value {
    let cancellation = watch.start()
    defer { watch.end(cancellation) }
    return try await withCheckedThrowingContinuation { continuation in
      let isTaken = state.changeForOne { state in
        guard state.count < limit, !state.isClosed else { return false }
        state.waiting.append {
          let value = WorkCancellation.with(cancellation) { body() }
          continuation.resume(returning: value)
        }
        return true
      }
      if !isTaken { continuation.resume(throwing: Full()) }
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
  /// Seconds between two looks.
  private static let interval = 0.1

  init(timeout: Double) {
    self.timeout = timeout
    Workers.detach { [state] in
      while true {
        let isClosed: Bool? = state.wait(seconds: Self.interval) { $0.isClosed ? true : nil }
        if isClosed == true { return }
        let now = ContinuousClock.now
        let late = state.withLock { state in
          state.running.values.filter { $0.end <= now }.map(\.work)
        }
        for work in late { work.cancel() }
      }
    }
  }

  func start() -> WorkCancellation {
    let work = WorkCancellation()
    let end = ContinuousClock.now + .seconds(timeout)
    state.withLock { $0.running[ObjectIdentifier(work)] = (work, end) }
    return work
  }

  func end(_ work: WorkCancellation) {
    state.withLock { _ = $0.running.removeValue(forKey: ObjectIdentifier(work)) }
  }

  func close() { state.change { $0.isClosed = true } }
}
