import Plumb
import PlumbService
import PlumbTestSupport
import Testing

/// The events sent to clients that reconnect.
struct EventLogTests {
  /// A monitor that stores few events, after the given number of events.
  private func log(_ count: Int, keeps: Int) throws -> EventLog {
    var limits = MonitorLimits()
    limits.events = keeps
    let scene = try LiveScene("", limits)
    for step in 0..<count {
      try scene.post(LiveScene.location("a", step, step % 2 == 0 ? 0.5 : 5))
    }
    return scene.monitor.log
  }

  @Test func clientsGoOnWhereTheyWere() throws {
    let log = try log(10, keeps: 4)
    #expect(log.last == 10)
    let fresh = log.start(after: nil)
    #expect(fresh.after == 10 && fresh.gap == nil)
    for number in 6...10 {
      let start = log.start(after: log.id(number))
      #expect(start.after == number && start.gap == nil)
      #expect(log.events(after: number, bytes: .max)?.map(\.number) == Array(number + 1..<11))
    }
    #expect(log.events(after: 5, bytes: .max) == nil)
    #expect(log.events(after: 6, bytes: 1)?.count == 1)
  }

  @Test func lostEventsAreReported() throws {
    let log = try log(10, keeps: 4)
    let behind = log.start(after: log.id(2))
    #expect(behind.after == 6 && behind.gap?.lost == 4)
    #expect(behind.gap?.next == log.id(7))
    // A position of another run, no position, and a position in the future.
    for id in [
      "x-2", "", "7", log.run, log.run + "-", log.id(11), log.run + "-+3", log.id(2) + " ",
    ] {
      let start = log.start(after: id)
      #expect(start.after == 6 && start.gap != nil && start.gap?.lost == nil, "\(id)")
    }
    let other = try self.log(1, keeps: 4)
    #expect(other.run != log.run && other.start(after: log.id(1)).gap != nil)
  }
}
