import PlumbCore
import PlumbGeometry
import PlumbTestSupport
import Testing

@testable import PlumbGeotriggers

/// The same fixes cause the same events with any number of workers and any batches.
@Suite struct DeterminismTests {
  private static let combinations: [FenceRules] = {
    var list: [FenceRules] = [FenceRules()]
    var rules = FenceRules()
    (rules.dwell, rules.cooldown, rules.forgetsAfter) = (5, 3, 40)
    list.append(rules)
    rules.reportsCrossings = true
    list.append(rules)
    (rules.cooldown, rules.feedAccuracyMode) = (nil, .useGeometryWithAccuracy)
    list.append(rules)
    return list
  }()

  @Test("Workers and batch sizes change nothing", arguments: BruteForceTests.worlds, [0, 60])
  func workersAndCuts(_ world: BruteForceTests.World, _ buffer: Double) throws {
    var source = FenceWorld(seed: 31, centre: world.centre, extent: world.extent)
    let fences = source.fences(25, [.area, .holed, .parts, .box])
    let set = try FenceSet(fences, bufferDistance: buffer)
    let batch = source.batch(200, entities: 12, accuracies: [.nan, 30, 100])
    // Crossings on long paths take a long time to find.
    let isSmall = world.extent.x < 1
    for rules in Self.combinations where isSmall || !rules.reportsCrossings {
      var expected: FenceUpdates?
      for workers in [1, 2, 5] {
        let tracker = try FenceTracker(set, rules, workers: Workers(count: workers))
        let whole = tracker.update(batch)
        if expected == nil { expected = whole }
        #expect(whole == expected, "\(workers) workers")
        #expect(whole.events.count > 10)
        var (row, events, issues) = (0, [FenceEvent](), [FenceIssue]())
        let split = try FenceTracker(set, rules, workers: Workers(count: workers))
        while row < batch.count {
          let end = min(batch.count, row + Int.random(in: 1...70, using: &source.random))
          let part = split.update(batch.rows(row..<end))
          events += part.events.map { event in
            var event = event
            event.row += row
            return event
          }
          issues += part.issues.map { issue in
            var issue = issue
            issue.row += row
            return issue
          }
          row = end
        }
        let isEqual = events == expected?.events && issues == expected?.issues
        #expect(isEqual, "\(workers) workers, cut")
      }
    }
  }

  @Test("Many entities, most of which are forgotten, in one batch and in many")
  func forgetting() throws {
    var source = FenceWorld(seed: 32, centre: [10, 50], extent: [0.01, 0.01])
    let set = try FenceSet(source.fences(10, [.area, .box]))
    let batch = source.batch(6000, entities: 900)
    var rules = FenceRules()
    rules.forgetsAfter = 300
    let whole = try FenceTracker(set, rules).update(batch)
    let tracker = try FenceTracker(set, rules)
    var events: [FenceEvent] = []
    for row in stride(from: 0, to: batch.count, by: 50) {
      events += tracker.update(batch.rows(row..<row + 50)).events
    }
    #expect(events.map(\.index) == whole.events.map(\.index))
    #expect(events.map(\.fence) == whole.events.map(\.fence))
    #expect(tracker.entityCount < 600)
  }
}
