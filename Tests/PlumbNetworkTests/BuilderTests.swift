import PlumbCore
import PlumbNetwork
import Testing

/// The connections that a builder makes, and the input it rejects.
@Suite struct BuilderTests {
  private static func tee(_ id: String, _ x: Double, _ y: Double) -> NetworkJunction {
    NetworkJunction(
      sourceID: TestNetwork.junction, globalID: id, assetGroup: 1, assetType: 1,
      point: SIMD2(x, y))
  }

  private static func pipe(
    _ id: String, _ vertices: [SIMD2<Double>], from: EdgeEnd = EdgeEnd(), to: EdgeEnd = EdgeEnd()
  ) -> NetworkEdge {
    NetworkEdge(
      sourceID: TestNetwork.pipe, globalID: id, assetGroup: 1, assetType: 1, vertices: vertices,
      from: from, to: to)
  }

  private func connected(_ network: UtilityNetwork, _ start: String) throws -> Set<String> {
    network.texts(try network.trace(.test(.connected, [try network.location(start)])).elements)
  }

  private func builder(_ tolerance: Double = 0) throws -> NetworkBuilder {
    try NetworkBuilder(TestNetwork.definition(), options: .init(tolerance: tolerance))
  }

  @Test func endsMeetAtJunctionsAndAtOneAnother() throws {
    for tolerance in [0, 0.01] {
      var builder = try builder(tolerance)
      let off = tolerance / 2
      try builder.add(Self.tee("a", 0, 0))
      try builder.add(Self.tee("b", 20, 0))
      try builder.add(Self.tee("far", 0, 5))
      try builder.add(Self.pipe("p", [[off, 0], [10, 0]]))
      try builder.add(Self.pipe("q", [[10, off], [20, -off]]))
      try builder.add(Self.pipe("alone", [[10, 1], [20, 1]]))
      #expect(try connected(builder.build(), "a") == ["a", "p", "q", "b"])
    }
  }

