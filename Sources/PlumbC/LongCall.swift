import CPlumb
import Plumb
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The caller's callback, which is called during a long call and may cancel it.
struct Poll {
  private let function: plumb_poll?
  private let context: UnsafeMutableRawPointer?

  init(_ function: plumb_poll?, _ context: UnsafeMutableRawPointer?) {
    (self.function, self.context) = (function, context)
  }

  /// Whether there is no callback.
  var isNone: Bool { function == nil }

  func isCancelled(at share: Double) -> Bool {
    function.map { $0(context, share) != 0 } ?? false
  }
}

/// The progress of a call, which is passed to the caller's callback.
final class CallProgress: Sendable {
  private let bits = Atomic<UInt64>((-1.0).bitPattern)

  /// The completed fraction, from 0 to 1; negative while unknown.
  var share: Double {
    get { Double(bitPattern: bits.load(ordering: .relaxed)) }
    set { bits.store(newValue.bitPattern, ordering: .relaxed) }
  }
}

extension Poll {
  /// The interval before the first call of the callback, and the maximum interval, in seconds. The
  /// interval doubles with each call. A cancelled call has to return within a fifth of a second.
  private static let intervals = (first: 0.005, last: 0.05)
  /// The maximum time in seconds to wait for the end of cancelled work. Most work ends within this
  /// time.
  private static let graceSeconds = 0.12

  /// Runs `body` on a separate thread, while the calling thread calls the callback. Without a
  /// callback, runs `body` on the calling thread. A cancelled call never returns a value.
  ///
  /// - Parameter mayOutlive: whether `body` owns everything that it uses. If so, a cancelled call
  ///   need not wait for the end of `body`.
  /// - Throws: the error of `body`, or `CallError.cancelled` for a cancelled call.
  func run<Value: Sendable>(
    mayOutlive: Bool, _ body: @escaping @Sendable (CallProgress) throws -> Value
  ) throws -> Value {
    let progress = CallProgress()
    if isNone { return try body(progress) }
    let cancellation = WorkCancellation()
    let outcome = WaitableState<Result<Value, any Error>?>(nil)
    let started = Workers.detach {
      Self.blockSignals()
      let result = Result {
        try WorkCancellation.run(cancellation) { try body(progress) }
      }
      outcome.change { $0 = result }
    }
    guard started else { return try body(progress) }
    var interval = Self.intervals.first
    while true {
      if let result = outcome.wait(seconds: interval, { $0 }) { return try result.get() }
      if isCancelled(at: progress.share) { break }
      interval = min(interval * 2, Self.intervals.last)
    }
    cancellation.cancel()
    if mayOutlive {
      _ = outcome.wait(seconds: Self.graceSeconds) { $0 }
    } else {
      _ = outcome.wait { $0 }
    }
    throw CallError.cancelled
  }

  /// Blocks all signals except those of faults, such as SIGSEGV, which must not be blocked. The
  /// threads of the host program handle the signals.
  private static func blockSignals() {
    var signals = sigset_t()
    sigfillset(&signals)
    for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS] {
      sigdelset(&signals, fault)
    }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }
}
