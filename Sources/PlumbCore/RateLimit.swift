/// Which of many messages are shown: so many at first, fewer in each later minute, so that a run
/// that never ends still reports without filling a disk. The others are counted.
package struct RateLimit: Sendable {
  private let perMinute: Int
  private var left: Int
  private var windowEnd: ContinuousClock.Instant?
  private var heldBack = 0

  /// - Parameters:
  ///   - first: in the first minute, which begins with the first message.
  ///   - perMinute: in each minute after it.
  package init(first: Int, perMinute: Int) {
    (left, self.perMinute) = (first, perMinute)
  }

  /// - Returns: whether a message is to be shown, and how many were held back in minutes that are over
  ///   and have not been reported.
  package mutating func admit(
    at now: ContinuousClock.Instant = .now
  ) -> (isShown: Bool, heldBack: Int) {
    var unreported = 0
    if let windowEnd, now >= windowEnd {
      unreported = takeHeldBack()
      left = perMinute
      self.windowEnd = now + .seconds(60)
    } else if windowEnd == nil {
      windowEnd = now + .seconds(60)
    }
    guard left > 0 else {
      heldBack += 1
      return (false, unreported)
    }
    left -= 1
    return (true, unreported)
  }

  /// How many messages were held back and have not been reported.
  package mutating func takeHeldBack() -> Int {
    defer { heldBack = 0 }
    return heldBack
  }
}
