/// Limits the number of messages per minute, with a larger limit for the first minute than for
/// later minutes, so that an endless run still prints messages but does not fill the disk.
/// Suppressed messages are counted.
package struct RateLimit: Sendable {
  private let perMinute: Int
  private var left: Int
  private var windowEnd: ContinuousClock.Instant?
  private var suppressed = 0

  /// - Parameters:
  ///   - first: the number of messages in the first minute, which begins with the first message.
  ///   - perMinute: the number of messages in each later minute.
  package init(first: Int, perMinute: Int) {
    (left, self.perMinute) = (first, perMinute)
  }

  /// - Returns: whether to show the message, and the number of messages suppressed in past minutes and not
  ///   yet reported.
  package mutating func admit(
    at now: ContinuousClock.Instant = .now
  ) -> (isShown: Bool, suppressed: Int) {
    var unreported = 0
    if let windowEnd, now >= windowEnd {
      unreported = removeSuppressed()
      left = perMinute
      self.windowEnd = now + .seconds(60)
    } else if windowEnd == nil {
      windowEnd = now + .seconds(60)
    }
    guard left > 0 else {
      suppressed += 1
      return (false, unreported)
    }
    left -= 1
    return (true, unreported)
  }

  /// Returns the number of suppressed messages not yet reported, and resets it.
  package mutating func removeSuppressed() -> Int {
    defer { suppressed = 0 }
    return suppressed
  }
}
