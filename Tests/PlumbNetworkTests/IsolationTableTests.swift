import PlumbExpressions
import PlumbNetwork
import Testing

/// The table of isolations, with a drawing for each row: C is a source, v a valve, s the start.
@Suite struct IsolationTableTests {
  /// The names of the elements to close and of the isolated ones.
  private func isolate(
    _ sketch: Sketch, from starts: [String] = ["s"],
    _ change: (inout UtilityTraceParameters, UtilityNetwork) throws -> Void = { _, _ in }
  ) throws -> (network: UtilityNetwork, result: UtilityTraceResult, isolation: IsolationResult) {
    let network = try sketch.network()
    var parameters = UtilityTraceParameters.test(
      .isolation, try starts.map { try network.location($0) }, .isolating)
    try change(&parameters, network)
    let result = try network.trace(parameters)
    return (network, result, try #require(result.isolation))
  }

  private func closed(
    _ found: (network: UtilityNetwork, result: UtilityTraceResult, isolation: IsolationResult)
  ) -> [String] {
    found.isolation.isolating.map { found.network.text($0.location) }
  }

  private func lost(
    _ found: (network: UtilityNetwork, result: UtilityTraceResult, isolation: IsolationResult)
  ) -> Set<String> {
    found.network.texts(found.isolation.isolated)
  }

  @Test func oneSource() throws {
    let found = try isolate(Sketch("C--v1--s--v2--e"))
    #expect(closed(found) == ["v1"])
    #expect(lost(found) == ["v1-s", "s", "s-v2", "v2", "v2-e", "e"])
    #expect(found.isolation.boundingOnly.map { found.network.text($0.location) } == ["v2"])
    #expect(found.isolation.boundingOnly.map(\.reason) == [.suppliedThroughArea])
    #expect(found.isolation.isolating.map(\.reason) == [.suppliedFromBeyond])
    #expect(found.result.isSuccess)
    #expect(
      found.network.texts(found.result.elements)
        == ["v1", "v1-s", "s", "s-v2", "v2", "v2-e", "e"])
  }

  @Test func twoSources() throws {
    let found = try isolate(Sketch("C1--v1--s--v2--C2"))
    #expect(closed(found) == ["v1", "v2"])
    #expect(lost(found) == ["v1-s", "s", "s-v2"])
  }

  @Test func aLoopFromOneSource() throws {
    let found = try isolate(
      Sketch(
        """
        C--a---v1
           |   |
           v2--s
        """))
    #expect(closed(found) == ["v1", "v2"])
    #expect(lost(found) == ["v1-s", "s", "v2-s"])
  }

  @Test func noValveTowardTheSource() throws {
    let found = try isolate(Sketch("C--s--v1--e"))
    #expect(closed(found) == [])
    #expect(lost(found) == [])
    #expect(!found.result.isSuccess)
    #expect(found.network.texts(found.isolation.controllersNotIsolated) == ["C"])
    #expect(found.result.warnings.contains { $0.hasPrefix("NOT ISOLATED") && $0.contains("C") })
    #expect(found.isolation.boundingOnly.map(\.reason) == [.notIsolated])
    #expect(found.result.elements.isEmpty)
  }

  @Test func theValveNearestTheStart() throws {
    let found = try isolate(Sketch("C--v1--x--v2--s"))
    #expect(closed(found) == ["v2"])
    #expect(lost(found) == ["v2-s", "s"])
  }

