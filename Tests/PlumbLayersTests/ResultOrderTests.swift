import PlumbCore
import PlumbGeometry
import Testing

@testable import PlumbLayers

/// Rules: layers from top to bottom (the last operational layer first), the same for elements in a
/// layer; the contents of a result.
@Suite struct ResultOrderTests {
  private static func nested() throws -> Map {
    // The first layer of a map and of a group is at the bottom; a map image layer lists the topmost
    // layer first.
    let group = GroupLayer(
      LayerProperties(id: "g"), layers: [featureLayer("g0"), featureLayer("g1")])
    let inner = GroupLayer(
      LayerProperties(id: "2"), layers: [featureLayer("3"), try rasterLayer("4")])
    let service = MapImageLayer(
      LayerProperties(id: "s"), sublayers: [featureLayer("0"), inner, featureLayer("1")])
    return Map(layers: [try rasterLayer("r"), group, service, featureLayer("top")])
  }

  @Test func `layers are listed from top to bottom`() throws {
    #expect(try Self.nested().identified().tree == "top s(0 2(4 3) 1) g(g1 g0) r")
  }

  @Test func `the last feature of a table is on top`() throws {
    let layer = featureLayer("a", [square(0, 0, 9, 9), point(5, 5), square(4, 4, 6, 6)])
    let map = Map(layers: [layer])
    let all = IdentifyOptions(maximumResultsPerLayer: nil)
    #expect(try map.identified(5, 5, all)[0].numbers == [2, 1, 0])
    #expect(
      try map.identified(5, 5, IdentifyOptions(maximumResultsPerLayer: 2))[0].numbers == [2, 1])
    #expect(try map.identified()[0].numbers == [2])
  }

  @Test func `only layers with elements or errors are listed`() throws {
    let map = Map(layers: [
      featureLayer("a", [square(20, 20, 30, 30)]), featureLayer("b"),
      GroupLayer(
        LayerProperties(id: "g"), layers: [featureLayer("c", [square(20, 20, 30, 30)])]),
      GroupLayer(LayerProperties(id: "empty"), layers: []),
      try rasterLayer("r"),
    ])
    #expect(try map.identified().tree == "r b")
    #expect(try map.identified(25, 25).tree == "g(c) a")
    #expect(try map.identified(50, 50).isEmpty)
  }

  @Test func `a map image layer has sublayer results and no elements`() throws {
    let service = try #require(try Self.nested().identified().first { $0.id == "s" })
    #expect(service.layerContent.type == "mapImage" && service.geoElements.isEmpty)
    #expect(service.foundCount == 0 && service.popups.isEmpty && service.error == nil)
    func types(_ result: IdentifyLayerResult) -> [String] {
      result.sublayerResults.flatMap { [$0.layerContent.type] + types($0) }
    }
    #expect(types(service) == Array(repeating: "sublayer", count: 5))
    #expect(service.elementCount == 4, "counted through all levels")
    let group = service.sublayerResults[1]
    #expect(group.geoElements.isEmpty && group.sublayerResults.map(\.elementCount) == [1, 1])
  }

  @Test func `each kind has its name`() throws {
    let types = try Self.nested().identified().map(\.layerContent.type)
    #expect(types == ["feature", "mapImage", "group", "raster"])
  }

  @Test func `a raster's element is the cell, named by the layer`() throws {
    let result = try Map(layers: [try rasterLayer("r")]).identified(3.25, 9.5)[0]
    #expect(result.layerContent.id == "r" && result.layerContent.name == "r")
    guard case .cell(let cell) = result.geoElements.first else {
      Issue.record("no cell")
      return
    }
    #expect((cell.column, cell.row) == (3, 0) && cell.status == [.ok])
    #expect(result.foundCount == 1 && result.isTransferLimitExceeded == false)
  }

  /// Rule: within a layer, the elements that contain the point come first, in drawing order,
  /// followed by the other elements by distance and then in drawing order. The limit is applied
  /// afterwards.
  @Test func `elements that contain the point come first, then the nearest`() throws {
    let shapes = [
      square(4, 4, 6, 6), point(5.5, 5), point(5, 5), point(5, 5.25), square(5.25, 4, 6, 6),
      square(0, 0, 9, 9), point(4.5, 5),
    ]
    let layer = featureLayer("a", shapes)
    func found(_ maximum: Int?) throws -> IdentifyLayerResult {
      let options = IdentifyOptions(tolerance: .mapUnits(0.5), maximumResultsPerLayer: maximum)
      return try Map(layers: [layer]).identified(5, 5, options)[0]
    }
    let order: [Int64] = [5, 2, 0, 4, 3, 6, 1]
    #expect(try found(nil).numbers == order)
    for count in 1...6 {
      let limited = try found(count)
      #expect(limited.numbers == Array(order.prefix(count)), "cut to \(count)")
      #expect(limited.foundCount == 7 && limited.isTransferLimitExceeded)
    }
  }

  @Test func `the area under a point is not cut off by its neighbours`() throws {
    // The first in drawing order of these adjacent parcels contains the point.
    let parcels: [Geometry?] = (0..<9).map { (number: Int) -> Geometry? in
      let (x, y) = (Double(number % 3), Double(number / 3))
      return square(x, y, x + 1, y + 1)
    }
    let layer = featureLayer("a", parcels)
    for (x, y, expectedNumber) in [(0.5, 0.5, 0), (1.5, 0.4, 1), (1.4, 1.6, 4), (2.9, 2.1, 8)] {
      let options = IdentifyOptions(tolerance: .mapUnits(2))
      let result = try Map(layers: [layer]).identified(x, y, options)[0]
      #expect(result.numbers == [Int64(expectedNumber)])
    }
  }
}
