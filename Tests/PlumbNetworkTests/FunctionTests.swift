import PlumbCore
import PlumbNetwork
import Testing

/// Functions of results, and as barriers, filters, propagators, output and nearest neighbours.
@Suite struct FunctionTests {
  /// Values 20 then 30: min 20, max 30, add 50, average 25, count 2, subtract −10.
  private static let values: [(TraceFunctionType, Double)] = [
    (.min, 20), (.max, 30), (.add, 50), (.average, 25), (.count, 2), (.subtract, -10),
  ]

  private func line() throws -> UtilityNetwork {
    var sketch = Sketch("C--a--b--d--e")
    sketch.attributes = [
      "a": ["load": .integer(20)], "b": ["load": .integer(30)], "d": ["load": .integer(7)],
    ]
    return try sketch.network()
  }

  @Test(arguments: values)
  func functionsOverAResult(type: TraceFunctionType, value: Double) throws {
    let network = try line()
    var configuration = TraceConfiguration()
    configuration.functions = [
      TraceFunction(
        type, attribute: "load", condition: .attribute("load", .greaterThan, .value(.integer(7))))
    ]
    let result = try network.trace(.test(.subnetwork, [try network.location("a")], configuration))
    #expect(result.functionResults.map(\.value) == [value])
  }

  /// A barrier where the running value meets the rule's condition, after 20 and after 30.
  @Test(arguments: values, [true, false])
  func functionBarriers(pair: (TraceFunctionType, Double), useLocalValues: Bool) throws {
    let network = try line()
    var configuration = TraceConfiguration()
    let (type, value) = pair
    configuration.traversability.functionBarriers = [
      // Minimums are reached with the first element.
      FunctionBarrier(type, attribute: "load", .equal, value, useLocalValues: useLocalValues)
    ]
    let result = try network.trace(.test(.loops, [try network.location("a")], configuration))
    #expect(result.elements.isEmpty)
    let reached = try reached(network, configuration)
    #expect(reached == (type == .min ? ["C", "C-a", "a"] : ["C", "C-a", "a", "a-b", "b"]))
  }

  /// The elements that a subnetwork trace reaches from the controller.
  private func reached(
    _ network: UtilityNetwork, _ configuration: TraceConfiguration
  ) throws -> Set<String> {
    network.texts(
      try network.trace(.test(.subnetwork, [try network.location("C")], configuration)).elements)
  }

