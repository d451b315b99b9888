/// Limits the number of messages: more in the first minute, fewer in each later one, so that an endless run
/// still reports without filling a disk. Suppressed messages are counted.
package struct RateLimit: Sendable {
  private let perMinute: Int
  private var left: Int
  private var windowEnd: ContinuousClock.Instant?
  private var heldBack = 0

  /// - Parameters:
  ///   - first: the number in the first minute, which begins with the first message.
  ///   - perMinute: the number in each later minute.
  package init(first: Int, perMinute: Int) {
    (left, self.perMinute) = (first, perMinute)
  }

  /// - Returns: whether to show the message, and the number of messages suppressed in past minutes and not
  ///   yet reported.
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

  /// Returns the number of suppressed messages not yet reported, and resets it.
  package mutating func takeHeldBack() -> Int {
    defer { heldBack = 0 }
    return heldBack
  }
}
