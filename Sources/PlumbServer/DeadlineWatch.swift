import Plumb
import PlumbCore

/// Cancels work that exceeds the time limit. One thread watches all work.
final class DeadlineWatch: Sendable {
  private struct Entry {
    var work: WorkCancellation
    var end: ContinuousClock.Instant
    var whenLate: (@Sendable (_ seconds: Double) -> Void)?
  }

  private struct State {
    var running: [ObjectIdentifier: Entry] = [:]
    var isClosed = false
  }

  private let state = WaitableState(State())
  private let timeout: Double

  init(timeout: Double) {
    self.timeout = timeout
    // The seconds between two checks.
    let interval = min(0.1, max(0.005, timeout / 4))
    Workers.detach { [state] in
      while true {
        let isClosed: Bool? = state.wait(seconds: interval) { $0.isClosed ? true : nil }
        if isClosed == true { return }
        let now = ContinuousClock.now
        // The list includes work that was cancelled for another reason, because this work may still
        // be waiting for a thread.
        let late = state.withLock { state in
          state.running.values.filter { $0.end <= now || $0.work.isCancelled }
        }
        for entry in late {
          entry.work.cancel()
          entry.whenLate?((now - entry.end) / .seconds(1))
        }
      }
    }
  }

  /// Starts the time limit of `work`.
  ///
  /// - Parameter whenLate: called repeatedly from the cancellation of the work until its end. The
  ///   argument is the number of seconds since the deadline, which is negative if the work was
  ///   cancelled before the deadline.
  func start(_ work: WorkCancellation, whenLate: (@Sendable (_ seconds: Double) -> Void)? = nil) {
    let end = ContinuousClock.now + .seconds(timeout)
    state.withLock {
      $0.running[ObjectIdentifier(work)] = Entry(work: work, end: end, whenLate: whenLate)
    }
  }

  func end(_ work: WorkCancellation) {
    state.withLock { _ = $0.running.removeValue(forKey: ObjectIdentifier(work)) }
  }

  func close() { state.change { $0.isClosed = true } }
}
