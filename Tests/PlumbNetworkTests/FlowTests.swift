import PlumbCore
import PlumbNetwork
import PlumbTestSupport
import Synchronization
import Testing

/// Directions, tiers, segments, paths and threads.
@Suite struct FlowTests {
  private func found(
    _ type: TraceType, _ network: UtilityNetwork, _ start: String,
    _ change: (inout UtilityTraceParameters) throws -> Void = { _ in }
  ) throws -> Set<String> {
    var parameters = UtilityTraceParameters.test(
      type, [try network.location(start)], TraceConfiguration())
    try change(&parameters)
    return network.texts(try network.trace(parameters).elements)
  }

  @Test func sourcesSupplyAndSinksDrain() throws {
    var sketch = Sketch(
      """
      C--a--s--b
         |
         e
      """)
    let source = try sketch.network()
    #expect(try found(.upstream, source, "s") == ["C", "C-a", "a", "a-s", "s"])
    #expect(try found(.downstream, source, "s") == ["s", "s-b", "b"])
    sketch.definition = TestNetwork.definition(controllerType: .sink)
    let sink = try sketch.network()
    #expect(try found(.downstream, sink, "s") == ["C", "C-a", "a", "a-s", "s"])
    #expect(try found(.upstream, sink, "s") == ["s", "s-b", "b"])
    // One-way pipes: they drain toward a sink, but nothing flows from the sink.
    sketch = Sketch("C<<a<<s<<b")
    sketch.definition = TestNetwork.definition(controllerType: .sink)
    let drain = try sketch.network()
    #expect(try found(.upstream, drain, "s") == ["s", "s-b", "b"])
    #expect(try found(.downstream, drain, "s") == ["C", "C-a", "a", "a-s", "s"])
  }

