import CPlumb
import Plumb
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Who asks, while a call works, whether it is to go on.
struct Poll {
  private let function: plumb_poll?
  private let context: UnsafeMutableRawPointer?

  init(_ function: plumb_poll?, _ context: UnsafeMutableRawPointer?) {
    (self.function, self.context) = (function, context)
  }

  /// Whether nobody is to be asked.
  var isNone: Bool { function == nil }

  func isCancelled(at share: Double) -> Bool {
    function.map { $0(context, share) != 0 } ?? false
  }
}

/// How far a call has come, for its poll.
final class CallProgress: Sendable {
  private let bits = Atomic<UInt64>((-1.0).bitPattern)

  /// From 0 to 1; negative while it is not known.
  var share: Double {
    get { Double(bitPattern: bits.load(ordering: .relaxed)) }
    set { bits.store(newValue.bitPattern, ordering: .relaxed) }
  }
}

extension Poll {
  /// Seconds until the first call of a poll, and between two of them later on: the time doubles with each
  /// call. A fifth of a second is the most that a cancelled call may take.
  private static let intervals = (first: 0.005, last: 0.05)
  /// Seconds in which work that was cancelled usually comes to an end.
  private static let patience = 0.12

  /// Runs `body` on a thread of its own while the calling one asks whether it is to go on; here, where
  /// nobody is to be asked. No value of a call that was cancelled gets out.
  ///
  /// - Parameter mayOutlive: whether `body` holds all that it uses, so that after a cancellation it
  ///   need not be waited for.
  /// - Throws: the error of `body`; `CallError.cancelled`.
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
      _ = outcome.wait(seconds: Self.patience) { $0 }
    } else {
      _ = outcome.wait { $0 }
    }
    throw CallError.cancelled
  }

  /// Leaves signals to the host's threads; those of faults cannot be left.
  private static func blockSignals() {
    var signals = sigset_t()
    sigfillset(&signals)
    for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS] {
      sigdelset(&signals, fault)
    }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }
}
