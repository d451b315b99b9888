import PlumbCore
import PlumbGeometry
import PlumbTestSupport
import Testing

@testable import PlumbGeotriggers

/// Compares all events of seeded tracks with a separate state machine that computes distances
/// separately.
@Suite struct BruteForceTests {
  struct World: Sendable, CustomTestStringConvertible {
    var name: String
    var centre: SIMD2<Double>
    var extent: SIMD2<Double>

    var testDescription: String { name }
  }

  static let worlds = [
    World(name: "a town", centre: [18.4, -33.9], extent: [0.01, 0.01]),
    World(name: "the 180th meridian", centre: [179.999, 12], extent: [0.02, 0.02]),
    World(name: "a continent", centre: [-100, 40], extent: [20, 15]),
    World(name: "the north pole", centre: [10, 89.95], extent: [180, 0.05]),
    World(name: "near the south pole", centre: [-170, -89.5], extent: [60, 0.4]),
  ]

  private func check(
    _ world: World, _ fences: [Fence], buffer: Double, _ rules: FenceRules, _ batch: LocationBatch,
    minimum: Int
  ) throws {
    let brute = BruteForce(rules, buffer: buffer)
    try brute.use(fences)
    brute.process(batch)
    let set = try FenceSet(fences, bufferDistance: buffer)
    #expect(set.warnings.isEmpty)
    let updates = try FenceTracker(set, rules, workers: Workers(count: 2)).update(batch)
    let found = updates.found(fences)
    let isEqual = found == brute.found
    let first = zip(found, brute.found).first { $0 != $1 }
    #expect(
      isEqual,
      "\(world) \(buffer): \(found.count) \(brute.found.count) \(String(describing: first))")
    #expect(updates.issues.map(\.row) == brute.ignored)
    #expect(brute.doubtful == 0, "another seed is needed")
    #expect(brute.found.count >= minimum, "\(brute.found.count) events")
    let shapes = try fences.map { try BruteDistance($0.geometry) }
    for event in updates.events.prefix(200) {
      let point = SIMD2(batch.x[event.row], batch.y[event.row])
      let expected = shapes[event.fence].distance(point)
      #expect((event.distance - expected).magnitude < 1e-6 + 1e-9 * expected)
    }
  }

  @Test("Inside an area or on its border without a buffer", arguments: worlds)
  func areas(_ world: World) throws {
    var source = FenceWorld(seed: 11, centre: world.centre, extent: world.extent)
    let fences = source.fences(40, [.area, .holed, .parts, .box])
    let batch = source.batch(1200, entities: 7)
    try check(world, fences, buffer: 0, FenceRules(), batch, minimum: 150)
  }

  @Test("Within a geodesic distance of points, lines and areas", arguments: worlds)
  func buffers(_ world: World) throws {
    var source = FenceWorld(seed: 12, centre: world.centre, extent: world.extent)
    let fences = source.fences(24, FenceWorld.Kind.allCases)
    let batch = source.batch(400, entities: 5)
    let earth = Geodesic(.wgs84)
    let height = earth.distance(
      from: world.centre, to: world.centre - SIMD2(0, world.extent.y / 2))
    for part in [0.02, 0.3] {
      try check(world, fences, buffer: height * part, FenceRules(), batch, minimum: 30)
    }
  }

  @Test("Discs: points with a buffer, areas without", arguments: worlds)
  func discs(_ world: World) throws {
    var source = FenceWorld(seed: 13, centre: world.centre, extent: world.extent)
    let earth = Geodesic(.wgs84)
    let height = earth.distance(
      from: world.centre, to: world.centre - SIMD2(0, world.extent.y / 2))
    let areas = source.fences(24, [.area, .holed, .parts, .box])
    let points = source.fences(24, [.point])
    let batch = source.batch(
      300, entities: 4,
      accuracies: [.nan, -1, 0, height * 0.02, height * 0.1, height * 0.3, height])
    for relationship in FenceEnterExitRelationship.allCases {
      var rules = FenceRules()
      rules.feedAccuracyMode = .useGeometryWithAccuracy
      rules.relationship = relationship
      try check(world, areas, buffer: 0, rules, batch, minimum: 8)
      try check(world, points, buffer: height * 0.5, rules, batch, minimum: 8)
    }
  }

  @Test("Discs in buffers of lines and areas", arguments: worlds.prefix(2))
  func discsInBuffers(_ world: World) throws {
    var source = FenceWorld(seed: 14, centre: world.centre, extent: world.extent)
    let fences = source.fences(8, [.line, .area, .holed, .parts, .point])
    let batch = source.batch(60, entities: 3, accuracies: [.nan, 20, 90, 150])
    for relationship in FenceEnterExitRelationship.allCases {
      var rules = FenceRules()
      rules.feedAccuracyMode = .useGeometryWithAccuracy
      rules.relationship = relationship
      try check(world, fences, buffer: 150, rules, batch, minimum: 3)
    }
  }

  @Test("Rules, dwell, cooldown, first fixes and forgetting in all combinations")
  func combinations() throws {
    let world = Self.worlds[0]
    var source = FenceWorld(seed: 15, centre: world.centre, extent: world.extent)
    let fences = source.fences(12, [.area, .holed, .parts, .box])
    let batch = source.batch(200, entities: 6)
    for rule in FenceRuleType.allCases {
      for dwell in [nil, 0, 12.0] {
        for cooldown in [nil, 0, 20.0] {
          for firesInitially in [true, false] {
            for forgetsAfter in [nil, 15.0] {
              var rules = FenceRules()
              (rules.rule, rules.dwell, rules.cooldown) = (rule, dwell, cooldown)
              (rules.firesInitially, rules.forgetsAfter) = (firesInitially, forgetsAfter)
              try check(world, fences, buffer: 0, rules, batch, minimum: 3)
            }
          }
        }
      }
    }
  }

  @Test("Fences that move, appear and vanish between batches keep the state", arguments: worlds)
  func movingFences(_ world: World) throws {
    for buffer in [0.0, 40] {
      var source = FenceWorld(seed: 16, centre: world.centre, extent: world.extent)
      var fences = source.fences(30, [.area, .holed, .box])
      let rules = FenceRules()
      let brute = BruteForce(rules, buffer: buffer)
      let tracker = try FenceTracker(FenceSet(fences, bufferDistance: buffer), rules)
      var found: [BruteForce.Found] = []
      for round in 0..<20 {
        if round > 0 {
          for index in fences.indices where Bool.random(using: &source.random) {
            fences[index] = source.fence(fences[index].id, .area)
          }
          fences.shuffle(using: &source.random)
          if round % 3 == 0 { fences.removeLast(3) }
          if round % 4 == 0 {
            fences += ["x\(round)", "y\(round)"].map { source.fence($0, .holed) }
          }
          let former = tracker.fences.fences
          let updates = tracker.replace(try FenceSet(fences, bufferDistance: buffer))
          try brute.use(fences)
          #expect(updates.found(fences, former) == brute.removeReplaced(), "\(world.name) \(round)")
        } else {
          try brute.use(fences)
        }
        let batch = source.batch(60, entities: 5, from: Int64(round) * 100_000)
        brute.process(batch, offset: round * 60)
        found += tracker.update(batch).found(fences, offset: round * 60)
      }
      #expect(found == brute.found, "\(world.name) \(buffer)")
      #expect(brute.found.count > 100 && brute.doubtful == 0)
    }
  }
}
