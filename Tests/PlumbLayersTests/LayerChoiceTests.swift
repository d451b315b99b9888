import PlumbCore
import PlumbGeometry
import Testing

@testable import PlumbLayers

/// Rule: visible layers within their min and max scale are identified (0 = no limit); a hidden parent
/// hides its children. Without a scale, scale ranges do not apply.
@Suite struct LayerChoiceTests {
  @Test func `a hidden layer has no result`() throws {
    let map = Map(layers: [featureLayer("a"), featureLayer("b", isVisible: false)])
    #expect(try map.identified().tree == "a")
    map.layers[1].isVisible = true
    #expect(try map.identified().tree == "b a")
  }

  @Test func `a hidden parent hides its children at any depth`() throws {
    let inner = GroupLayer(LayerProperties(id: "inner"), layers: [featureLayer("x")])
    let outer = GroupLayer(LayerProperties(id: "outer"), layers: [inner])
    let service = MapImageLayer(
      LayerProperties(id: "s"),
      sublayers: [GroupLayer(LayerProperties(id: "0"), layers: [featureLayer("1")])])
    let map = Map(layers: [service, outer])
    #expect(try map.identified().tree == "outer(inner(x)) s(0(1))")
    outer.isVisible = false
    #expect(try map.identified().tree == "s(0(1))")
    service.sublayers[0].isVisible = false
    #expect(try map.identified().isEmpty)
    outer.isVisible = true
    inner.isVisible = false
    #expect(try map.identified().isEmpty)
    inner.isVisible = true
    #expect(try map.identified().tree == "outer(inner(x))")
  }

  @Test(arguments: [
    (50_000.0, 10_000.0, 10_000.0, true), (50_000, 10_000, 50_000, true),
    (50_000, 10_000, 50_000.000001, false), (50_000, 10_000, 9999.999999, false),
    (50_000, 0, 1, true), (50_000, 0, 50_001, false), (0, 10_000, 1e12, true),
    (0, 10_000, 9999, false), (0, 0, 1e-9, true), (0, 0, 1e300, true),
    // No scale is within limits that are reversed.
    (10_000, 50_000, 20_000, false),
  ])
  func `a layer has results from its minimum to its maximum scale, limits included`(
    smallest: Double, largest: Double, scale: Double, isIdentified: Bool
  ) throws {
    let range = ScaleRange(minScale: smallest, maxScale: largest)
    let map = Map(layers: [featureLayer("a", scales: range)])
    #expect(try map.identified(5, 5, IdentifyOptions(scale: scale)).isEmpty == !isIdentified)
    #expect(try map.identified().tree == "a", "without a scale, no range applies")
    let group = GroupLayer(
      LayerProperties(id: "g", scaleRange: range), layers: [featureLayer("a")])
    #expect(
      try Map(layers: [group]).identified(5, 5, IdentifyOptions(scale: scale)).isEmpty
        == !isIdentified,
      "a group's range applies to its layers")
  }

  @Test func `one layer that is hidden, or out of its scales, gives an empty result`() throws {
    let layer = featureLayer("a", scales: ScaleRange(minScale: 1000))
    let group = GroupLayer(LayerProperties(id: "g"), layers: [layer])
    let map = Map(layers: [group])
    let point = Point(x: 5, y: 5)
    func count(_ id: String, _ scale: Double?) throws -> Int {
      try map.identifyLayer(id, at: point, IdentifyOptions(scale: scale)).elementCount
    }
    #expect(try count("a", nil) == 1 && count("a", 1000) == 1 && count("a", 1001) == 0)
    group.isVisible = false
    #expect(try count("a", nil) == 0 && count("g", nil) == 0)
    let empty = try map.identifyLayer("a", at: point)
    #expect(empty.id == "a" && empty.layerContent.type == "feature" && empty.error == nil)
  }

  @Test func `a layer is found by its id, a sublayer by both ids`() throws {
    let service = MapImageLayer(
      LayerProperties(id: "s"),
      sublayers: [GroupLayer(LayerProperties(id: "0"), layers: [featureLayer("a")])])
    let map = Map(layers: [
      GroupLayer(LayerProperties(id: "g"), layers: [service]), featureLayer("a"),
    ])
    let point = Point(x: 5, y: 5)
    #expect(try map.identifyLayer("a", at: point).layerContent.type == "feature")
    #expect(try map.identifyLayer("s/a", at: point).layerContent.type == "sublayer")
    #expect(try map.identifyLayer("s/0", at: point).tree == "0(a)")
    #expect(try map.identifyLayer("s", at: point).tree == "s(0(a))")
    #expect(map.layer(id: "s/a") === (service.sublayers[0] as? GroupLayer)?.layers[0])
    for id in ["", "0", "s/", "s/b", "g/a", "g/s", "/a"] {
      let error = try #require(throws: LayerError.self) {
        _ = try map.identifyLayer(id, at: point)
      }
      #expect(error.code == .badQuery, "\(id)")
    }
  }

  @Test func `transparent layers have results like others`() throws {
    let layer = featureLayer("a")
    layer.properties.opacity = 0
    #expect(try Map(layers: [layer]).identified().tree == "a")
  }
}