  @Test func localValuesBranchAndSharedOnesDoNot() throws {
    var sketch = Sketch(
      """
      a--C--b--d
         |
         e--f
      """)
    for name in ["a", "b", "d", "e", "f"] { sketch.attributes[name] = ["load": .integer(10)] }
    let network = try sketch.network()
    var configuration = TraceConfiguration()
    configuration.traversability.functionBarriers = [
      FunctionBarrier(.add, attribute: "load", .greaterThanEqual, 20)
    ]
    #expect(
      try reached(network, configuration)
        == ["C", "a", "a-C", "C-b", "b", "b-d", "d", "C-e", "e", "e-f", "f"])
    configuration.traversability.functionBarriers[0].useLocalValues = false
    // a, b and e are equally near; the sum reaches 20 at b, the second of them, and does not grow
    // further.
    #expect(
      try reached(network, configuration) == ["C", "a", "a-C", "C-b", "b", "C-e", "e"])
  }

  @Test func apportionedValuesOfPartsOfEdges() throws {
    let network = try Sketch("C----------a").network()
    var configuration = TraceConfiguration()
    configuration.functions = [TraceFunction(.add, attribute: "length")]
    var parameters = UtilityTraceParameters.test(
      .subnetwork, [try network.location("C")], configuration)
    parameters.barriers = [try network.location("C-a", at: 0.25)]
    #expect(try network.trace(parameters).functionResults[0].value == 2.5)
  }

  @Test func filtersStopTheSecondPassOnly() throws {
    let network = try Sketch("C--v1--s--v2--e").network()
    var configuration = TraceConfiguration()
    configuration.filter.barriers = .category("Isolating")
    let start = try network.location("s")
    let up = try network.trace(.test(.upstream, [start], configuration))
    #expect(network.texts(up.elements) == ["s", "v1-s", "v1"])
    configuration.includeBarriers = false
    let bare = try network.trace(.test(.upstream, [start], configuration))
    #expect(network.texts(bare.elements) == ["s", "v1-s"])
    configuration.filter.scope = .edges
    let edges = try network.trace(.test(.upstream, [start], configuration))
    #expect(network.texts(edges.elements) == ["s", "v1-s", "v1", "C-v1", "C"])
  }

  @Test func barriersAreHiddenButDevicesWithTerminalsAreNot() throws {
    let network = try Sketch("C--w1--s").network()
    var configuration = TraceConfiguration()
    configuration.filter.barriers = .category("Isolating")
    configuration.includeBarriers = false
    let result = try network.trace(.test(.upstream, [try network.location("s")], configuration))
    #expect(network.texts(result.elements) == ["s", "w1-s", "w1:2"])
  }

  @Test func propagatedPhasesEndWhereNoneIsLeft() throws {
    var sketch = Sketch(
      """
      C--a--b--d
         |
         e--f
      """)
    sketch.attributes = [
      "C": ["phases": .integer(7)], "C-a": ["phases": .integer(3)], "b": ["phases": .integer(4)],
      "e": ["phases": .integer(1)],
    ]
    let network = try sketch.network()
    var configuration = TraceConfiguration()
    configuration.propagators = [
      Propagator(attribute: "phases", .bitwiseAnd, .includesAny, 7)
    ]
    #expect(
      try reached(network, configuration) == ["C", "C-a", "a", "a-b", "b", "a-e", "e", "e-f", "f"])
    configuration.propagators = [Propagator(attribute: "phases", .min, .greaterThanEqual, 3)]
    #expect(
      try reached(network, configuration) == ["C", "C-a", "a", "a-b", "b", "b-d", "d", "a-e", "e"])
  }

  @Test func outputIsLimitedAfterTheTrace() throws {
    let network = try Sketch("C--v1--s--v2--m1").network()
    var configuration = TraceConfiguration()
    configuration.outputCondition = .category("Service")
    #expect(try reached(network, configuration) == ["m1"])
    configuration.outputCondition = nil
    configuration.outputAssetTypes = [
      AssetTypeReference(sourceID: TestNetwork.device, assetGroup: 1, assetType: 2)
    ]
    #expect(try reached(network, configuration) == ["v1", "v2"])
  }

  @Test func theNearestOfACategory() throws {
    let network = try Sketch("m1-C--m2---m3-----m4").network()
    var configuration = TraceConfiguration()
    configuration.filter.nearestNeighbor = NearestNeighbor(
      count: 2, costAttribute: "length", categories: ["Service"])
    let near = try network.trace(.test(.connected, [try network.location("m3")], configuration))
    #expect(network.texts(near.elements) == ["m3", "m2"])
    #expect(near.foundAllNearest == true)
    configuration.filter.nearestNeighbor?.count = 9
    let all = try network.trace(.test(.connected, [try network.location("m3")], configuration))
    #expect(network.texts(all.elements) == ["m1", "m2", "m3", "m4"])
    #expect(all.foundAllNearest == false)
  }

  @Test func conditionsOnAttributes() throws {
    var sketch = Sketch("C--a--b--d--e")
    sketch.attributes = [
      "a": ["status": .integer(6), "owner": .text("city"), "load": .real(2.5)],
      "b": ["status": .integer(5), "operable": .integer(5)], "d": ["status": .integer(0)],
    ]
    let network = try sketch.network()
    func found(_ condition: TraceCondition) throws -> Set<String> {
      var configuration = TraceConfiguration()
      configuration.outputCondition = condition
      return try reached(network, configuration)
    }
    func status(_ comparison: AttributeOperator, _ value: Int64) throws -> Set<String> {
      try found(.attribute("status", comparison, .value(.integer(value))))
    }
    #expect(try status(.equal, 5) == ["b"])
    #expect(try status(.notEqual, 5) == ["a", "d"])
    #expect(try status(.greaterThan, 5) == ["a"])
    #expect(try status(.greaterThanEqual, 5) == ["a", "b"])
    #expect(try status(.lessThan, 5) == ["d"])
    #expect(try status(.lessThanEqual, 5) == ["b", "d"])
    #expect(try status(.includesTheValues, 6) == ["a"])
    #expect(try status(.doesNotIncludeTheValues, 6) == ["b", "d"])
    #expect(try status(.includesAny, 3) == ["a", "b"])
    #expect(try status(.doesNotIncludeAny, 3) == ["d"])
    #expect(try found(.attribute("status", .equal, .attribute("operable"))) == ["b"])
    #expect(try found(.attribute("status", .lessThan, .value(.text("1")))) == ["d"])
    #expect(try found(.attribute("owner", .equal, .value(.text("city")))) == ["a"])
    #expect(try found(.attribute("load", .greaterThan, .value(.integer(2)))) == ["a"])
    #expect(try found(.category("Subnetwork Controller")) == ["C"])
    #expect(
      try found(
        .any([
          .attribute("status", .equal, .value(.integer(5))),
          .all([.category("Service", exists: false), .category("Subnetwork Controller")]),
        ])) == ["b", "C"])
    #expect(
      try found(.expression(.init("includes(status, 6) OR includesAny(STATUS, 1)"))) == ["a", "b"])
    #expect(
      try found(.expression(.init("category('Subnetwork Controller') OR owner LIKE 'c%'")))
        == ["C", "a"])
    for wrong in ["category('Nowhere')", "nothing = 1", "category(owner)"] {
      #expect(throws: NetworkError.self) { try found(.expression(.init(wrong))) }
    }
  }
}
