import Foundation
import PlumbTestSupport
import Testing

/// Rule: anything that is not drawn as specified in the document causes one warning for its layer,
/// in pictures and in `info`, and in queries that match features by their symbols.
@Suite struct MapDrawingTests {
  private static let point =
    #"{"type":"Feature","properties":{"N":1},"geometry":{"type":"Point","coordinates":[0,0]}}"#

  private func drawing(_ renderer: String) -> String {
    #""layerDefinition":{"drawingInfo":{"renderer":"# + renderer + "}}"
  }

  private static let cim = #"{"type":"CIMSymbolReference","symbol":{"type":"CIMPointSymbol"}}"#
  private static let disc = #"{"type":"esriSMS","style":"esriSMSCircle","size":8}"#

  /// Members of a layer, the warning for a picture, and whether they change the symbol's size in
  /// queries.
  private static let cases: [(more: String, words: String, changesSizes: Bool)] = [
    (
      #""layerDefinition":{"drawingInfo":{"renderer":{"type":"simple","symbol":\#(cim)}}}"#,
      "CIM symbols", true
    ),
    (#""layerDefinition":{"drawingInfo":{"renderer":{"type":"heatmap"}}}"#, "heat map", true),
    (
      #""layerDefinition":{"drawingInfo":{"renderer":{"type":"simple","symbol":{"type":"esriPMS","#
        + #""width":10,"height":10,"url":"x.png"}}}}"#, "picture markers", false
    ),
    (
      #""drawingInfo":{"renderer":{"type":"simple","symbol":\#(disc),"visualVariables":["#
        + #"{"type":"sizeInfo","field":"N"},{"type":"colorInfo","field":"N"}]}}"#,
      "visual variable sizeInfo, visual variable colorInfo", true
    ),
    (
      #""drawingInfo":{"renderer":{"type":"uniqueValue","valueExpression":"$feature.N","#
        + #""uniqueValueInfos":[{"value":"1","symbol":\#(disc)}]}}"#,
      "values of an expression (valueExpression)", true
    ),
    (
      #""layerDefinition":{"drawingInfo":{"renderer":{"type":"simple","symbol":\#(disc)},"#
        + #""labelingInfo":[{"labelExpressionInfo":{"expression":"$feature.N"}}]}}"#, "labels",
      false
    ),
    (
      #""drawingInfo":{"renderer":{"type":"simple","symbol":{"type":"esriSMS","size":8,"angle":30,"#
        + #""style":"esriSMSPath"}}}"#, "style esriSMSPath, angles of symbols", false
    ),
    (#""featureReduction":{"type":"cluster"}"#, "feature reduction (cluster)", true),
  ]

  @Test func undrawnPartsAreReportedOnce() throws {
    let fixture = try Fixture()
    try fixture.features("p.geojson", [Self.point])
    for example in Self.cases {
      try fixture.map([fixture.layer("p", "p.geojson", title: "Places", more: example.more)])
      let line = "Places: not drawn as specified in the document: \(example.words)"
      let drawn = try plumb(
        ["draw", "map.json", "--plain", "-o", "m.svg", "--overwrite"], folder: fixture.folder.path)
      #expect(drawn.status == 0 && drawn.errors == "plumb: warning: \(line)\n", "\(drawn.errors)")
      let info = try plumb(["info", "map.json"], folder: fixture.folder.path)
      let text = "warning: not drawn as specified in the document: \(example.words)"
      #expect(info.lines.contains { $0.hasSuffix(text) }, "\(info.output)")
      let found = try plumb(
        ["identify", "map.json", "--at", "0,0", "--scale", "100000"], folder: fixture.folder.path)
      #expect(
        found.errors.contains("Places: symbols have other sizes than in the document: ")
          == example.changesSizes, "\(example.words): \(found.errors)")
      let exact = try plumb(["identify", "map.json", "--at", "0,0"], folder: fixture.folder.path)
      #expect(exact.errors == "", "without a scale symbols have no size: \(exact.errors)")
    }
  }

  @Test func plainDocumentsAreSilent() throws {
    let fixture = try Fixture()
    try fixture.features("p.geojson", [Self.point])
    let plain = drawing(#"{"type":"simple","symbol":\#(Self.disc),"visualVariables":[]}"#)
    for more in [plain, plain + #","showLabels":false,"labelingInfo":[{}]"#, ""] {
      try fixture.map([fixture.layer("p", "p.geojson", more: more)])
      let drawn = try plumb(
        ["draw", "map.json", "--plain", "-o", "m.svg", "--overwrite"], folder: fixture.folder.path)
      #expect(drawn.status == 0 && drawn.errors == "", "\(drawn.errors)")
      let info = try plumb(["info", "map.json", "--of", "json"], folder: fixture.folder.path)
      #expect(info.output.contains(#""warning":null"#), "\(info.output)")
    }
  }

  /// Rule: a ring that goes the long way around the Earth is one warning, in identify and in
  /// pictures.
  @Test func areasThatGoTheLongWayRoundAreNamed() throws {
    let fixture = try Fixture()
    let ring =
      #"{"type":"Feature","id":4,"properties":{},"geometry":{"type":"Polygon","coordinates":"#
      + "[[[179,66],[-179,66],[-179,67],[179,66]]]}}"
    try fixture.features("a.geojson", [ring])
    try fixture.map([fixture.layer("a", "a.geojson", title: "Areas")])
    for arguments in [
      ["identify", "map.json", "--at", "0,66.2"], ["draw", "map.json", "-o", "m.svg"],
    ] {
      let run = try plumb(arguments, folder: fixture.folder.path)
      let lines = run.errors.split(separator: "\n").filter { $0.contains("358") }
      #expect(run.status == 0 && lines.count == 1, "\(run.errors)")
      #expect(lines.first?.contains("Areas: feature ") == true, "\(run.errors)")
    }
  }

  /// Old documents do not contain a layer's type, which then follows from the address.
  @Test func layersWithoutATypeAreReadByTheirAddress() throws {
    let fixture = try Fixture()
    try fixture.features("p.geojson", [Self.point])
    try fixture.folder.write("t.csv", "lon,lat,N\n0,0,7\n")
    try fixture.raster("r.tif", .uint8, bands: [(0..<12).map { UInt8($0) }], left: -1, top: 1)
    let document =
      #"{"spatialReference":{"wkid":4326},"operationalLayers":[{"id":"r","url":"r.tif"},"#
      + #"{"id":"p","url":"p.geojson"},{"id":"t","url":"t.csv"},{"id":"x","title":"x"}]}"#
    try fixture.folder.write("map.json", document)
    let run = try plumb(
      ["identify", "map.json", "--at", "0,0", "--of", "json"], folder: fixture.folder.path)
    let found = try #require(try run.results.first)
    let types = Dictionary(
      uniqueKeysWithValues: found.map { ($0.layer["id"] ?? "", $0.layer["type"] ?? "") })
    #expect(
      types["r"] == "raster" && types["p"] == "feature" && types["t"] == "feature", "\(types)")
    #expect(found.first { $0.layer["id"] == "x" }?.error?["message"]?.contains("layerType") == true)
  }

  /// JSON of other programs is not reported as a raster.
  @Test func otherDocumentsAreNamed() throws {
    let fixture = try Fixture()
    try fixture.folder.write("style.json", #"{"version":8,"sources":{},"layers":[]}"#)
    try fixture.folder.write("pro.mapx", #"{"mapDefinition":{},"layerDefinitions":[]}"#)
    for (name, words) in [("style.json", "vector tiles"), ("pro.mapx", "ArcGIS Pro")] {
      for arguments in [
        ["info", name], ["identify", name, "--at", "0,0"], ["draw", name, "-o", "m.svg"],
      ] {
        let run = try plumb(arguments, folder: fixture.folder.path)
        #expect(run.status != 0)
        #expect(run.errors.contains("\(name) is not a map document"), "\(run.errors)")
        #expect(run.errors.contains(words) && !run.errors.contains("raster"), "\(run.errors)")
      }
    }
  }
}
