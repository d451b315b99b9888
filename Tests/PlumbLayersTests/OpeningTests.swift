import PlumbCore
import Testing

@testable import PlumbLayers

/// Opening and querying a map reads only the data that the result needs.
@Suite struct OpeningTests {
  /// Counts the calls of its methods.
  private final class CountingTable: FeatureTable {
    private(set) var opened = 0
    private(set) var reads: [Bool] = []
    let hasSpatialIndex: Bool
    private let table = MemoryFeatureTable(
      fields: [], features: [Feature(geometry: .point(Point(x: 1, y: 2)))],
      spatialReference: .wgs84)

    init(hasSpatialIndex: Bool = false) { self.hasSpatialIndex = hasSpatialIndex }

    func open() throws {
      opened += 1
      try table.open()
    }

    var fields: [Field] { table.fields }
    var spatialReference: SpatialReference? { table.spatialReference }
    var featureCount: Int? { table.featureCount }
    var extent: Envelope? { Envelope(xMin: 1, yMin: 2, xMax: 1, yMax: 2) }
    var files: [String] { [] }

    func features(in windows: [Envelope]?) throws -> [TableFeature] {
      reads.append(windows != nil)
      return table.features(in: windows)
    }
  }

  private let point = Point(x: 1, y: 2, spatialReference: .wgs84)

  @Test func `creating and changing a map opens nothing`() {
    let table = CountingTable()
    let map = Map(layers: [FeatureLayer(LayerProperties(id: "a"), table: table)])
    map.layers[0].isVisible = false
    #expect(map.layer(id: "a") != nil)
    #expect(table.opened == 0 && table.reads.isEmpty)
  }

  @Test func `layers that are hidden, out of scale or not queried are not opened`() throws {
    let tables = (0..<4).map { _ in CountingTable() }
    let map = Map(
      layers: [
        FeatureLayer(LayerProperties(id: "hidden", isVisible: false), table: tables[0]),
        FeatureLayer(
          LayerProperties(id: "near", scaleRange: ScaleRange(minScale: 1000)), table: tables[1]),
        GroupLayer(
          LayerProperties(id: "group", isVisible: false),
          layers: [FeatureLayer(LayerProperties(id: "below"), table: tables[2])]),
        FeatureLayer(LayerProperties(id: "seen"), table: tables[3]),
      ], spatialReference: .wgs84)
    let results = try map.identifyLayers(at: point, IdentifyOptions(scale: 50_000))
    #expect(results.map(\.layerContent.id) == ["seen"])
    #expect(tables.map(\.opened) == [0, 0, 0, 1])
    #expect(try map.identifyLayer("hidden", at: point).geoElements.isEmpty)
    #expect(tables.map(\.reads.count) == [0, 0, 0, 1])
  }

  @Test func `a point is looked up in a window where the table has an index`() throws {
    let (indexed, plain) = (CountingTable(hasSpatialIndex: true), CountingTable())
    for (table, isWindow) in [(indexed, true), (plain, false)] {
      let map = Map(layers: [FeatureLayer(LayerProperties(id: "a"), table: table)])
      #expect(try map.identifyLayers(at: point).count == 1)
      #expect(table.opened == 1 && table.reads == [isWindow])
    }
  }
}
