import Foundation
import PlumbCore

/// Moments at which work is cancelled: random delays from its start on, most of them within its usual time.
public struct RandomMoments {
  /// How many moments there have been, and how many of them came while the work ran.
  public private(set) var count = 0
  public private(set) var strikes = 0
  private var generator: SeededGenerator
  private var reach: Double
  private let longest: Double

  /// - Parameter seconds: that the work usually takes.
  public init(seed: UInt64, seconds: Double) {
    generator = SeededGenerator(seed: seed)
    (reach, longest) = (seconds * 0.7, seconds * 3)
  }

  /// How many moments a test takes: so many, unless `PLUMB_CANCELLATIONS` says another number.
  public static func number(_ usual: Int) -> Int {
    ProcessInfo.processInfo.environment["PLUMB_CANCELLATIONS"].flatMap { Int($0) } ?? usual
  }

  /// Seconds until the next moment.
  public mutating func next() -> Double { Double.random(in: 0..<reach, using: &generator) }

  /// Takes down what became of a moment; those that follow come sooner where it came too late.
  public mutating func record(wasStrike: Bool) {
    count += 1
    strikes += wasStrike ? 1 : 0
    reach = wasStrike ? min(reach * 1.05, longest) : reach * 0.6
  }

  /// Whether there are fewer moments than a test takes, or too few of them were strikes: on a machine with
  /// other work many come too late, up to eight times as many moments are taken.
  public func needsMore(_ usual: Int) -> Bool {
    let number = Self.number(usual)
    return count < number || !areStrikes && count < 8 * number
  }

  /// Whether enough of the moments were strikes.
  public var areStrikes: Bool { strikes * 2 >= count && count > 0 }

  /// Seconds that some work takes: the least of three runs.
  public static func seconds(of work: () throws -> Void) rethrows -> Double {
    var least = Double.infinity
    for _ in 0..<3 {
      let start = ContinuousClock.now
      try work()
      least = min(least, (ContinuousClock.now - start) / .seconds(1))
    }
    return least
  }

  /// Waits, to some microseconds.
  public static func wait(seconds: Double) {
    let end = ContinuousClock.now + .seconds(seconds)
    if seconds > 0.001 { usleep(UInt32((seconds - 0.0005) * 1e6)) }
    while ContinuousClock.now < end {}
  }
}

/// What became of work that was cancelled some time after its start.
public struct CancelledRun<Value: Sendable>: Sendable {
  public let result: Result<Value, any Error>
  /// Whether the work ran when it was cancelled.
  public let wasStrike: Bool
  /// How far work came that changes something, as it says itself.
  public let progress: String?

  /// Runs `work` in a scope that another thread cancels.
  public init(after delay: Double, _ work: () throws -> Value) {
    let stage = WaitableState(Stage.before)
    let cancellation = WorkCancellation()
    let canceller = BackgroundValue { () -> Bool in
      stage.wait { $0 == .before ? nil : () }
      RandomMoments.wait(seconds: delay)
      return stage.withLock { stage in
        cancellation.cancel()
        return stage == .during
      }
    }
    result = Result {
      try WorkCancellation.run(cancellation) {
        stage.change { $0 = .during }
        defer { stage.change { $0 = .after } }
        return try work()
      }
    }
    wasStrike = (try? canceller.value()) ?? false
    progress = cancellation.progress
  }

  private enum Stage { case before, during, after }

  /// Whether it is the whole answer, or the error of cancelled work.
  public func isRight(_ isWhole: (Value) throws -> Bool) rethrows -> Bool {
    switch result {
    case .success(let value): try isWhole(value)
    case .failure(let error): error is CancellationError
    }
  }
}