  @Test func junctionsOnInnerVerticesConnectMidSpan() throws {
    var builder = try builder()
    try builder.add(Self.tee("a", 0, 0))
    try builder.add(Self.tee("middle", 4, 0))
    try builder.add(Self.tee("b", 10, 0))
    try builder.add(Self.pipe("main", [[0, 0], [4, 0], [10, 0]]))
    try builder.add(Self.pipe("branch", [[4, 0], [4, 3]]))
    let network = try builder.build()
    #expect(try connected(network, "branch") == ["a", "middle", "b", "main", "branch"])
    var parameters = UtilityTraceParameters.test(.connected, [try network.location("a")])
    parameters.barriers = [try network.location("middle")]
    #expect(
      network.texts(try network.trace(parameters).elements) == ["a", "main[0.0,0.4]", "middle"])
  }

  /// Rule: junctions on the inner vertices of an edge are not connected to it if its type connects only
  /// at its ends.
  @Test func innerVerticesOfSomeTypesConnectNothing() throws {
    var definition = TestNetwork.definition()
    for domain in definition.domainNetworks.indices {
      for source in definition.domainNetworks[domain].sources.indices
      where definition.domainNetworks[domain].sources[source].id == TestNetwork.pipe {
        definition.domainNetworks[domain].sources[source].assetGroups[0].assetTypes[0]
          .connectsAtInnerVertices = false
      }
    }
    var builder = try NetworkBuilder(definition)
    try builder.add(Self.tee("a", 0, 0))
    try builder.add(Self.tee("middle", 4, 0))
    try builder.add(Self.tee("b", 10, 0))
    try builder.add(Self.pipe("main", [[0, 0], [4, 0], [10, 0]]))
    try builder.add(Self.pipe("branch", [[4, 0], [4, 3]]))
    let network = try builder.build()
    #expect(try connected(network, "branch") == ["middle", "branch"])
    #expect(try connected(network, "a") == ["a", "b", "main"])
  }

  @Test func associationsConnectWithoutPoints() throws {
    var builder = try builder()
    for (index, id) in ["a", "b", "c", "d"].enumerated() {
      try builder.add(Self.tee(id, Double(index) * 100, 50))
    }
    try builder.add(Self.pipe("p", [[0, 0], [10, 0]]))
    func end(_ id: String, _ fraction: Double? = nil) -> AssociationEnd {
      AssociationEnd(
        ElementName(
          sourceID: id == "p" ? TestNetwork.pipe : TestNetwork.junction, globalID: id),
        percentAlong: fraction)
    }
    builder.add(.connectivity(end("a"), end("b")))
    builder.add(.connectivity(end("b"), end("p", 0)))
    builder.add(.connectivity(end("p", 0.5), end("c")))
    let network = try builder.build()
    #expect(try connected(network, "a") == ["a", "b", "c", "p"])
    #expect(try connected(network, "d") == ["d"])
  }

  @Test func containersContentAndStructures() throws {
    var builder = try builder()
    try builder.add(Self.tee("a", 0, 0))
    for id in ["vault", "yard", "pole"] {
      try builder.add(
        NetworkJunction(
          sourceID: TestNetwork.assembly, globalID: id, assetGroup: 1, assetType: 1, point: nil))
    }
    func name(_ id: String) -> ElementName {
      ElementName(sourceID: id == "a" ? TestNetwork.junction : TestNetwork.assembly, globalID: id)
    }
    builder.add(.containment(container: name("vault"), content: name("a")))
    builder.add(.containment(container: name("yard"), content: name("vault")))
    builder.add(.structuralAttachment(structure: name("pole"), attached: name("a")))
    let network = try builder.build()
    func found(_ start: String, _ change: (inout TraceConfiguration) -> Void) throws -> Set<String>
    {
      var configuration = TraceConfiguration()
      change(&configuration)
      return network.texts(
        try network.trace(.test(.connected, [try network.location(start)], configuration)).elements)
    }
    #expect(try found("a") { _ in } == ["a"])
    #expect(try found("a") { $0.includeContainers = true } == ["a", "vault", "yard"])
    #expect(try found("a") { $0.includeStructures = true } == ["a", "pole"])
    #expect(try found("yard") { $0.includeContent = true } == ["a", "vault", "yard"])
    #expect(try found("vault") { $0.includeContent = true } == ["a", "vault"])
  }

  @Test func selfLoopsZeroLengthsAndLonelyJunctionsAreLegal() throws {
    var builder = try builder()
    try builder.add(Self.tee("a", 0, 0))
    try builder.add(Self.tee("lonely", 9, 9))
    try builder.add(Self.pipe("loop", [[0, 0], [1, 1], [0, 0]]))
    try builder.add(Self.pipe("point", [[0, 0], [0, 0]]))
    let network = try builder.build()
    #expect(try connected(network, "a") == ["a", "loop", "point"])
    #expect(try connected(network, "lonely") == ["lonely"])
    #expect(try connected(network, "point") == ["a", "loop", "point"])
  }

  @Test func theNearestElement() throws {
    var builder = try builder()
    try builder.add(Self.tee("a", 0, 0))
    try builder.add(Self.tee("b", 10, 0))
    try builder.add(Self.pipe("p", [[0, 0], [10, 0]]))
    let network = try builder.build()
    func text(_ x: Double, _ y: Double, _ tolerance: Double) -> String? {
      network.nearest(to: SIMD2(x, y), tolerance: tolerance).map(network.text)
    }
    #expect(text(0.5, 0.5, 1) == "a")
    #expect(text(2.5, 0.5, 1) == "p@0.25")
    #expect(text(2.5, 0, 0) == "p@0.25")
    #expect(text(2.5, 0.5, 0.4) == nil)
    #expect(text(.nan, 0, 1) == nil)
  }

  struct Mistake: Sendable {
    var kind: NetworkError.Kind
    var words: [String]
    var make: @Sendable (inout NetworkBuilder) throws -> Void

    init(
      _ kind: NetworkError.Kind, _ words: [String],
      _ make: @escaping @Sendable (inout NetworkBuilder) throws -> Void
    ) {
      self.kind = kind
      self.words = words
      self.make = make
    }
  }

  static let mistakes: [Mistake] = [
    Mistake(.duplicateIdentifier, ["junction:a"]) { try $0.add(tee("a", 1, 1)) },
    Mistake(.badFeature, ["pipe:p", "vertex 2"]) { try $0.add(pipe("p", [[0, 0], [.nan, 1]])) },
    Mistake(.badFeature, ["pipe:p", "one vertex"]) { try $0.add(pipe("p", [[0, 0]])) },
    Mistake(.badFeature, ["junction:x", "inf"]) { try $0.add(tee("x", .infinity, 0)) },
    Mistake(.badFeature, ["junction:x", "asset group 1", "asset type 9"]) {
      var junction = tee("x", 0, 0)
      junction.assetType = 9
      try $0.add(junction)
    },
    Mistake(.badFeature, ["source 77"]) {
      var junction = tee("x", 0, 0)
      junction.sourceID = 77
      try $0.add(junction)
    },
    Mistake(.badFeature, ["no global id"]) { try $0.add(tee("", 0, 0)) },
    Mistake(.badFeature, ["pipe:x", "edges, no junctions"]) {
      var junction = tee("x", 0, 0)
      junction.sourceID = TestNetwork.pipe
      try $0.add(junction)
    },
    Mistake(.unknownElement, ["pipe:p", "first end", "junction:nowhere"]) {
      let end = EdgeEnd(ElementName(sourceID: TestNetwork.junction, globalID: "nowhere"))
      try $0.add(pipe("p", [[0, 0], [1, 1]], from: end))
    },
    Mistake(.terminalMissing, ["pipe:p", "1 (a), 2 (b)"]) {
      let end = EdgeEnd(ElementName(sourceID: TestNetwork.device, globalID: "gate"))
      try $0.add(pipe("p", [[0, 0], [1, 1]], from: end))
    },
    Mistake(.badFeature, ["pipe:p", "terminal 7"]) {
      let end = EdgeEnd(ElementName(sourceID: TestNetwork.device, globalID: "gate"), terminalID: 7)
      try $0.add(pipe("p", [[0, 0], [1, 1]], from: end))
    },
    Mistake(.terminalMissing, ["pipe:p", "device:gate"]) {
      try $0.add(pipe("p", [[0, 0], [50, 50]]))
    },
    Mistake(.ambiguousConnection, ["pipe:p", "junction:a", "junction:twin"]) {
      try $0.add(tee("twin", 0, 0))
      try $0.add(pipe("p", [[0, 0], [1, 1]]))
    },
    Mistake(.unknownElement, ["containment", "absent"]) {
      $0.add(
        .containment(
          container: ElementName(sourceID: 2, globalID: "absent"),
          content: ElementName(sourceID: 2, globalID: "a")))
    },
    Mistake(.badFeature, ["point along"]) {
      try $0.add(pipe("p", [[5, 5], [6, 6]]))
      $0.add(
        .connectivity(
          AssociationEnd(ElementName(sourceID: 2, globalID: "a")),
          AssociationEnd(ElementName(sourceID: 3, globalID: "p"), percentAlong: 1.5)))
    },
    Mistake(.badFeature, ["tier 9"]) {
      var junction = tee("x", 3, 3)
      junction.controllers = [SubnetworkController(domainNetworkID: 1, tierID: 9)]
      try $0.add(junction)
    },
    Mistake(.badFeature, ["status", "integer"]) {
      var junction = tee("x", 3, 3)
      junction.attributes = TestNetwork.attributes(["status": .text("open")])
      try $0.add(junction)
    },
    Mistake(.badFeature, ["Opne", "Open"]) {
      try $0.add(
        NetworkJunction(
          sourceID: TestNetwork.device, globalID: "g2", assetGroup: 1,
          assetType: TestNetwork.Device.gate.rawValue, point: nil, terminalPath: "Opne"))
    },
  ]

  @Test(arguments: mistakes.indices)
  func mistakesNameTheFeature(index: Int) throws {
    let mistake = Self.mistakes[index]
    var builder = try builder()
    try builder.add(Self.tee("a", 0, 0))
    try builder.add(
      NetworkJunction(
        sourceID: TestNetwork.device, globalID: "gate", assetGroup: 1,
        assetType: TestNetwork.Device.gate.rawValue, point: SIMD2(50, 50)))
    let error = try #require(throws: NetworkError.self) {
      try mistake.make(&builder)
      _ = try builder.build()
    }
    #expect(error.kind == mistake.kind, "\(error)")
    for word in mistake.words { #expect(error.message.contains(word), "\(error)") }
    #expect(!error.message.contains("\n"))
  }

  @Test func namesThatAreNotThere() throws {
    let network = try Sketch("C--a--s").network()
    for (body, words) in [
      ({ try network.element(globalID: "zz") }, ["zz"]),
      ({ try network.element(source: "junctoin", globalID: "a") }, ["junction"]),
      ({ try network.element(source: "junction", globalID: "b") }, ["junction", "b"]),
    ] as [(() throws -> NetworkElement, [String])] {
      let error = try #require(throws: NetworkError.self) { _ = try body() }
      for word in words { #expect(error.message.contains(word), "\(error)") }
    }
    var builder = try Sketch("C--x--s").builder()
    try builder.add(Self.pipe("x", [[500, 0], [501, 0]]))
    let twice = try builder.build()
    let error = try #require(throws: NetworkError.self) { try twice.element(globalID: "x") }
    #expect(error.kind == .ambiguousElement)
    #expect(error.message.contains("junction:x, pipe:x"))
  }
}