  @Test func indeterminateFlowIsLeftOutWithAWarning() throws {
    let network = try Sketch(
      """
      C--a---b--s
         |   |
         d---e
      """
    ).network()
    let all: Set<String> = [
      "C", "C-a", "a", "a-b", "b", "b-s", "s", "a-d", "d", "d-e", "e", "b-e",
    ]
    #expect(try found(.upstream, network, "s") == all)
    var parameters = UtilityTraceParameters.test(
      .upstream, [try network.location("s")], TraceConfiguration())
    parameters.traceConfiguration?.allowIndeterminateFlow = false
    let result = try network.trace(parameters)
    #expect(
      network.texts(result.elements) == ["C", "C-a", "a", "a-b", "a-d", "b", "d", "b-s", "s"])
    #expect(network.texts(result.possible) == ["d-e", "e", "b-e"])
    #expect(result.warnings.contains { $0.contains("indeterminate") })
  }

  @Test func flowThroughAOneWayElementBetweenSourcesIsCertain() throws {
    let network = try Sketch(
      """
      C1--a--c>>l--C2
          |
          b
      """
    ).network()
    for allows in [true, false] {
      for (type, start, wanted) in [
        (TraceType.upstream, "a", ["C1", "C1-a", "a"]),
        (.upstream, "c", ["C1", "C1-a", "a", "a-c", "c"]),
        (.downstream, "c", ["c", "c-l", "l"]),
        (.downstream, "a", ["a", "a-b", "b", "a-c", "c", "c-l", "l"]),
      ] {
        var parameters = UtilityTraceParameters.test(
          type, [try network.location(start)], TraceConfiguration())
        parameters.traceConfiguration?.allowIndeterminateFlow = allows
        let result = try network.trace(parameters)
        #expect(network.texts(result.elements) == Set(wanted), "\(type) from \(start)")
        #expect(result.possible.isEmpty && result.warnings.isEmpty)
      }
    }
  }

  @Test func theClosedElementIsNamedWhereNoControllerIsReached() throws {
    var sketch = Sketch("C--v1--s--v2--b")
    sketch.attributes = ["v1": ["status": .integer(1)]]
    let network = try sketch.network()
    var parameters = UtilityTraceParameters.test(
      .subnetwork, [try network.location("s")], TraceConfiguration())
    parameters.traceConfiguration?.traversability.barriers = .attribute(
      "status", .equal, .value(.integer(1)))
    let error = #expect(throws: NetworkError.self) { try network.trace(parameters) }
    #expect(error?.kind == .noControllers)
    #expect(error?.message.hasSuffix("the path ends at device:v1, which is closed") == true)
  }

  @Test func partitionedTiersStopAtAnyControllerAndHierarchicalOnesAtTheirOwn() throws {
    var sketch = Sketch("C1--a--C2--b--s")
    sketch.tiers = ["C1": 1, "C2": 2]
    let partitioned = try sketch.network()
    #expect(throws: NetworkError.self) { try found(.subnetwork, partitioned, "s") }
    #expect(try found(.subnetwork, partitioned, "a") == ["C1", "C1-a", "a", "a-C2", "C2"])
    sketch.definition = TestNetwork.definition(tierDefinition: .hierarchical)
    let hierarchical = try sketch.network()
    let all: Set<String> = ["C1", "C1-a", "a", "a-C2", "C2", "C2-b", "b", "b-s", "s"]
    #expect(try found(.subnetwork, hierarchical, "s") == all)
    #expect(
      try found(.subnetwork, hierarchical, "s") { $0.targetTier = "Transmission" }
        == all)
    #expect(
      try found(.subnetworkControllers, hierarchical, "s") { $0.targetTier = "Transmission" }
        == ["C2"])
  }

  @Test func tiersAreNamedRegardlessOfCase() throws {
    let network = try Sketch("C--a--b").network()
    let all = try found(.subnetwork, network, "a")
    #expect(all.count == 5)
    for name in ["Distribution", "distribution", "DISTRIBUTION"] {
      #expect(try found(.subnetwork, network, "a") { $0.tier = name } == all)
    }
    for name in ["Distributio", "Distributions", ""] {
      #expect(throws: NetworkError.self) {
        try found(.subnetwork, network, "a") { $0.tier = name }
      }
    }
  }

  @Test func theTiersConfigurationIsTheDefault() throws {
    var configuration = TraceConfiguration()
    configuration.outputCondition = .category("Service")
    var sketch = Sketch("C--a--m1")
    sketch.definition = TestNetwork.definition(configuration: configuration)
    let network = try sketch.network()
    #expect(try found(.subnetwork, network, "a") { $0.traceConfiguration = nil } == ["m1"])
    #expect(try found(.subnetwork, network, "a").count == 5)
  }

  @Test func currentPathsJoinTerminals() throws {
    var sketch = Sketch("C--w1--s")
    sketch.terminalPaths = ["w1": "Closed"]
    let network = try sketch.network()
    #expect(throws: NetworkError.self) { try found(.subnetwork, network, "s") }
    #expect(try found(.connected, network, "s") == ["C", "C-w1", "w1:1", "w1:2", "w1-s", "s"])
    let error = try #require(throws: NetworkError.self) { try found(.connected, network, "w1") }
    #expect(error.kind == .terminalMissing)
    #expect(error.message.contains("1 (a), 2 (b)"))
  }

  @Test func equalPathsGoByElementOrder() throws {
    let network = try Sketch(
      """
      s--a--e
      |     |
      b-----d
      """
    ).network()
    var sketch = Sketch(
      """
      s--a--t
      |     |
      x-----y
      """)
    sketch.attributes = [
      "s-a": ["length": .integer(1)], "a-t": ["length": .integer(1)],
      "s-x": ["length": .integer(0)], "x-y": ["length": .integer(2)],
      "t-y": ["length": .integer(0)],
    ]
    func path(_ network: UtilityNetwork, _ from: String, _ to: String) throws
      -> (Set<String>, Double?)
    {
      var parameters = UtilityTraceParameters.test(
        .shortestPath, [try network.location(from), try network.location(to)], TraceConfiguration())
      parameters.traceConfiguration?.shortestPathAttribute = "length"
      let result = try network.trace(parameters)
      return (network.texts(result.elements), result.pathCost)
    }
    let plain = try path(network, "s", "e")
    #expect(plain.0 == ["s", "s-a", "a", "a-e", "e"] && plain.1 == 4)
    // The same length with more steps.
    let tied = try path(sketch.network(), "s", "t")
    #expect(tied.0 == ["s", "s-a", "a", "a-t", "t"] && tied.1 == 2)
  }

  @Test func edgesWithoutACostAreNoWayAndAreNamed() throws {
    var sketch = Sketch(
      """
      s--a--t
      |     |
      x-----y
      """)
    sketch.attributes = ["a-t": ["length": .null]]
    var network = try sketch.network()
    var parameters = UtilityTraceParameters.test(
      .shortestPath, [try network.location("s"), try network.location("t")], TraceConfiguration())
    parameters.traceConfiguration?.shortestPathAttribute = "length"
    let result = try network.trace(parameters)
    #expect(network.texts(result.elements) == ["s", "s-x", "x", "x-y", "y", "t-y", "t"])
    #expect(result.warnings == ["pipe:a-t has no length: it was skipped"])
    sketch.attributes = ["a-t": ["length": .null], "x-y": ["length": .null]]
    network = try sketch.network()
    #expect {
      _ = try network.trace(parameters)
    } throws: { error in
      "\(error)".contains("no path joins") && "\(error)".contains("2 edges have no length")
    }
  }

  @Test func segmentsBetweenValves() throws {
    let network = try Sketch("a--v1--b--v2--v3--d").network()
    let segments = try network.segments(filterBarriers: .category("Isolating"))
    func ids(_ elements: some Collection<NetworkElement>) -> [String] {
      elements.map { network.globalID(of: $0) }
    }
    let texts = (0..<segments.count).map { piece in
      "\(ids(segments.junctions(of: piece))) \(ids(segments.edges(of: piece))) "
        + "\(segments.valves(of: piece).map(network.text))"
    }
    #expect(
      texts == [
        #"["a"] ["a-v1"] ["v1"]"#, #"["b"] ["b-v2", "v1-b"] ["v1", "v2"]"#,
        #"["d"] ["v3-d"] ["v3"]"#, #"[] ["v2-v3"] ["v2", "v3"]"#,
      ])
    let cutSegments = try network.segments(
      filterBarriers: nil, locations: [try network.location("v1-b", at: 0.5)])
    #expect(cutSegments.count == 2)
    #expect(ids(cutSegments.junctions(of: 0)) == ["v1", "a"])
    #expect(ids(cutSegments.edges(of: 0)) == ["a-v1", "v1-b"])
    #expect(cutSegments.valves(of: 1).map(network.text) == ["v1-b@0.5"])
  }

  /// The piece that contains a start is what an isolation from there reaches if everything
  /// conducts.
  @Test func segmentsAreTheRegionsOfIsolations() throws {
    var random = SeededGenerator(seed: 70)
    var compared = 0
    for _ in 0..<300 {
      let naive = NaiveNetwork(&random, isUndirected: true, hasCuts: false)
      let network = try naive.network(&random)
      let segments = try network.segments(filterBarriers: .category("Isolating"))
      var pieces: [Set<String>] = []
      for piece in 0..<segments.count {
        let elements = Array(segments.junctions(of: piece)) + Array(segments.edges(of: piece))
        pieces.append(Set(elements.map { network.globalID(of: $0) }))
      }
      #expect(pieces.map(\.count).reduce(0, +) >= naive.pipes.filter { !$0.isHose }.count)
      func plain(_ name: String) -> String { String(name.split(separator: ":")[0]) }
      for (index, vertex) in naive.vertices.enumerated() where !vertex.isFilter {
        let region = naive.reachable([index], along: true, against: true, any: true) {
          naive.vertices[$0].isFilter
        }
        let names = Set(
          region.filter { !naive.vertices[$0].isFilter }.map { plain(naive.vertices[$0].name) })
        #expect(pieces.contains(names))
        compared += 1
      }
    }
    #expect(compared > 2000)
  }

  @Test func threadsTraceOneNetworkAtOnce() throws {
    var random = SeededGenerator(seed: 71)
    let naive = NaiveNetwork(&random, isUndirected: false, hasCuts: false)
    let network = try naive.network(&random)
    let starts = try naive.devices.filter { NaiveNetwork.terminals($0.sort) == 1 }
      .map { try network.location($0.name) }
    let kinds: [TraceType] = [.connected, .subnetwork, .upstream, .downstream, .loops, .isolation]
    @Sendable func traceText(_ index: Int) -> String {
      let type = kinds[index % kinds.count]
      let start = starts[index / kinds.count % starts.count]
      let parameters = UtilityTraceParameters.test(type, [start], .isolating)
      do {
        let result = try network.trace(parameters)
        return "\(result.elements.map(network.text)) \(result.warnings)"
      } catch { return "\(error)" }
    }
    let count = kinds.count * starts.count
    let expected = (0..<count).map(traceText)
    let wrong = Mutex(0)
    Workers(count: 4).run(count * 50) { _, job in
      if traceText(job % count) != expected[job % count] { wrong.withLock { $0 += 1 } }
    }
    #expect(wrong.withLock { $0 } == 0)
  }

  @Test func severalTasksTraceAtOnce() async throws {
    let network = try Sketch("C--a--v--b--c").network()
    let kinds: [TraceType] = [.connected, .subnetwork, .upstream, .downstream, .loops]
    let starts = try ["a", "b", "c"].map { try network.location($0) }
    let parameters = kinds.flatMap { kind in
      starts.map { UtilityTraceParameters.test(kind, [$0], .isolating) }
    }
    func text(_ trace: () throws -> UtilityTraceResult) -> String {
      do {
        let result = try trace()
        return "\(result.elements.map(network.text)) \(result.warnings)"
      } catch { return "\(error)" }
    }
    let expected = parameters.map { traceParameters in text { try network.trace(traceParameters) } }
    #expect(Set(expected).count > 1)
    let tasks = (0..<8).map { _ in
      Task.detached {
        var results: [Result<UtilityTraceResult, any Error>] = []
        for traceParameters in parameters {
          do { results.append(.success(try await network.traceResult(of: traceParameters))) } catch
          {
            results.append(.failure(error))
          }
        }
        return results
      }
    }
    for task in tasks {
      let found = await task.value
      #expect(found.map { traceParameters in text { try traceParameters.get() } } == expected)
    }
    let cancelled = Task.detached {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await network.traceResult(of: parameters[0])
    }
    await #expect(throws: CancellationError.self) { _ = try await cancelled.value }
  }

  @Test func geometryOfWhatWasReached() throws {
    let network = try Sketch("C----a").network()
    var parameters = UtilityTraceParameters.test(
      .subnetwork, [try network.location("C")], TraceConfiguration())
    parameters.barriers = [try network.location("C-a", at: 0.5)]
    parameters.returnsGeometry = true
    let geometry = try #require(try network.trace(parameters).geometry)
    #expect(geometry.multipoint?.vertices.xy == [[0, 0]])
    #expect(geometry.polyline?.vertices.xy == [[0, 0], [2.5, 0]])
  }
}
