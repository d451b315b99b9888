import PlumbCore
import Testing

@Suite struct RateLimitTests {
  @Test("A limit at first, a lower limit in each later minute, and the others are counted")
  func limit() {
    var limit = RateLimit(first: 3, perMinute: 2)
    let start = ContinuousClock.now
    func admit(_ second: Int) -> String {
      let (isShown, suppressed) = limit.admit(at: start + .seconds(second))
      return "\(isShown) \(suppressed)"
    }
    #expect([0, 10, 59].map(admit) == ["true 0", "true 0", "true 0"])
    #expect([59, 59].map(admit) == ["false 0", "false 0"])
    #expect([60, 61, 62].map(admit) == ["true 2", "true 0", "false 0"])
    #expect([119, 300, 301, 302].map(admit) == ["false 0", "true 2", "true 0", "false 0"])
    #expect(limit.removeSuppressed() == 1 && limit.removeSuppressed() == 0)
    #expect(admit(100_000) == "true 0")
  }

  @Test("A run of months keeps reporting")
  func months() {
    var limit = RateLimit(first: 1000, perMinute: 60)
    let start = ContinuousClock.now
    var (shown, suppressed) = (0, 0)
    let minutes = 90 * 24 * 60
    for minute in 0..<minutes {
      for _ in 0..<61 {
        let admission = limit.admit(at: start + .seconds(minute * 60))
        shown += admission.isShown ? 1 : 0
        suppressed += admission.suppressed
      }
    }
    #expect(shown == 61 + (minutes - 1) * 60)
    #expect(shown + suppressed + limit.removeSuppressed() == minutes * 61)
  }
}
