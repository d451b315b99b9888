import Foundation
import Plumb
import PlumbTestSupport
import Testing

@testable import PlumbService

/// Lists omit entries that cannot be read, and report them.
@Suite struct OmissionTests {
  /// A map of a readable layer, one of unreadable features, one of unreadable cells, and an invalid map.
  private func service(_ folder: TemporaryFolder) throws -> TestService {
    try folder.write(
      "good.geojson",
      #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"geometry":"#
        + #"{"type":"Point","coordinates":[18,-34]}},{"type":"Feature","properties":{},"geometry":"#
        + #"{"type":"Point","coordinates":[18,95]}}]}"#)
    try folder.write("bad.geojson", #"{"type":"FeatureCollection","features":[{"type":"Fea"#)
    try folder.write("bad.tif", "II*")
    let layers = [
      ("good", "ArcGISFeatureLayer", "good.geojson"),
      ("torn", "ArcGISFeatureLayer", "bad.geojson"), ("cells", "RasterLayer", "bad.tif"),
      ("odd", "Nothing", "x"),
    ].map { #"{"id":"\#($0.0)","layerType":"\#($0.1)","url":"\#($0.2)"}"# }
    let list = layers.joined(separator: ",")
    try folder.write(
      "map.json", #"{"spatialReference":{"wkid":4326},"operationalLayers":[\#(list)]}"#)
    return try TestService(maps: [folder.path("map.json")])
  }

  /// The path of queries of the readable layer.
  private func queryPath(_ service: TestService) throws -> String {
    let number = try service.json("map/MapServer").list("layers").first {
      $0["name"] as? String == "good"
    }?["id"]
    let layer = try #require(number as? Int)
    return "/arcgis/rest/services/map/FeatureServer/\(layer)/query"
  }

  @Test(arguments: [
    "/ogc/collections", "/ogc/api", "/arcgis/rest/services/map/MapServer/layers",
    "/arcgis/rest/services/map/FeatureServer/layers", "/arcgis/rest/services/map/MapServer/legend",
  ])
  func listsNameWhatTheyGoWithout(path: String) throws {
    let folder = try TemporaryFolder()
    let reply = try service(folder).reply(path, ["f": "json"])
    #expect(reply.status == 200)
    let text = String(decoding: try reply.bytes(), as: UTF8.self)
    #expect(text.contains("good"), "\(text.prefix(500))")
    for name in ["torn", "cells", "odd"] {
      #expect(
        reply.warnings.filter { $0.contains("\(name) is left out: ") }.count == 1,
        "\(name): \(reply.warnings)")
    }
    #expect(reply.warnings.count == 3)
  }

  /// A shape that cannot be transformed to the requested CRS is not treated as missing.
  @Test func shapesWithoutACounterpartAreNamed() throws {
    let folder = try TemporaryFolder()
    let service = try service(folder)
    let path = try queryPath(service)
    let query = ["where": "1=1", "f": "json"]
    #expect(service.reply(path, query).warnings == [])
    let items = "/collections/map.good/items"
    let crs = "http://www.opengis.net/def/crs/EPSG/0/3857"
    for reply in [
      service.reply(path, query.merging(["outSR": "3857"]) { $1 }),
      service.reply(path, ["where": "1=1", "f": "geojson", "outSR": "3857"]),
      service.ogc(items, ["crs": crs]), service.ogc(items + "/2", ["crs": crs]),
    ] {
      #expect(reply.status == 200 && reply.warnings.count == 1, "\(reply.warnings)")
      #expect(
        reply.warnings.first?.hasPrefix("the shape of row 2 cannot be transformed to ") == true)
    }
  }

  /// Coordinates of GeoJSON without a named CRS are longitudes and latitudes, so that a CRS without a code
  /// is an error there.
  @Test func theCRSOfGeoJSONHasItsAuthority() throws {
    let folder = try TemporaryFolder()
    let service = try service(folder)
    let path = try queryPath(service)
    func text(_ crs: String) throws -> String {
      let reply = service.reply(path, ["where": "1=1", "f": "geojson", "outSR": crs])
      return String(decoding: try reply.bytes(), as: UTF8.self)
    }
    #expect(try !text("4326").contains("\"crs\""))
    let named = #""crs":{"type":"name","properties":{"name":"EPSG:32734"}}"#
    #expect(try text("32734").contains(named))
    #expect(try text("102022").contains(#"{"name":"ESRI:102022"}"#))
    let custom =
      #"{"wkt":"PROJCS[\"a\",GEOGCS[\"b\",DATUM[\"WGS_1984\",SPHEROID[\"c\",6378137,298.257223563]],"#
      + #"PRIMEM[\"Greenwich\",0],UNIT[\"Degree\",0.0174532925199433]],PROJECTION[\"Sinusoidal\"],"#
      + #"PARAMETER[\"Central_Meridian\",7],UNIT[\"Meter\",1]]"}"#
    #expect(try text(custom).contains("f=geojson needs a CRS with a code"))
    // A code of IAU is not a wkid.
    let moon = try SpatialReference("IAU_2015:30100")
    #expect(moon.json.text.contains("wkt") && !moon.json.text.contains("wkid"))
  }
}
