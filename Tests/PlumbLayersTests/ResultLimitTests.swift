import PlumbCore
import PlumbGeometry
import Testing

@testable import PlumbLayers

/// Rules: maximumResultsPerLayer limits each layer and each sublayer and is 1 by default;
/// `isTransferLimitExceeded` reports whether results were omitted; returnPopupsOnly.
@Suite struct ResultLimitTests {
  private static func stack(_ count: Int) -> [Geometry?] {
    Array(repeating: square(0, 0, 10, 10), count: count)
  }

  @Test(
    arguments: [
      (nil, 7, false), (1, 1, true), (6, 6, true), (7, 7, false), (8, 7, false),
      (Int.max, 7, false),
    ] as [(Int?, Int, Bool)])
  func `the cap applies to each layer and each sublayer`(
    limit: Int?, hitCount: Int, isTruncated: Bool
  ) throws {
    let service = MapImageLayer(
      LayerProperties(id: "s"),
      sublayers: [
        featureLayer("0", Self.stack(7)),
        GroupLayer(LayerProperties(id: "1"), layers: [featureLayer("2", Self.stack(7))]),
      ])
    let map = Map(layers: [service, featureLayer("a", Self.stack(7))])
    let results = try map.identified(5, 5, IdentifyOptions(maximumResultsPerLayer: limit))
    let parts = [
      results[0], results[1].sublayerResults[0], results[1].sublayerResults[1].sublayerResults[0],
    ]
    for part in parts {
      #expect(part.geoElements.count == hitCount && part.isTransferLimitExceeded == isTruncated)
      #expect(part.foundCount == 7, "counts all, with any limit")
      #expect(part.numbers.first == 6, "the topmost stay")
    }
    #expect(results[1].elementCount == 2 * hitCount && !results[1].isTransferLimitExceeded)
  }

  @Test func `the default is one`() throws {
    #expect(IdentifyOptions().maximumResultsPerLayer == 1)
    let result = try Map(layers: [featureLayer("a", Self.stack(2))]).identified()[0]
    #expect(result.geoElements.count == 1 && result.isTransferLimitExceeded)
  }

  @Test(arguments: [0, -1, .min]) func `less than one is an error`(limit: Int) throws {
    let error = try #require(throws: LayerError.self) {
      _ = try Map(layers: [featureLayer("a")]).identified(
        5, 5, IdentifyOptions(maximumResultsPerLayer: limit))
    }
    #expect(error.code == .badQuery)
  }

  @Test func `popups only: layers without popups are omitted when all layers are queried`() throws {
    let popup = PopupDefinition(title: "number {n}")
    let service = MapImageLayer(
      LayerProperties(id: "s"),
      sublayers: [featureLayer("0"), featureLayer("1", popup: popup)])
    let map = Map(layers: [
      try rasterLayer("r"), try rasterLayer("q", popup: PopupDefinition(title: "{Band_0}")),
      featureLayer("a", Self.stack(3), popup: popup), service, featureLayer("b"),
    ])
    let both = try map.identified(5, 5, IdentifyOptions(maximumResultsPerLayer: 2))
    #expect(both.tree == "b s(0 1) a q r")
    #expect(both[2].popups.map(\.title) == ["number 2", "number 1"])
    #expect(both[2].geoElements.count == 2)
    let only = try map.identified(
      5, 5, IdentifyOptions(returnPopupsOnly: true, maximumResultsPerLayer: 2))
    #expect(only.tree == "s(1) a q")
    #expect(only[1].popups == both[2].popups && only[1].geoElements.isEmpty)
    #expect(only[1].isTransferLimitExceeded && only[1].foundCount == 3)
    #expect(only[0].elementCount == 1 && only[2].popups.map(\.title) == ["55.5"])
  }

  @Test func `popups only: a single layer without them is an error`() throws {
    let popup = PopupDefinition(title: "{n}")
    let map = Map(layers: [
      try rasterLayer("r"), featureLayer("a"), featureLayer("b", popup: popup),
      GroupLayer(LayerProperties(id: "g"), layers: [featureLayer("c")]),
      MapImageLayer(LayerProperties(id: "s"), sublayers: [featureLayer("0", popup: popup)]),
    ])
    let options = IdentifyOptions(returnPopupsOnly: true)
    for id in ["r", "a", "g", "c"] {
      let error = try #require(throws: LayerError.self) {
        _ = try map.identifyLayer(id, at: Point(x: 5, y: 5), options)
      }
      #expect(error.code == .noPopups, "\(id)")
    }
    for id in ["b", "s", "s/0"] {
      #expect(try map.identifyLayer(id, at: Point(x: 5, y: 5), options).elementCount == 1)
    }
  }

  /// A hidden layer has no elements, but may have popups.
  @Test func `popups only: a hidden map image layer with popups gives nothing`() throws {
    let service = MapImageLayer(
      LayerProperties(id: "s", isVisible: false),
      sublayers: [featureLayer("0", reference: .wgs84, popup: PopupDefinition(title: "{n}"))])
    let result = try Map(layers: [service], spatialReference: .wgs84).identifyLayer(
      "s", at: Point(x: 5, y: 5), IdentifyOptions(returnPopupsOnly: true))
    #expect(result.elementCount == 0)
  }
}
