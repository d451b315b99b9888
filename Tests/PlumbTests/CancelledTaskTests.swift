import Plumb
import PlumbTestSupport
import Testing

/// Tasks that are cancelled at many moments: the result is complete or an error.
@Suite(.serialized) struct CancelledTaskTests {
  private static let points: (x: [Double], y: [Double]) = {
    var generator = SeededGenerator(seed: 71)
    return (
      (0..<200_000).map { _ in Double.random(in: 18.3...18.95, using: &generator) },
      (0..<200_000).map { _ in Double.random(in: -34.3 ... -33.7, using: &generator) }
    )
  }()

  private func check<Value: Equatable & Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws {
    let whole = try await work()
    var seconds = Double.infinity
    for _ in 0..<3 {
      let start = ContinuousClock.now
      #expect(try await work() == whole)
      seconds = min(seconds, (ContinuousClock.now - start) / .seconds(1))
    }
    var moments = RandomMoments(seed: 73, seconds: seconds)
    while moments.needsMore(10) {
      // With the default priority, the task would wait until the other tests' tasks have run.
      let task = Task.detached(priority: .high) { try await work() }
      try await Task.sleep(for: .seconds(moments.next()))
      task.cancel()
      switch await task.result {
      case .success(let value):
        moments.record(wasStrike: false)
        #expect(value == whole)
      case .failure(let error):
        moments.record(wasStrike: true)
        #expect(error is CancellationError)
      }
    }
    #expect(moments.areStrikes, "\(moments.strikes) of \(moments.count)")
    #expect(try await work() == whole)
  }

  @Test func valuesOfRasters() async throws {
    let identifiers = try ["evi_cape_town.tif", "ndvi_cape_town_3857.tif"].map { name in
      try RasterIdentifier(
        [try Raster.open(TestPaths.rasters + "/" + name)], reference: .wgs84)
    }
    let (x, y) = Self.points
    for identifier in identifiers {
      try await check {
        let column = try await identifier.identify(x: x, y: y)[0].columns[0]
        return x.indices.map { column[$0]?.real }
      }
    }
  }

  @Test func resultsOfMaps() async throws {
    let map = try Map.open(path: TestPaths.rasters + "/cape.json")
    let (x, y) = (Array(Self.points.x.prefix(400)), Array(Self.points.y.prefix(400)))
    try await check {
      try await map.identify(atEach: x, y, IdentifyOptions(tolerance: .metres(2000)))
        .map { "\($0.map { "\($0.layerContent.name) \($0.geoElements)" })" }
    }
  }
}
