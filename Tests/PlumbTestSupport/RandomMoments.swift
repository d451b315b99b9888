import Foundation
import PlumbCore

/// Times at which work is cancelled: random delays after its start, most of them within its usual
/// duration.
public struct RandomMoments {
  /// The number of cancellations so far; `strikes` counts those that occurred while the work was
  /// running.
  public private(set) var count = 0
  public private(set) var strikes = 0
  private var generator: SeededGenerator
  private var range: Double
  /// The number of cancellations that the test requested.
  private var wanted = 0
  private let longest: Double

  /// - Parameter seconds: the usual duration of the work.
  public init(seed: UInt64, seconds: Double) {
    generator = SeededGenerator(seed: seed)
    (range, longest) = (seconds * 0.7, seconds * 3)
  }

  /// The number of cancellations in a test: `usual`, unless `PLUMB_CANCELLATIONS` sets another
  /// number.
  public static func number(_ usual: Int) -> Int {
    ProcessInfo.processInfo.environment["PLUMB_CANCELLATIONS"].flatMap { Int($0) } ?? usual
  }

  /// Seconds until the next cancellation.
  public mutating func next() -> Double { Double.random(in: 0..<range, using: &generator) }

  /// Records the outcome of a cancellation. If it came too late, the next delays are shorter.
  public mutating func record(wasStrike: Bool) {
    count += 1
    strikes += wasStrike ? 1 : 0
    range = wasStrike ? min(range * 1.05, longest) : range * 0.6
  }

  /// Whether there are fewer cancellations than a test needs, or too few strikes. On a busy machine
  /// many cancellations come too late, so up to eight times as many are made.
  public mutating func needsMore(_ usual: Int) -> Bool {
    wanted = Self.number(usual)
    return count < wanted || !areStrikes && count < 8 * wanted
  }

  /// Whether the number of strikes is at least half of the number of requested cancellations.
  public var areStrikes: Bool { strikes > 0 && strikes * 2 >= wanted }

  /// The duration of some work in seconds: the minimum of three runs.
  public static func seconds(of work: () throws -> Void) rethrows -> Double {
    var minimum = Double.infinity
    for _ in 0..<3 {
      let start = ContinuousClock.now
      try work()
      minimum = min(minimum, (ContinuousClock.now - start) / .seconds(1))
    }
    return minimum
  }

  /// Waits, accurate to some microseconds.
  public static func wait(seconds: Double) {
    let end = ContinuousClock.now + .seconds(seconds)
    if seconds > 0.001 { usleep(UInt32((seconds - 0.0005) * 1e6)) }
    while ContinuousClock.now < end {}
  }
}

/// The outcome of work that was cancelled some time after its start.
public struct CancelledRun<Value: Sendable>: Sendable {
  public let result: Result<Value, any Error>
  /// Whether the work was running when it was cancelled.
  public let wasStrike: Bool
  /// The progress of work that changes state, as reported by the work.
  public let progress: String?

  /// Runs `work` in a scope that another thread cancels.
  ///
  /// The work starts when the other thread is running. Otherwise, on a busy machine, short work
  /// would often be complete before that thread wakes.
  public init(after delay: Double, _ work: () throws -> Value) {
    let stage = WaitableState(Stage.before)
    let cancellation = WorkCancellation()
    let canceller = BackgroundValue { () -> Bool in
      stage.change { $0 = .during }
      RandomMoments.wait(seconds: delay)
      return stage.withLock { stage in
        cancellation.cancel()
        return stage == .during
      }
    }
    result = Result {
      try WorkCancellation.run(cancellation) {
        stage.wait { $0 == .during ? () : nil }
        defer { stage.withLock { $0 = .after } }
        return try work()
      }
    }
    wasStrike = (try? canceller.value()) ?? false
    progress = cancellation.progress
  }

  private enum Stage { case before, during, after }

  /// Whether the outcome is the complete result, or the error of cancelled work.
  public func isRight(_ isWhole: (Value) throws -> Bool) rethrows -> Bool {
    switch result {
    case .success(let value): try isWhole(value)
    case .failure(let error): error is CancellationError
    }
  }
}
