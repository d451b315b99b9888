import Foundation
import PlumbCore
import PlumbGeometry
import PlumbTestSupport
import Testing

@testable import Plumb
@testable import PlumbLayers

/// Esri feature sets as files: OGR supports neither Esri's own codes without `latestWkid` nor
/// curves.
@Suite struct EsriFeatureFileTests {
  private func set(_ reference: String, _ features: String, head: String = "") -> String {
    """
    {"objectIdFieldName":"OBJECTID","geometryType":"esriGeometryPolygon",\(head)
     "spatialReference":\(reference),
     "fields":[{"name":"OBJECTID","type":"esriFieldTypeOID"},{"name":"NAME",
      "type":"esriFieldTypeString","length":20},{"name":"SIZE","type":"esriFieldTypeDouble"}],
     "features":[\(features)]}
    """
  }

  private let square = """
    {"attributes":{"OBJECTID":7,"NAME":"a","SIZE":3},
     "geometry":{"rings":[[[0,0],[0,10],[10,10],[10,0],[0,0]]]}}
    """

  @Test(arguments: [
    ("102100", "EPSG:3857"), ("102113", "EPSG:3857"), ("900913", "EPSG:3857"),
    ("3857", "EPSG:3857"), ("4326", "EPSG:4326"), ("102003", "ESRI:102003"),
    ("104199", "ESRI:104199"), ("37001", "ESRI:37001"), ("102605", "ESRI:102605"),
    ("54009", "ESRI:54009"), ("2193", "EPSG:2193"),
  ])
  func everyCodeOfEsriIsAReference(code: String, definition: String) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("a.json", set("{\"wkid\":\(code)}", square))
    let expected = try SpatialReference(definition)
    #expect(try FeatureFile(path: path).spatialReference == expected)
    #expect(try SpatialReference(code) == expected)
    // As an option of the command, and in a map document.
    let map = try Map.open(
      path: try folder.write(
        "map.json",
        #"{"spatialReference":{"wkid":\#(code)},"operationalLayers":[{"id":"a","url":"a.json","#
          + #""layerType":"ArcGISFeatureLayer"}]}"#))
    #expect(map.spatialReference == expected)
    let layer = try #require(map.layers[0] as? FeatureLayer)
    try layer.load()
    #expect(layer.table.spatialReference == expected)
    #expect(layer.table.fields.map(\.name) == ["OBJECTID", "NAME", "SIZE"])
    let found = try MapIdentifier(map).identify(x: 5, y: 5)
    #expect(found.first?.geoElements.count == 1)
  }

  @Test func attributesAndNumbersAreRead() throws {
    let folder = try TemporaryFolder()
    let features = """
      \(square),{"geometry":null,"attributes":{"SIZE":2.5,"NAME":null,"OTHER":1,"OBJECTID":9}},
      {"attributes":{"NAME":5}}
      """
    let file = try FeatureFile(path: try folder.write("a.json", set("{\"wkid\":4326}", features)))
    #expect(file.featureCount == 3 && file.geometryKind == "MultiPolygon")
    for _ in 0..<2 {
      let (read, numbers) = try #require(try file.nextNumbered(limit: 10))
      #expect(
        read.map(\.attributes) == [
          [.integer(7), .text("a"), .real(3)], [.integer(9), .null, .real(2.5)],
          [.null, .text("5"), .null],
        ])
      #expect(read.map { $0.geometry == nil } == [false, true, true])
      #expect(numbers.prefix(2) == [7, 9])
      #expect(try file.next(limit: 1) == nil)
      try file.restart(in: nil)
    }
  }

  @Test func fieldsMayBeMissing() throws {
    let folder = try TemporaryFolder()
    let text = """
      {"features":[{"attributes":{"a":1,"b":null},"geometry":{"x":1,"y":2,
       "spatialReference":{"wkid":102100}}},{"attributes":{"a":1.5,"b":"t","c":true}}]}
      """
    let file = try FeatureFile(path: try folder.write("a.json", text))
    #expect(file.fields.map(\.name) == ["a", "b", "c"])
    #expect(file.fields.map(\.kind) == [.real, .text, .boolean])
    #expect(file.spatialReference == (try SpatialReference("EPSG:3857")))
  }

  /// A circle as one curved ring: points near its edge, in a layer and in a buffer.
  @Test func curvesAreFeaturesShapes() throws {
    let folder = try TemporaryFolder()
    let circle = """
      {"attributes":{"OBJECTID":1},
       "geometry":{"curveRings":[[[10,0],{"c":[[10,0],[-10,0]]}]]}}
      """
    let path = try folder.write("a.json", set("{\"wkid\":102100}", circle))
    let map = Map(
      layers: [FeatureLayer(LayerProperties(id: "a"), table: VectorFeatureTable(path: path))])
    let identifier = try MapIdentifier(map)
    for step in 0..<360 {
      let angle = Double(step) * .pi / 180
      let way = SIMD2(cos(angle), sin(angle))
      #expect(identifier.identify(x: 9.99 * way.x, y: 9.99 * way.y).first?.geoElements.count == 1)
      #expect(identifier.identify(x: 10.001 * way.x, y: 10.001 * way.y).isEmpty)
    }
    var options = BatchBuffer.Options(.file(path), distances: .list([5]))
    options.output = folder.path + "/o.gpkg"
    #expect(try BatchBuffer(options).run() == 1)
    let buffers = try FeatureFile(path: folder.path + "/o.gpkg")
    let area = try #require(try buffers.next(limit: 1)?.first?.geometry)
    #expect(abs(area.envelope.xMax - 15) < 0.01 && abs(area.envelope.yMin + 15) < 0.01)
    let mercator = try SpatialReference("EPSG:3857")
    #expect(buffers.spatialReference?.isEquivalent(to: mercator) == true)
  }

  @Test func featuresThatAreNoneAreWithoutAShape() throws {
    let folder = try TemporaryFolder()
    let bad = """
      {"attributes":{"OBJECTID":2},"geometry":{"curveRings":[[[1,1],{"c":[[1,2]]}]]}},
      {"attributes":{"OBJECTID":3},"geometry":{"rings":[[[1,1e999]]]}},
      {"attributes":{"OBJECTID":4},"geometry":{"x":1,"y":2,"spatialReference":{"wkid":4326}}}
      """
    let path = try folder.write("a.json", set("{\"wkid\":102100}", square + "," + bad))
    let file = try FeatureFile(path: path)
    let features = try #require(try file.next(limit: 10))
    #expect(features.map { $0.geometry == nil } == [false, true, true, true])
    #expect(file.faults.count == 3)
    #expect(file.faults.warning?.contains("3 features") == true)
    #expect(file.faults.first?.hasPrefix("feature 2: ") == true)
    let strict = try FeatureFile(path: path, skipsBadShapes: false)
    #expect(throws: PlumbError.self) { while try strict.next(limit: 1) != nil {} }
  }

  @Test(arguments: [
    "", ",", "{", #"{"attributes":{}"#, #"{"attributes":{}},"#, "3", #"{"attributes":{}} {}"#,
  ])
  func brokenTextIsAnError(features: String) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("a.json", set("{\"wkid\":4326}", features))
    guard !features.isEmpty else {
      #expect(try FeatureFile(path: path).next(limit: 1) == nil)
      return
    }
    let error = #expect(throws: PlumbError.self) {
      let file = try FeatureFile(path: path)
      while try file.next(limit: 1) != nil {}
    }
    #expect(error?.message.contains("a.json") == true)
  }
}
