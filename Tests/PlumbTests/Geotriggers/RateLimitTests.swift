import PlumbCore
import Testing

@Suite struct RateLimitTests {
  @Test("A limit at first, a lower limit in each later minute, and the others are counted")
  func limit() {
    var limit = RateLimit(first: 3, perMinute: 2)
    let start = ContinuousClock.now
    func admit(_ second: Int) -> String {
      let (isShown, heldBack) = limit.admit(at: start + .seconds(second))
      return "\(isShown) \(heldBack)"
    }
    #expect([0, 10, 59].map(admit) == ["true 0", "true 0", "true 0"])
    #expect([59, 59].map(admit) == ["false 0", "false 0"])
    #expect([60, 61, 62].map(admit) == ["true 2", "true 0", "false 0"])
    #expect([119, 300, 301, 302].map(admit) == ["false 0", "true 2", "true 0", "false 0"])
    #expect(limit.takeHeldBack() == 1 && limit.takeHeldBack() == 0)
    #expect(admit(100_000) == "true 0")
  }

  @Test("A run of months keeps reporting")
  func months() {
    var limit = RateLimit(first: 1000, perMinute: 60)
    let start = ContinuousClock.now
    var (shown, heldBack) = (0, 0)
    let minutes = 90 * 24 * 60
    for minute in 0..<minutes {
      for _ in 0..<61 {
        let answer = limit.admit(at: start + .seconds(minute * 60))
        shown += answer.isShown ? 1 : 0
        heldBack += answer.heldBack
      }
    }
    #expect(shown == 61 + (minutes - 1) * 60)
    #expect(shown + heldBack + limit.takeHeldBack() == minutes * 61)
  }
}
