import Foundation
import PlumbCore
import PlumbTestSupport
import Testing

@testable import Plumb
@testable import PlumbLayers

/// Map image layers of local files: nesting, visibility and errors of sublayers.
@Suite struct ServiceLayersTests {
  private static func layer(
    _ services: String, members: String = "", in folder: TemporaryFolder
  ) throws -> MapImageLayer {
    try folder.write("services.json", #"{"layers":[\#(services)]}"#)
    let map = try MapDocumentTests.open(
      MapDocumentTests.map(
        ofLayers:
          #"{"id":"s","layerType":"ArcGISMapServiceLayer","url":"services.json"\#(members)}"#
      ), in: folder)
    return try #require(map.layers[0] as? MapImageLayer)
  }

  /// An outline such as `0+(1+ 2-)`: ids from the top, with a plus for visible sublayers.
  private static func outline(_ layers: [any Layer]) -> String {
    layers.map { layer in
      let inner = layer.sublayers
      return layer.id + (layer.isVisible ? "+" : "-")
        + (inner.isEmpty ? "" : "(" + outline(inner) + ")")
    }.joined(separator: " ")
  }

  private static let tree = """
    {"id":0,"name":"G","parentLayerId":-1,"subLayerIds":[1,2],"type":"Group Layer"},
    {"id":1,"parentLayerId":0,"source":"towns.geojson","type":"Feature Layer",
     "definitionExpression":"POP > 1","minScale":9,"popupInfo":{"title":"own"}},
    {"id":2,"subLayerIds":[5]},
    {"id":5,"source":{"path":"grid.asc"},"defaultVisibility":false},
    {"id":7,"name":"N","source":{"path":"towns.geojson","layerName":"towns"}}
    """

  @Test func sublayersNestAsTheListSays() throws {
    let folder = try TemporaryFolder()
    let layer = try Self.layer(Self.tree, in: folder)
    try layer.load()
    #expect(Self.outline(layer.sublayers) == "0+(1+ 2+(5-)) 7+")
    let first = try #require(layer.sublayers[0].sublayers[0] as? FeatureLayer)
    #expect(first.definitionExpression == "POP > 1")
    #expect(first.properties.scaleRange.minScale == 9)
    #expect(first.popup?.title == "own")
    #expect(first.name == "1")
    try first.load()
    #expect(first.table.fields.map(\.name) == ["NAME", "POP"])
    let grid = try #require(layer.sublayers[0].sublayers[1].sublayers[0] as? RasterLayer)
    try grid.load()
    #expect(grid.raster?.name == "5")
    let last = try #require(layer.sublayers[1] as? FeatureLayer)
    try last.load()
    #expect(last.name == "N")
  }

  @Test func theWebMapShowsHidesAndOverrides() throws {
    let folder = try TemporaryFolder()
    let shown = try Self.layer(Self.tree, members: #","visibleLayers":[5,99]"#, in: folder)
    try shown.load()
    #expect(Self.outline(shown.sublayers) == "0+(1- 2+(5+)) 7-")
    let none = try Self.layer(Self.tree, members: #","visibleLayers":[]"#, in: folder)
    try none.load()
    #expect(Self.outline(none.sublayers) == "0-(1- 2-(5-)) 7-")
    let layer = try Self.layer(
      Self.tree,
      members: """
        ,"layers":[{"id":1,"popupInfo":{"title":"other"},"defaultVisibility":false,"maxScale":2,
         "layerDefinition":{"definitionExpression":"POP > 2"}},
         {"id":7,"disablePopup":true,"popupInfo":{},"visibility":false,"opacity":0},{"id":99}]
        """, in: folder)
    try layer.load()
    #expect(Self.outline(layer.sublayers) == "0+(1- 2+(5-)) 7-")
    let first = try #require(layer.sublayers[0].sublayers[0] as? FeatureLayer)
    #expect(first.definitionExpression == "POP > 2")
    #expect(first.popup?.title == "other")
    #expect(first.properties.scaleRange == ScaleRange(minScale: 9, maxScale: 2))
    #expect((layer.sublayers[1] as? FeatureLayer)?.popup == nil)
  }

  @Test func aBrokenSublayerFailsAlone() throws {
    let folder = try TemporaryFolder()
    let layer = try Self.layer(
      """
      {"id":1,"name":"no source"},{"id":2,"source":"towns.geojson"},
      {"id":3,"source":"grid.asc","type":"Table"},{"id":4,"source":{"path":"no.tif"}},
      {"id":5,"source":"towns.geojson","minScale":"x"},{"id":6,"source":"../x.tif"},
      {"id":7,"source":{"path":"towns.geojson","layer":"cities"}}
      """, members: #","layers":[{"id":2,"popupInfo":7}]"#, in: folder)
    try layer.load()
    #expect(layer.sublayers.map(\.id) == ["1", "2", "3", "4", "5", "6", "7"])
    #expect(layer.sublayers[0].name == "no source")
    #expect(
      layer.sublayers.map {
        MapDocumentTests.failure($0, folder)?.replacingOccurrences(
          of: "services.json: layers", with: "L")
      } == [
        "L[0].source: expected a path, found nothing",
        "map.json: operationalLayers[0].layers[0].popupInfo: expected an object, found a number",
        "L[2].type: expected Feature Layer, Raster Layer or Group Layer, found Table",
        "L[3].source.path: no such file: no.tif",
        "L[4].minScale: expected a number, found a string",
        """
        L[5].source: ../x.tif lies outside the map's folder; \
        this requires access outside the folder
        """,
        "L[6].source.path: towns.geojson has no layer \"cities\"; it has \"towns\"",
      ])
  }

  static let faults: [MapDocumentTests.Fault] = [
    .init(#"{"id":1},{"id":1}"#, "layers[1].id: two sublayers have the id 1"),
    .init(#"{"id":"1"}"#, "layers[0].id: expected a whole number, found a string"),
    .init("7", "layers[0]: expected an object, found a number"),
    .init(
      #"{"id":1,"parentLayerId":9}"#,
      "layers[0].parentLayerId: sublayer 1 names the parent 9, which does not exist"),
    .init(
      #"{"id":1,"subLayerIds":[9]}"#,
      "layers[0].subLayerIds[0]: sublayer 1 lists 9, which does not exist"),
    .init(
      #"{"id":1,"subLayerIds":[2,2]},{"id":2}"#,
      "layers[0].subLayerIds[1]: sublayer 1 lists 2 twice"),
    .init(
      #"{"id":1,"subLayerIds":[2]},{"id":2},{"id":3,"subLayerIds":[2]}"#,
      "layers[2].subLayerIds[0]: sublayers 1 and 3 both list 2"),
    .init(
      #"{"id":1,"subLayerIds":[2]},{"id":2,"parentLayerId":-1}"#,
      "layers[0].subLayerIds[0]: sublayer 1 lists 2, which names none as its parent"),
    .init(
      #"{"id":1,"subLayerIds":[2]},{"id":2},{"id":3,"parentLayerId":1}"#,
      "layers[2]: sublayer 3 names the parent 1, which does not list 3"),
    .init(
      #"{"id":1,"type":"Feature Layer"},{"id":2,"parentLayerId":1}"#,
      "layers[0]: sublayer 1 is a Feature Layer and cannot have sublayers"),
    .init(
      #"{"id":0},{"id":1,"parentLayerId":3},{"id":2,"parentLayerId":1},{"id":3,"parentLayerId":2}"#,
      "layers: sublayers contain each other: 3 in 2 in 1 in 3"),
    .init(
      #"{"id":4,"parentLayerId":4}"#, "layers: sublayers contain each other: 4 in 4"),
  ]

  @Test(arguments: faults)
  func aTreeThatDoesNotFitIsTheLayersFailure(fault: MapDocumentTests.Fault) throws {
    let folder = try TemporaryFolder()
    let layer = try Self.layer(fault.members, in: folder)
    #expect(MapDocumentTests.failure(layer, folder) == "services.json: " + fault.message)
  }

  @Test func deepAndWideLists() throws {
    let folder = try TemporaryFolder()
    func chain(_ count: Int) -> String {
      (0..<count).map { #"{"id":\#($0),"parentLayerId":\#($0 - 1),"type":"Group Layer"}"# }
        .joined(separator: ",")
    }
    let limit = MapImageLayer.nestingLimit
    #expect(MapDocumentTests.failure(try Self.layer(chain(limit), in: folder), folder) == nil)
    for count in [limit + 1, 10_000] {
      #expect(
        MapDocumentTests.failure(try Self.layer(chain(count), in: folder), folder)
          == "services.json: layers[256]: sublayer 256 is nested deeper than 256 levels")
    }
    let ring = (0..<10_000).map { #"{"id":\#($0),"parentLayerId":\#(($0 + 1) % 10_000)}"# }
    #expect(
      MapDocumentTests.failure(
        try Self.layer(ring.joined(separator: ","), in: folder), folder)?.hasSuffix(" in …") == true
    )
    let wide = try Self.layer(
      (0..<100_000).map { #"{"id":\#($0),"type":"Raster Layer","source":"grid.asc"}"# }
        .joined(separator: ","), in: folder)
    try wide.load()
    #expect(wide.sublayers.count == 100_000)
    #expect(wide.sublayers.last?.id == "99999")
  }
}