  @Test func closedByACondition() throws {
    var sketch = Sketch("C--v1--s")
    sketch.attributes["v1"] = ["status": .integer(1)]
    let error = try #require(throws: NetworkError.self) {
      try isolate(sketch) { parameters, _ in
        parameters.traceConfiguration?.traversability.barriers = .attribute(
          "status", .equal, .value(.integer(1)))
      }
    }
    #expect(error.kind == .noControllers)
  }

  @Test func oneWayDeviceSparesAValve() throws {
    let drawing = "C1--v1--s--k--y--v2--C2"
    let oneWay = try isolate(Sketch(drawing))
    #expect(closed(oneWay) == ["v1"])
    #expect(lost(oneWay) == ["v1-s", "s", "s-k", "k:1"])
    let edge = try isolate(Sketch("C1--v1--s>>y--v2--C2"))
    #expect(closed(edge) == ["v1"])
    #expect(lost(edge) == ["v1-s", "s", "s-y"])
    let both = try isolate(Sketch("C1--v1--s--j--y--v2--C2"))
    #expect(closed(both) == ["v1", "v2"])
  }

  /// To work on a check valve, neither of its sides may have supply.
  @Test func aOneWayElementIsCutOffOnBothSides() throws {
    let drawing = "C1--v1--s>>t--v2--C2"
    for fraction in [0, 0.5, 1] {
      let found = try isolate(Sketch(drawing), from: []) { parameters, network in
        parameters.startingLocations = [try network.location("s-t", at: fraction)]
      }
      #expect(closed(found) == ["v1", "v2"])
      #expect(lost(found) == ["v1-s", "s", "s-t", "t", "t-v2"])
    }
    for terminal in 1...2 {
      let found = try isolate(Sketch("C1--v1--k--v2--C2"), from: []) { parameters, network in
        parameters.startingLocations = [try network.location("k", terminal: terminal)]
      }
      #expect(closed(found) == ["v1", "v2"])
      #expect(lost(found) == ["v1-k", "k:1", "k:2", "k-v2"])
    }
    // Next to a check valve one side is sufficient, and other check valves hold.
    #expect(closed(try isolate(Sketch(drawing), from: ["s"])) == ["v1"])
    #expect(closed(try isolate(Sketch("C1--v1--s>>t>>u--v2--C2"), from: ["t"])) == ["v1"])
    let next = try isolate(Sketch("C1--v1--s>>t>>u--v2--C2"), from: []) { parameters, network in
      parameters.startingLocations = [try network.location("s-t")]
    }
    #expect(closed(next) == ["v1"])
    let reached = try isolate(Sketch("C1--v1--s>>t--C2"), from: []) { parameters, network in
      parameters.startingLocations = [try network.location("s-t")]
    }
    #expect(uncut(reached) == ["C2"])
  }

  private func uncut(
    _ found: (network: UtilityNetwork, result: UtilityTraceResult, isolation: IsolationResult)
  ) -> Set<String> {
    found.network.texts(found.isolation.controllersNotIsolated)
  }

  @Test func squeezeOffsOnAnEdge() throws {
    let found = try isolate(Sketch("C1-----a----------b----C2"), from: []) { parameters, network in
      parameters.startingLocations = [try network.location("a-b", at: 0.5)]
      parameters.filterBarriers = [
        try network.location("a-b", at: 0.7), try network.location("a-b", at: 0.3),
      ]
      parameters.traceConfiguration?.filter.barriers = nil
    }
    #expect(closed(found) == ["a-b@0.3", "a-b@0.7"])
    #expect(lost(found) == ["a-b[0.3,0.7]"])
    #expect(found.network.texts(found.result.elements) == ["a-b[0.3,0.7]"])
  }

  @Test func inoperableValvesHandOver() throws {
    var sketch = Sketch("C1--v0--a--v1--s--v2--C2")
    for valve in ["v0", "v2"] { sketch.attributes[valve] = ["operable": .integer(1)] }
    sketch.attributes["v1"] = ["operable": .integer(0)]
    for form in 0..<3 {
      let found = try isolate(sketch) { parameters, network in
        switch form {
        case 0:
          parameters.traceConfiguration?.filter.barriers = .all([
            .category("Isolating"), .attribute("operable", .equal, .value(.integer(1))),
          ])
        case 1:
          parameters.traceConfiguration?.filter.barriers = .expression(
            try Condition("category('Isolating') AND operable = 1"))
        default: parameters.inoperable = [try network.element(globalID: "v1")]
        }
      }
      #expect(closed(found) == ["v0", "v2"])
      #expect(lost(found) == ["v0-a", "a", "a-v1", "v1", "v1-s", "s", "s-v2"])
    }
  }

  // MARK: Rules that are not in the table

  @Test func controllersAsTheCategoryIsolateTheWholeSubnetwork() throws {
    let found = try isolate(Sketch("C1--a--s--b--C2")) { parameters, _ in
      parameters.traceConfiguration?.filter.barriers = .category("Subnetwork Controller")
    }
    #expect(closed(found) == ["C1", "C2"])
    #expect(found.isolation.isolating.allSatisfy { $0.reason == .isController })
    #expect(lost(found) == ["C1-a", "a", "a-s", "s", "s-b", "b", "b-C2"])
  }

  @Test func severalSubnetworksAreAnError() throws {
    var sketch = Sketch("C1--v1--s--v2--C2")
    sketch.subnetworks = ["C1": "north", "C2": "south"]
    let error = try #require(throws: NetworkError.self) { try isolate(sketch) }
    #expect(error.kind == .severalSubnetworks)
    #expect(error.message.contains("north, south"))
  }

  @Test func reasonsOfValvesThatStayOpen() throws {
    let found = try isolate(
      Sketch(
        """
        C--v1--s--v2--e
               |
               v3
               |
               v4
        """))
    #expect(closed(found) == ["v1"])
    let reasons = Dictionary(
      uniqueKeysWithValues: found.isolation.boundingOnly.map {
        (found.network.text($0.location), $0.reason)
      })
    #expect(reasons == ["v2": .suppliedThroughArea, "v3": .suppliedThroughArea])
    #expect(found.isolation.lost.map(\.count).reduce(0, +) == 10)
  }

  @Test func gateValvesCloseAtTheTerminalThatIsReached() throws {
    let found = try isolate(Sketch("C1--w1--s--w2--C2"))
    #expect(closed(found) == ["w1:2", "w2:1"])
    #expect(lost(found) == ["w1-s", "s", "s-w2"])
  }

  @Test func aStartAtAValve() throws {
    let sketch = Sketch("C1--v1--a--v2--b--v3--C2")
    let error = try #require(throws: NetworkError.self) { try isolate(sketch, from: ["v2"]) }
    #expect(error.kind == .startIsBarrier)
    let found = try isolate(sketch, from: ["v2"]) { parameters, _ in
      parameters.traceConfiguration?.ignoreBarriersAtStartingPoints = true
    }
    #expect(closed(found) == ["v1", "v3"])
    let partly = try isolate(sketch, from: ["v2", "a"])
    #expect(partly.result.startingPointsIgnored)
    #expect(closed(partly) == ["v1", "v2"])
  }

  @Test func withoutAFilterBarrierOrATier() throws {
    let network = try Sketch("C--v1--s").network()
    var parameters = UtilityTraceParameters.test(.isolation, [try network.location("s")])
    #expect(throws: NetworkError.self) { try network.trace(parameters) }
    parameters.traceConfiguration = .isolating
    parameters.tier = nil
    let error = try #require(throws: NetworkError.self) { try network.trace(parameters) }
    #expect(error.message.contains("Distribution"))
  }
}
