import PlumbCore
import PlumbGeometry
import Testing

@testable import PlumbGeotriggers

/// Small maps and their events.
@Suite struct SequenceTests {
  @Test("In, through and out, by rule")
  func rules() throws {
    let map = FenceMap(
      """
      aaaaaaa
      a0 1 2a 3 bbbb
      aaaaaaa   b45b
                bbbb 6
      """)
    let all = ["0 entered a", "3 exited a", "4 entered b", "6 exited b"]
    var rules = FenceRules()
    #expect(try map.events(rules) == all)
    rules.rule = .enter
    #expect(try map.events(rules) == ["0 entered a", "4 entered b"])
    rules.rule = .exit
    #expect(try map.events(rules) == ["3 exited a", "6 exited b"])
  }

  @Test("Entered, stayed, left")
  func plain() throws {
    let map = FenceMap(
      """
        aaaaa
      0 a1 2a 3
        aaaaa
      """)
    #expect(try map.events() == ["1 entered a", "3 exited a"])
  }

  @Test("At one fix all exits come before all enters, each in the order of the fences")
  func order() throws {
    let map = FenceMap(
      """
      bbbbbddddd
      b    dccc
      bb   dc 1c
      ba0 ad   d
      baaaadcccc
      bbbbbddddd
      """)
    #expect(
      try map.events() == [
        "0 entered a", "0 entered b", "1 exited a", "1 exited b", "1 entered c", "1 entered d",
      ])
  }

  @Test("A silent first fix keeps the state")
  func silentStart() throws {
    let map = FenceMap(
      """
      aaaaa
      a0 1a  2   bbb
      aaaaa   3  b4b
                 bbb
      """)
    var rules = FenceRules()
    rules.firesInitially = false
    #expect(try map.events(rules) == ["2 exited a", "4 entered b"])
  }

  @Test("Dwelt is reported once per stay, at the first fix after the time")
  func dwell() throws {
    let map = FenceMap(
      """
      aaaaaaaaa
      a0 1 2 3a 4
      a5 6 7 8a 9
      aaaaaaaaa
      """)
    var rules = FenceRules()
    rules.dwell = 2
    #expect(
      try map.events(rules) == [
        "0 entered a", "2 dwelt a", "4 exited a", "5 entered a", "7 dwelt a", "9 exited a",
      ])
    rules.dwell = 2.001
    #expect(
      try map.events(rules) == [
        "0 entered a", "3 dwelt a", "4 exited a", "5 entered a", "8 dwelt a", "9 exited a",
      ])
  }

  @Test("A cooldown suppresses events of a pair and keeps its state")
  func cooldown() throws {
    let map = FenceMap(
      """
      aaa
      a0a 1
      a2a 3
      a4a 5
      a6a 7
      aaa
      """)
    var rules = FenceRules()
    rules.cooldown = 3
    #expect(try map.events(rules) == ["0 entered a", "3 exited a", "6 entered a"])
    rules.cooldown = 100
    #expect(try map.events(rules) == ["0 entered a"])
  }

  @Test("Fences passed between two locations are crossed, before the events at the fix")
  func crossings() throws {
    let map = FenceMap(
      """
          aa   bb   cccc
      0   aa   bb   c1 c   2
          aa   bb   cccc
      """)
    #expect(try map.events() == ["1 entered c", "2 exited c"])
    var rules = FenceRules()
    rules.reportsCrossings = true
    #expect(
      try map.events(rules) == ["1 crossed a", "1 crossed b", "1 entered c", "2 exited c"])
    let events = try FenceTracker(FenceSet(map.fences), rules).update(map.batch).events
    // From column 0 to column 15 in one second; a's borders are at 3.5 and 5.5, c's first at 13.5.
    let last = 15.0
    func time(_ column: Double) -> Int64 { Int64((column / last * 1000).rounded()) }
    #expect(events[0].time == time(3.5) && events[0].passage?.time == time(3.5))
    #expect(events[0].secondPassage?.time == time(5.5))
    #expect(events[1].time == time(8.5) && events[1].secondPassage?.time == time(10.5))
    #expect(events[2].time == 1000 && events[2].passage?.time == time(13.5))
    #expect(((events[0].passage?.x ?? 0) - 3.5e-4).magnitude < 1e-9)
    #expect(((events[2].passage?.x ?? 0) - 13.5e-4).magnitude < 1e-9)
    #expect(events[3].passage.map { $0.time > 1000 && $0.time < 2000 } == true)
  }

  @Test("Left and entered again between two locations is crossed")
  func leftAndBack() throws {
    var hole = Polygon(
      VertexList([
        [0, 0], [0, 1e-3], [3e-3, 1e-3], [3e-3, 0], [0, 0],
        [1e-3, 2e-4], [2e-3, 2e-4], [2e-3, 8e-4], [1e-3, 8e-4], [1e-3, 2e-4],
      ]), ringEnds: [5, 10])
    hole.spatialReference = .wgs84
    var batch = LocationBatch()
    (batch.entity, batch.time) = ([0, 0], [0, 3000])
    (batch.x, batch.y) = ([5e-4, 2.5e-3], [5e-4, 5e-4])
    var rules = FenceRules()
    rules.reportsCrossings = true
    let events = try FenceTracker(
      FenceSet([Fence(id: "h", geometry: .polygon(hole))]), rules
    ).update(batch).events
    #expect(events.map(\.type) == [.entered, .crossed])
    #expect(events[1].time == 750 && events[1].secondPassage?.time == 2250)
  }

  @Test("Late fixes and invalid locations change nothing and are reported by row")
  func issues() throws {
    let map = FenceMap("aaa\na0a 1\naaa")
    var batch = LocationBatch()
    let (x, y) = (map.batch.x, map.batch.y)
    batch.entity = [3, 3, 3, 3, 3, 3, -2]
    batch.time = [5000, 4999, 5000, 6000, 7000, 8000, 9000]
    batch.x = [x[0], x[1], x[1], .nan, x[0], 361, x[0]]
    batch.y = [y[0], y[1], y[1], y[0], .infinity, y[0], y[0]]
    batch.index = [10, 20, 30, 40, 50, 60, 70]
    let updates = try FenceTracker(FenceSet(map.fences)).update(batch)
    #expect(updates.events.map(\.index) == [10, 30])
    #expect(updates.events.map(\.type) == [.entered, .exited])
    #expect(updates.events[1].since == 5000)
    #expect(updates.issues.map(\.index) == [20, 40, 50, 60, 70])
    #expect(
      updates.issues.map(\.kind) == [
        .late(than: 5000), .badPoint, .badPoint, .badPoint, .badEntity,
      ])
  }

  @Test("The smallest and largest times do not trap")
  func extremeTimes() throws {
    let map = FenceMap("aaa\na0a 1\naaa")
    var batch = LocationBatch()
    batch.entity = [0, 0, 1, 1]
    batch.time = [.min, .max, .min, .max]
    (batch.x, batch.y) = (map.batch.x + map.batch.x, map.batch.y + map.batch.y)
    var rules = FenceRules()
    (rules.dwell, rules.cooldown, rules.forgetsAfter) = (1e300, 1, 1e300)
    rules.reportsCrossings = true
    let events = try FenceTracker(FenceSet(map.fences), rules).update(batch).events
    #expect(events.map(\.type) == [.entered, .exited, .entered, .exited])
  }

  @Test("Silent entities are forgotten: their states are removed, and their next fix is the first")
  func forgetting() throws {
    let map = FenceMap("aaa\na0a 1\naaa")
    var rules = FenceRules()
    rules.forgetsAfter = 60
    let tracker = try FenceTracker(FenceSet(map.fences), rules)
    var maximum = 0
    var events = 0
    // Ten thousand entities, a thousand in a minute, each with one fix inside.
    for round in 0..<100 {
      var batch = LocationBatch()
      for row in 0..<100 {
        batch.entity.append(Int32(round * 100 + row))
        batch.time.append(Int64(round * 100 + row) * 60)
        batch.x.append(map.batch.x[0])
        batch.y.append(map.batch.y[0])
      }
      events += tracker.update(batch).events.count
      maximum = max(maximum, tracker.entityCount)
    }
    #expect(events == 10_000)
    #expect(maximum < 4000, "\(maximum) states")
    tracker.reset()
    #expect(tracker.entityCount == 0)
  }

  @Test("Omitting distances changes nothing else")
  func distances() throws {
    let map = FenceMap("aaa   bbb\na0a 1 b2b\naaa   bbb")
    var rules = FenceRules()
    let measured = try FenceTracker(FenceSet(map.fences), rules).update(map.batch).events
    rules.measuresDistances = false
    let others = try FenceTracker(FenceSet(map.fences), rules).update(map.batch).events
    #expect(measured.map(\.type) == [.entered, .exited, .entered])
    #expect(others.map(\.type) == measured.map(\.type))
    // One and a half cells of 0.0001° of longitude east of the border, on the equator.
    #expect((measured[1].distance - 1.5e-4 * 111_319.490_793).magnitude < 1e-3)
    #expect(others[1].distance.isNaN && others[2].distance == 0)
  }

  @Test("Reset forgets what entities are inside of")
  func reset() throws {
    let map = FenceMap("aaa\na0a\naaa")
    let tracker = try FenceTracker(FenceSet(map.fences))
    #expect(tracker.update(map.batch).events.map(\.type) == [.entered])
    #expect(tracker.update(map.batch).events.isEmpty)
    tracker.reset()
    #expect(tracker.update(map.batch).events.map(\.type) == [.entered])
  }
}
