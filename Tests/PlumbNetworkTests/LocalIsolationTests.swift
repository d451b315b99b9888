import PlumbCore
import PlumbNetwork
import PlumbTestSupport
import Testing

/// Compares isolations that search only near the start with isolations that flood the whole
/// network. If the network contains a disconnected one-way pipe, all of it is flooded.
@Suite struct LocalIsolationTests {
  /// A grid of streets with gaps, with valves, gates that have terminals, stations and closed
  /// pipes.
  private func grid(
    _ random: inout SeededGenerator, side: Int, valves: Double, gaps: Double, stations: Int,
    hasOneWayPipe: Bool
  ) throws -> UtilityNetwork {
    var builder = try NetworkBuilder(TestNetwork.definition())
    func point(_ x: Int, _ y: Int) -> SIMD2<Double> { SIMD2(Double(x), Double(y)) }
    var supplied: Set<Int> = []
    while supplied.count < stations {
      supplied.insert(Int.random(in: 0..<side * side, using: &random))
    }
    for y in 0..<side {
      for x in 0..<side {
        let isStation = supplied.contains(y * side + x)
        try builder.add(
          NetworkJunction(
            sourceID: isStation ? TestNetwork.device : TestNetwork.junction,
            globalID: isStation ? "C\(x),\(y)" : "\(x),\(y)", assetGroup: 1, assetType: 1,
            point: point(x, y), controllers: isStation ? [TestNetwork.controller()] : []))
      }
    }
    var pipes = 0
    func pipe(
      _ a: SIMD2<Double>, _ b: SIMD2<Double>, from: EdgeEnd = EdgeEnd(), to: EdgeEnd = EdgeEnd()
    )
      throws
    {
      pipes += 1
      let isClosed = Double.random(in: 0..<1, using: &random) < 0.02
      try builder.add(
        NetworkEdge(
          sourceID: TestNetwork.pipe, globalID: "p\(pipes)", assetGroup: 1, assetType: 1,
          vertices: [a, b],
          attributes: TestNetwork.attributes(["status": .integer(isClosed ? 1 : 0)]), from: from,
          to: to))
    }
    for y in 0..<side {
      for x in 0..<side {
        for (toX, toY) in [(x + 1, y), (x, y + 1)] where toX < side && toY < side {
          if Double.random(in: 0..<1, using: &random) < gaps { continue }
          let (a, b) = (point(x, y), point(toX, toY))
          guard Double.random(in: 0..<1, using: &random) < valves else {
            try pipe(a, b)
            continue
          }
          let isGate = Bool.random(using: &random)
          let middle = (a + b) / 2
          let valve = ElementName(sourceID: TestNetwork.device, globalID: "v\(x),\(y),\(toX)")
          try builder.add(
            NetworkJunction(
              sourceID: valve.sourceID, globalID: valve.globalID, assetGroup: 1,
              assetType: (isGate ? TestNetwork.Device.gate : .valve).rawValue, point: middle,
              terminalPath: isGate && Int.random(in: 0..<8, using: &random) == 0 ? "Closed" : nil))
          try pipe(a, middle, to: EdgeEnd(valve, terminalID: isGate ? 1 : nil))
          try pipe(middle, b, from: EdgeEnd(valve, terminalID: isGate ? 2 : nil))
        }
      }
    }
    if hasOneWayPipe {
      for x in [-10, -11] {
        try builder.add(
          NetworkJunction(
            sourceID: TestNetwork.junction, globalID: "\(x)", assetGroup: 1, assetType: 1,
            point: point(x, 0)))
      }
      try builder.add(
        NetworkEdge(
          sourceID: TestNetwork.pipe, globalID: "apart", assetGroup: 1, assetType: 1,
          vertices: [point(-10, 0), point(-11, 0)], flow: .forward))
    }
    return try builder.build()
  }

  /// All of an isolation's results, as text.
  private func text(_ result: UtilityTraceResult, _ network: UtilityNetwork) throws -> [String] {
    let isolation = try #require(result.isolation)
    return [
      network.texts(result.elements).sorted().joined(separator: " "),
      isolation.isolating.map { "\(network.text($0.location)) \($0.reason)" }.joined(
        separator: ";"),
      isolation.boundingOnly.map { "\(network.text($0.location)) \($0.reason)" }
        .joined(separator: ";"),
      isolation.isolated.map(network.text).joined(separator: " "),
      isolation.lost.map { "\($0.sourceID) \($0.assetType) \($0.count)" }.joined(separator: ";"),
      network.texts(isolation.controllersNotIsolated).sorted().joined(separator: " "),
      result.warnings.joined(separator: ";"),
    ]
  }

  @Test(arguments: [
    (side: 24, valves: 0.6, gaps: 0.05, stations: 2),
    (side: 30, valves: 0.35, gaps: 0.45, stations: 2),
    (side: 20, valves: 0.7, gaps: 0.3, stations: 8),
    (side: 32, valves: 0.5, gaps: 0.4, stations: 1),
  ])
  func localAndWholeSearchesAgree(side: Int, valves: Double, gaps: Double, stations: Int) throws {
    var random = SeededGenerator(seed: UInt64(side))
    var again = random
    let network = try grid(
      &random, side: side, valves: valves, gaps: gaps, stations: stations, hasOneWayPipe: false)
    let whole = try grid(
      &again, side: side, valves: valves, gaps: gaps, stations: stations, hasOneWayPipe: true)
    var configuration = TraceConfiguration.isolating
    var (isolated, uncut, failed) = (0, 0, 0)
    for round in 0..<120 {
      // Closed pipes are barriers in every other round.
      configuration.traversability.barriers =
        round % 2 == 0 ? nil : .attribute("operable", .equal, .value(.integer(1)))
      let x = Int.random(in: 0..<side, using: &random)
      let y = Int.random(in: 0..<side, using: &random)
      let name = "\(x),\(y)"
      guard (try? network.element(globalID: name)) != nil else { continue }
      func isolate(_ network: UtilityNetwork) throws -> [String] {
        let parameters = UtilityTraceParameters.test(
          .isolation, [try network.location(name)], configuration)
        do {
          return try text(try network.trace(parameters), network)
        } catch let error as NetworkError {
          return [error.message]
        }
      }
      let (near, far) = (try isolate(network), try isolate(whole))
      #expect(near == far, "start \(name)")
      if near.count == 1 {
        failed += 1
      } else if !near[5].isEmpty {
        uncut += 1
      } else {
        isolated += 1
      }
    }
    #expect(isolated > 20)
    #expect(isolated + uncut + failed > 80)
  }
}
