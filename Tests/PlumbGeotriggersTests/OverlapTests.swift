import PlumbCore
import PlumbGeometry
import PlumbTestSupport
import Testing

@testable import PlumbGeotriggers

/// Overlapping fences: the depth, events of batches that are processed in parts, and the number of
/// remembered stays.
@Suite struct OverlapTests {
  @Test("The depth of boxes is their largest number around one point", arguments: [1, 2, 3])
  func depth(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      let count = Int.random(in: 0...12, using: &random)
      let isPeriodic = Bool.random(using: &random)
      let boxes = (0..<count).map { _ in
        let x = Double(Int.random(in: isPeriodic ? -12...12 : 0...8, using: &random))
        let y = Double(Int.random(in: -4...4, using: &random))
        return Envelope(
          xMin: x, yMin: y, xMax: x + Double(Int.random(in: 0...5, using: &random)),
          yMax: min(4, y + Double(Int.random(in: 0...4, using: &random))))
      }
      // The poles are then at ±4.
      let period = isPeriodic ? 16.0 : nil
      var maximum = 0
      for x in -16...32 {
        for y in -4...4 {
          maximum = max(maximum, boxes.count { Self.holds($0, Double(x), Double(y), period) })
        }
      }
      #expect(BoxDepth(boxes, period: period).value == maximum, "\(boxes)")
    }
    #expect(BoxDepth([], period: nil).value == 0)
    let whole = Envelope(xMin: -.infinity, yMin: 0, xMax: .infinity, yMax: 1)
    let empty = Envelope(xMin: .nan, yMin: .nan, xMax: .nan, yMax: .nan)
    #expect(BoxDepth([whole, empty, whole], period: 360).value == 2)
  }

  private static func holds(_ box: Envelope, _ x: Double, _ y: Double, _ period: Double?) -> Bool {
    guard box.yMin <= y, y <= box.yMax else { return false }
    guard let period else { return box.xMin <= x && x <= box.xMax }
    if y.magnitude == period / 4 { return true }
    return [-3.0, -2, -1, 0, 1, 2, 3].contains {
      box.xMin <= x + $0 * period && x + $0 * period <= box.xMax
    }
  }

  private func boxes(_ count: Int, moved: Double = 0) -> [Fence] {
    (0..<count).map { number in
      Fence(
        id: "\(number)",
        geometry: .envelope(
          Envelope(
            xMin: moved - Double(number % 7), yMin: -1, xMax: moved + 1 + Double(number % 5),
            yMax: 1,
            spatialReference: .wgs84)))
    }
  }

  /// Entities that move back and forth across the boxes.
  private func batch(_ count: Int, entities: Int, seed: UInt64) -> LocationBatch {
    var random = SeededGenerator(seed: seed)
    var batch = LocationBatch()
    for row in 0..<count {
      batch.index.append(row)
      batch.entity.append(Int32(row % entities))
      batch.time.append(Int64(row) * 1000)
      batch.x.append(Double.random(in: -12...12, using: &random))
      batch.y.append(Double.random(in: -2...2, using: &random))
    }
    return batch
  }

  @Test("Parts of a batch give the events of the whole")
  func parts() throws {
    let fences = try FenceSet(boxes(4000))
    #expect(fences.maximumOverlaps() == 4000)
    var names = EntityNames()
    for number in 0..<40 { _ = names.number(of: "e\(number)") }
    var rules = FenceRules()
    rules.forgetsAfter = 30
    let batch = batch(2400, entities: 40, seed: 5)
    func group() throws -> FenceNotifierGroup {
      FenceNotifierGroup([
        try FenceNotifier(FenceGeotrigger(name: "g", fences: fences, rules: rules))
      ])
    }
    let whole = try group().update(batch, entities: names)
    var (count, sizes, events, forgotten) = (0, 0, [FenceEvent](), Set<Int32>())
    let split = try group()
    split.update(batch, entities: names) { updates in
      count += 1
      sizes = max(sizes, updates.notifications.count)
      events += updates.notifications.map(\.event)
      forgotten.formUnion(updates.forgotten)
    }
    #expect(count > 100 && sizes < 100_000, "\(count) parts, the largest \(sizes)")
    #expect(events.count == whole.notifications.count && events.count > 1_000_000)
    let same = zip(events, whole.notifications).allSatisfy { one, other in
      (one.type, one.index, one.fence, one.time) == (
        other.event.type, other.event.index, other.event.fence, other.event.time
      )
    }
    #expect(same)
    #expect(forgotten.allSatisfy { !split.notifiers[0].remembers($0) })
  }

  @Test("A full tracker refuses locations that begin stays, until an exit makes room")
  func stayLimit() throws {
    let tracker = try FenceTracker(FenceSet(boxes(100)), stayLimit: 150)
    func process(_ entity: Int32, _ time: Int64, _ x: Double) -> (
      events: Int, issues: [FenceIssue.Kind]
    ) {
      var batch = LocationBatch()
      (batch.index, batch.entity, batch.time) = ([0], [entity], [time])
      (batch.x, batch.y) = ([x], [0])
      let updates = tracker.update(batch)
      return (updates.events.count, updates.issues.map(\.kind))
    }
    // One batch exceeds the limit.
    #expect(process(0, 0, 0.5) == (100, []) && process(1, 0, 0.5) == (100, []))
    #expect(tracker.stayCount == 200)
    #expect(process(2, 0, 0.5) == (0, [.noRoom]))
    // Neither a location outside of all fences nor one in the same fences as before needs room.
    #expect(process(3, 0, 50) == (0, []) && process(0, 1, 0.6) == (0, []))
    #expect(process(0, 2, 50) == (100, []))
    #expect(tracker.stayCount == 100)
    #expect(process(2, 1, 0.5) == (100, []))
    tracker.forget([2])
    #expect(tracker.stayCount == 100)
    tracker.reset()
    #expect(tracker.stayCount == 0)
  }

  @Test("Fences with too many stays are refused before anything changes")
  func capacityForFences() throws {
    let apart = (0..<100).map { number in
      Fence(
        id: "\(number)",
        geometry: .envelope(
          Envelope(
            xMin: 20 + Double(number), yMin: 0, xMax: 20.5 + Double(number), yMax: 0.5,
            spatialReference: .wgs84)))
    }
    let tracker = try FenceTracker(FenceSet(apart), stayLimit: 1000)
    _ = tracker.update(batch(200, entities: 20, seed: 9))
    #expect(tracker.stayCount == 0)
    #expect(try tracker.hasCapacity(for: FenceSet(boxes(40))))
    let unlimited = try FenceTracker(FenceSet(apart), stayLimit: .max)
    _ = unlimited.update(batch(200, entities: 20, seed: 9))
    unlimited.replace(try FenceSet(boxes(100)))
    // Unchanged fences and changed fences, each separately.
    let needed = unlimited.stayCount
    #expect(needed > 0 && needed == unlimited.entities.reduce(0) { $0 + $1.stays.count })
    for (limit, fits) in [(needed, true), (needed - 1, false)] {
      let other = try FenceTracker(FenceSet(apart), stayLimit: limit)
      _ = other.update(batch(200, entities: 20, seed: 9))
      #expect(try other.hasCapacity(for: FenceSet(boxes(100))) == fits)
      let same = try FenceTracker(FenceSet(boxes(100)), stayLimit: limit)
      _ = same.update(batch(200, entities: 20, seed: 9))
      #expect(try same.hasCapacity(for: FenceSet(boxes(100))))
    }
  }
}
