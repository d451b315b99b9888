import Foundation
import Plumb
import PlumbTestSupport
import Testing

/// Maps that are hostile as a whole, not in the url of a layer.
@Suite struct HostileMapTests {
  private static func map(reference: String = #"{"wkid":4326}"#, layer: String = "") -> String {
    #"{"spatialReference":\#(reference),"operationalLayers":[{"id":"t","layerType":"ArcGISFeatureLayer","url":"t.geojson"\#(layer)}]}"#
  }

  private static let maps: [(name: String, text: String)] =
    [
      "+init={OUT}/secret:1", "+proj=longlat +init={OUT}/secret:1 +type=crs", "{URL}/wkt",
      "{OUT}/secret.txt",
      "/vsicurl/{URL}/wkt", "+proj=longlat +nadgrids={URL}/g.tif +type=crs",
      "+proj=longlat +nadgrids={OUT}/secret.txt +type=crs",
      "+proj=longlat +geoidgrids={URL}/g.tif +type=crs",
      "+proj=pipeline +step +proj=vgridshift +grids={OUT}/secret.txt",
      "http://www.opengis.net/def/crs/EPSG/0/4326",
      "urn:ogc:def:crs:{URL}::1", "GEOGCS[" + String(repeating: "A[", count: 50_000),
      "+proj=ob_tran +o_proj=" + String(repeating: "ob_tran +o_proj=", count: 1000)
        + "longlat +type=crs",
    ].map { ("the reference \($0.prefix(40))", map(reference: "{\"wkt\":\"\($0)\"}")) }
    + [
      ("a code out of range", map(reference: #"{"wkid":99999999999999999999}"#)),
      ("a code that is not a number", map(reference: #"{"wkid":1e999}"#)),
      ("deep arrays", "{\"operationalLayers\":" + String(repeating: "[", count: 500_000)),
      (
        "deep groups",
        "{\"operationalLayers\":["
          + String(
            repeating: "{\"id\":\"g\",\"layerType\":\"GroupLayer\",\"layers\":[", count: 20_000)
      ),
      (
        "deep groups that end",
        "{\"operationalLayers\":["
          + String(repeating: "{\"layerType\":\"GroupLayer\",\"layers\":[", count: 20_000)
          + String(repeating: "]}", count: 20_000) + "]}"
      ),
      (
        "a picture on a network",
        map(
          layer:
            #","layerDefinition":{"drawingInfo":{"renderer":{"type":"simple","symbol":{"type":"esriPMS","url":"{URL}/i.png","width":9,"height":9}}}}"#
        )
      ),
      (
        "media on a network",
        map(
          layer:
            #","popupInfo":{"title":"{note}","mediaInfos":[{"type":"image","value":{"sourceURL":"{URL}/i.png"}}]}"#
        )
      ),
      (
        "a popup's expression that reads a portal",
        map(
          layer:
            #","popupInfo":{"title":"{expression/e}","expressionInfos":[{"name":"e","expression":"FeatureSetByPortalItem(Portal('{URL}'),'x',0)"}]}"#
        )
      ),
      (
        "a popup's endless expression",
        map(
          layer:
            #","popupInfo":{"title":"{expression/e}","expressionInfos":[{"name":"e","expression":"while(true){}"}]}"#
        )
      ),
      (
        "a condition that reads files",
        map(
          layer:
            #","layerDefinition":{"definitionExpression":"readfile('{OUT}/secret.txt') IS NOT NULL"}"#
        )
      ),
      (
        "a condition within conditions",
        map(
          layer:
            #","layerDefinition":{"definitionExpression":"\#(String(repeating: "(", count: 100_000))"}"#
        )
      ),
      (
        "a base map on a network",
        #"{"baseMap":{"baseMapLayers":[{"id":"b","layerType":"RasterLayer","url":"/vsicurl/{URL}/o.tif"}]},"operationalLayers":[]}"#
      ),
      ("tables on a network", #"{"tables":[{"id":"b","url":"{URL}/0"}],"operationalLayers":[]}"#),
    ]

  @Test func `no part of a map as a whole leads elsewhere or runs without end`() throws {
    let listener = try LoopbackListener()
    let scene = try HostileScene([], listener: listener)
    for (name, text) in Self.maps {
      try scene.folder.write("maps/map.json", scene.filled(text))
      let run = try MeasuredRun(
        ["identify", scene.map, "--at", "0.5,1.5", "--popups-only", "--format", "json"],
        folder: scene.folder.path)
      #expect(
        run.isSound, "\(name): \(run.status.map(String.init) ?? "hangs") \(run.errors.prefix(300))")
      #expect(!HostileScene.isLeak(run.output + run.errors), "\(name)")
      #expect(listener.count == 0, "\(name)")
    }
  }
}
