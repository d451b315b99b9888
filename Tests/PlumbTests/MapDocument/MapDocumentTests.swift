import Foundation
import PlumbCore
import PlumbGDAL
import PlumbTestSupport
import Testing

@testable import Plumb
@testable import PlumbLayers

/// Map documents that refer to real files, and each fault with its message.
@Suite struct MapDocumentTests {
  static let towns = """
    {"type":"FeatureCollection","features":[
    {"type":"Feature","properties":{"NAME":"A","POP":1500},"geometry":{"type":"Polygon",
     "coordinates":[[[0,0],[2,0],[2,2],[0,2],[0,0]]]}},
    {"type":"Feature","properties":{"NAME":"B","POP":20},"geometry":{"type":"Polygon",
     "coordinates":[[[2,0],[4,0],[4,2],[2,2],[2,0]]]}}]}
    """

  /// Opens `map.json` in a folder with `towns.geojson` and `grid.asc`.
  static func open(
    _ json: String, in folder: TemporaryFolder, access: DocumentAccess = .folder
  ) throws -> Map {
    try folder.write("towns.geojson", towns)
    try folder.write(
      "grid.asc", "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 2\n1 2\n3 4\n")
    return try Map.open(path: try folder.write("map.json", json), access: access)
  }

  static func map(ofLayers layers: String) -> String { #"{"operationalLayers":[\#(layers)]}"# }

  /// The error of `load`, without the folder; nil if the layer loads.
  static func failure(_ layer: any Layer, _ folder: TemporaryFolder) -> String? {
    do throws(LayerError) {
      try layer.load()
      return nil
    } catch {
      return error.summary.replacingOccurrences(of: folder.path + "/", with: "")
    }
  }

  @Test func everyMemberOfADocumentIsRead() throws {
    let folder = try TemporaryFolder()
    let map = try Self.open(
      #"""
      {"version":"2.31","spatialReference":{"wkid":102100,"latestWkid":3857},"other":[{}],
       "operationalLayers":[
        {"id":"dem","title":"Elevation","layerType":"RasterLayer","url":"grid.asc","opacity":0.5,
         "minScale":50000,"maxScale":1000,"popupInfo":{"title":"{Band_0}"}},
        {"id":"towns","title":"Towns","layerType":"ArcGISFeatureLayer","url":"towns.geojson",
         "visibility":false,
         "layerDefinition":{"definitionExpression":"POP > 1000","minScale":9,"maxScale":3,
          "drawingInfo":{"renderer":{"type":"simple","symbol":{"type":"esriSFS",
           "outline":{"type":"esriSLS","width":1.5}}}}},
         "popupInfo":{"title":"{NAME}","description":"Town<br/>of <b>{POP}</b><BR>people",
          "fieldInfos":[{"fieldName":"NAME","label":"Name","visible":true},
           {"fieldName":"POP","visible":false,"format":{"places":0,"digitSeparator":true}},
           {"fieldName":"D","format":{"dateFormat":"shortDate"}}],
          "expressionInfos":[{"name":"e","title":"E","expression":"1 + 1"}]}},
        {"id":"g","title":"Group","layerType":"GroupLayer","layers":[
         {"layerType":"ArcGISFeatureLayer","url":"towns.geojson#towns","title":null,
          "layerDefinition":"POP < 5","disablePopup":true,"popupInfo":{"title":"x"}},
         {"id":7,"layerType":"RasterLayer","url":"*.asc"}]}]}
      """#, in: folder)
    #expect(map.spatialReference == (try SpatialReference("EPSG:3857")))
    #expect(map.layers.map(\.id) == ["dem", "towns", "g"])
    let dem = try #require(map.layers[0] as? RasterLayer)
    #expect(
      dem.properties
        == LayerProperties(
          id: "dem", name: "Elevation", opacity: 0.5,
          scaleRange: ScaleRange(minScale: 50000, maxScale: 1000)))
    #expect(dem.popup?.title == "{Band_0}")
    // Opening the map does not open any layer.
    #expect(dem.loadStatus == .notLoaded)
    try dem.load()
    #expect(dem.raster?.name == "Elevation")
    let towns = try #require(map.layers[1] as? FeatureLayer)
    #expect(
      towns.properties
        == LayerProperties(
          id: "towns", name: "Towns", isVisible: false,
          scaleRange: ScaleRange(minScale: 9, maxScale: 3)))
    #expect(towns.definitionExpression == "POP > 1000")
    #expect(towns.renderer == .simple(.fill(outlineWidth: 2)))
    #expect(
      towns.popup
        == PopupDefinition(
          title: "{NAME}", text: "Town\nof <b>{POP}</b>\npeople",
          fields: [
            PopupDefinition.FieldInfo(name: "NAME", label: "Name"),
            PopupDefinition.FieldInfo(
              name: "POP", isVisible: false,
              format: PopupDefinition.NumberFormat(places: 0, hasDigitSeparator: true)),
            PopupDefinition.FieldInfo(name: "D"),
          ], expressions: [PopupDefinition.Expression(name: "e", title: "E", expression: "1 + 1")]
        ))
    let group = try #require(map.layers[2] as? GroupLayer)
    #expect(group.layers.map(\.id) == ["g-1", "7"])
    #expect(group.layers.map(\.name) == ["g-1", "7"])
    let inner = try #require(group.layers[0] as? FeatureLayer)
    #expect(inner.definitionExpression == "POP < 5")
    #expect(inner.popup == nil)
    try inner.load()
    #expect(inner.table.fields.map(\.name) == ["NAME", "POP"])
    #expect(Self.failure(group.layers[1], folder) == nil)
  }

  @Test func renderersAndSymbols() throws {
    let folder = try TemporaryFolder()
    let sms = #"{"type":"esriSMS","size":9}"#
    let pms = #"{"type":"esriPMS","width":3,"height":6}"#
    func renderer(_ text: String) throws -> Renderer? {
      let layer = #"{"id":"a","layerType":"ArcGISFeatureLayer","url":"towns.geojson","#
      let map = try Self.open(
        Self.map(ofLayers: layer + #""drawingInfo":{"renderer":"# + text + "}}"), in: folder)
      return (map.layers[0] as? FeatureLayer)?.renderer
    }
    #expect(
      try renderer(
        #"{"type":"uniqueValue","field1":"NAME","field2":"POP","fieldDelimiter":";","#
          + #""uniqueValueInfos":[{"value":"A; 7","symbol":\#(sms)}],"#
          + #""uniqueValueGroups":[{"classes":[{"values":[["B",8],["<Null>",9]],"symbol":\#(pms)}]}],"#
          + #""defaultSymbol":{"type":"esriSLS","width":3}}"#)
        == .uniqueValue(
          Renderer.UniqueValues(
            fields: ["NAME", "POP"],
            classes: [
              Renderer.UniqueValues.Class(values: [["A", "7"]], symbol: .marker(size: 12)),
              Renderer.UniqueValues.Class(
                values: [["B", "8"], ["", "9"]], symbol: .marker(size: 8)),
            ], defaultSymbol: .line(width: 4))))
    #expect(
      try renderer(
        #"{"type":"classBreaks","field":"POP","minValue":1,"#
          + #""classBreakInfos":[{"classMaxValue":5,"symbol":\#(sms)}]}"#)
        == .classBreaks(
          Renderer.ClassBreaks(
            field: "POP", minimum: 1,
            classes: [Renderer.ClassBreaks.Class(maximum: 5, symbol: .marker(size: 12))])))
    #expect(
      try renderer(
        #"{"type":"simple","symbol":{"type":"esriSFS","outline":{"style":"esriSLSNull","width":4}}}"#
      ) == .simple(.fill(outlineWidth: 0)))
  }

  @Test(arguments: [
    ("", "invalid JSON: the text ends too early (line 1, byte 0)"),
    ("{\n\"a\": oops}", "invalid JSON: a value was expected (line 2, byte 7)"),
    ("{} {}", "invalid JSON: unexpected text after the value (line 1, byte 3)"),
    ("[]", "expected an object, found a list"),
    ("{}", "operationalLayers: expected a list, found nothing"),
    (#"{"operationalLayers":{}}"#, "operationalLayers: expected a list, found an object"),
    (
      #"{"operationalLayers":[{},null]}"#, "operationalLayers[1]: expected an object, found null"
    ),
    (
      #"{"spatialReference":{"wkid":"x"},"operationalLayers":[]}"#,
      "spatialReference.wkid: expected a whole number, found a string"
    ),
    (
      String(repeating: "[", count: 600),
      "invalid JSON: values are nested deeper than 512 levels (line 1, byte 512)"
    ),
  ])
  func faultsOfTheWholeThrow(json: String, message: String) throws {
    let folder = try TemporaryFolder()
    do {
      _ = try Self.open(json, in: folder)
      Issue.record("it opened")
    } catch let error as PlumbError {
      #expect(error.message == folder.path("map.json") + ": " + message)
    }
  }

  private static let feature = #""layerType":"ArcGISFeatureLayer","url":"towns.geojson""#

  struct Fault: Sendable {
    var members: String
    var message: String
    init(_ members: String, _ message: String) { (self.members, self.message) = (members, message) }
  }

  private static let types =
    "ArcGISDynamicMapServiceLayer, ArcGISFeatureLayer, ArcGISImageServiceLayer, ArcGISMapServiceLayer, "
    + "CSV, GeoJSON, GroupLayer, KML, RasterLayer, WMS"

  static let faults: [Fault] = [
    Fault(
      #""layerType":"ArcGISSceneServiceLayer""#,
      "layerType: ArcGISSceneServiceLayer is not a supported layer type; expected one of \(types)"
    ),
    Fault(#""title":"x""#, "layerType: expected a string, found nothing"),
    Fault(#""layerType":"RasterLayer""#, "url: expected a path, found nothing"),
    Fault(#""layerType":"RasterLayer","url":7"#, "url: expected a string, found a number"),
    Fault(#""layerType":"RasterLayer","url":"no.tif""#, "url: no such file: no.tif"),
    Fault(#""layerType":"RasterLayer","url":"no*.tif""#, "url: no file matches no*.tif"),
    Fault(#"\#(feature),"minScale":"1""#, "minScale: expected a number, found a string"),
    Fault(#"\#(feature),"maxScale":-1"#, "maxScale: expected a number of 0 or more, found -1.0"),
    Fault(
      #"\#(feature),"maxScale":1e999"#, "maxScale: expected a number, found one that is too large"),
    Fault(#"\#(feature),"opacity":2"#, "opacity: expected a number from 0 to 1, found 2.0"),
    Fault(#"\#(feature),"visibility":1"#, "visibility: expected true or false, found a number"),
    Fault(#"\#(feature),"title":[]"#, "title: expected a string, found a list"),
    Fault(
      #"\#(feature),"layerDefinition":7"#, "layerDefinition: expected an object, found a number"),
    Fault(
      #"\#(feature),"layerDefinition":{"drawingInfo":{"renderer":{"type":"sparkle"}}}"#,
      "layerDefinition.drawingInfo.renderer.type: expected simple, uniqueValue or classBreaks, found sparkle"
    ),
    Fault(
      #"\#(feature),"drawingInfo":{"renderer":{"type":"simple","symbol":{"type":"CIM"}}}"#,
      "drawingInfo.renderer.symbol.type: expected esriSMS, esriPMS, esriSLS, esriSFS or esriPFS, found CIM"
    ),
    Fault(#"\#(feature),"popupInfo":"x""#, "popupInfo: expected an object, found a string"),
    Fault(
      #"\#(feature),"popupInfo":{"fieldInfos":[{"label":"x"}]}"#,
      "popupInfo.fieldInfos[0].fieldName: expected a string, found nothing"
    ),
    Fault(
      #"\#(feature),"popupInfo":{"fieldInfos":[{"fieldName":"x","format":{"places":0.5}}]}"#,
      "popupInfo.fieldInfos[0].format.places: expected a whole number, found 0.5"
    ),
    Fault(
      #""layerType":"GroupLayer","layers":[7]"#, "layers[0]: expected an object, found a number"),
    Fault(
      #""layerType":"ArcGISMapServiceLayer","url":"s.json","visibleLayers":["a"]"#,
      "visibleLayers[0]: expected a whole number, found a string"
    ),
    Fault(
      #""layerType":"ArcGISMapServiceLayer","url":"s.json","layers":[{"id":1},{"id":1}]"#,
      "layers[1].id: the sublayer 1 is listed twice"
    ),
  ]

  @Test(arguments: faults)
  func faultsOfALayerAreItsOwn(fault: Fault) throws {
    let folder = try TemporaryFolder()
    let map = try Self.open(
      Self.map(ofLayers: #"{"id":"ok",\#(Self.feature)},{"id":"bad",\#(fault.members)}"#),
      in: folder)
    #expect(map.layers.map(\.id) == ["ok", "bad"])
    #expect(Self.failure(map.layers[0], folder) == nil)
    #expect(
      Self.failure(map.layers[1], folder) == "map.json: operationalLayers[1]." + fault.message)
    if case .failed(let error) = map.layers[1].loadStatus {
      #expect(error.code == .badLayer)
    } else {
      Issue.record("it has not failed")
    }
  }

  @Test func idsThatAreTwiceOrMissing() throws {
    let folder = try TemporaryFolder()
    let layer = "{\(Self.feature)"
    let map = try Self.open(
      Self.map(
        ofLayers: [
          #"\#(layer),"id":"a","title":"first"}"#, "\(layer)}", #"\#(layer),"id":"a","title":"T"}"#,
          #"\#(layer),"id":"layer-2"}"#, #"\#(layer),"id":""}"#, #"\#(layer),"id":{}}"#,
        ].joined(separator: ",")), in: folder)
    #expect(map.layers.map(\.id) == ["a", "layer-2'", "a", "layer-2", "layer-5", "layer-6"])
    #expect(map.layers.map(\.name) == ["first", "layer-2'", "T", "layer-2", "layer-5", "layer-6"])
    #expect(
      map.layers.map { Self.failure($0, folder) } == [
        nil, nil, "map.json: operationalLayers[2]: two layers have the id a", nil, nil,
        "map.json: operationalLayers[5].id: expected a string, found an object",
      ])
  }

  @Test func whatIsADocument() throws {
    let folder = try TemporaryFolder()
    func isDocument(_ text: String) throws -> Bool {
      Map.isDocument(path: try folder.write("x", text))
    }
    #expect(try isDocument("\u{FEFF} \n{\"a\":{},\"operationalLayers\":[]}"))
    #expect(try isDocument("{\"a\": oops, \"operationalLayers\":[]}"))
    #expect(try !isDocument("{\"a\":{\"operationalLayers\":[]}}"))
    #expect(try !isDocument("[{\"operationalLayers\":[]}]"))
    #expect(try !isDocument(""))
    #expect(try !isDocument("{\"a\": oops}"))
    #expect(!Map.isDocument(path: folder.path))
    #expect(!Map.isDocument(path: folder.path("nothing")))
    #expect(!Map.isDocument(path: "/dev/zero"))
  }

  @Test func aDocumentOf64MegabytesAtMost() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("map.json", Self.map(ofLayers: ""))
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.truncate(atOffset: UInt64(DocumentFile.sizeLimit) + 1)
    #expect(throws: PlumbError.self) { try Map.open(path: path) }
    do {
      _ = try Map.open(path: path)
    } catch {
      #expect("\(error)" == path + ": a map document has at most 64 MB")
    }
  }
}
