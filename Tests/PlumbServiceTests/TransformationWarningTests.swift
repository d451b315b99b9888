import Plumb
import PlumbService
import PlumbTestSupport
import Testing

/// Every request that reads a raster at coordinates in another CRS has the warnings of the same
/// question to the command.
@Suite struct TransformationWarningTests {
  private struct Question {
    var path: String
    var parameters: [String: String] = [:]
    var body: String?
  }

  private static let point = #"{"x":0.00001,"y":-0.00001,"spatialReference":{"wkid":4326}}"#
  private static let box =
    #"{"xmin":0.000005,"ymin":-0.00002,"xmax":0.00002,"ymax":-0.000005,"#
    + #""spatialReference":{"wkid":4326}}"#
  private static let area = "0.000005 -0.00002,0.00002 -0.00002,0.00002 0,0.000005 -0.00002"
  private static let areas =
    #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"geometry":"#
    + #"{"type":"Polygon","coordinates":[[[0.000005,-0.00002],[0.00002,-0.00002],[0.00002,0],"#
    + #"[0.000005,-0.00002]]]}}]}"#
  private static let rest = "/arcgis/rest/services/map"
  private static let questions: [Question] = [
    Question(
      path: "/api/identify", body: #"{"map":"map","at":[[0.00001,-0.00001]],"crs":"EPSG:4326"}"#),
    Question(path: "/api/sample", body: "lon,lat\n0.00001,-0.00001\n"),
    Question(path: "/api/zonal", body: #"{"rasters":["map_0"],"features":\#(areas)}"#),
    Question(
      path: rest + "/MapServer/identify",
      parameters: [
        "geometry": point, "geometryType": "esriGeometryPoint", "sr": "4326", "tolerance": "0",
        "mapExtent": "0,-0.0001,0.0001,0", "imageDisplay": "100,100,96", "layers": "all",
      ]),
    Question(
      path: rest + "/MapServer/identify",
      parameters: [
        "geometry": box, "geometryType": "esriGeometryEnvelope", "sr": "4326", "tolerance": "0",
        "mapExtent": "0,-0.0001,0.0001,0", "imageDisplay": "100,100,96", "layers": "all",
      ]),
    Question(
      path: rest + "_0/ImageServer/identify",
      parameters: ["geometry": point, "geometryType": "esriGeometryPoint"]),
    Question(
      path: rest + "_0/ImageServer/getSamples",
      parameters: ["geometry": point, "geometryType": "esriGeometryPoint"]),
    Question(
      path: rest + "_0/ImageServer/computeStatisticsHistograms",
      parameters: ["geometry": box, "geometryType": "esriGeometryEnvelope"]),
    Question(
      path: rest + "_0/ImageServer/computeHistograms",
      parameters: ["geometry": box, "geometryType": "esriGeometryEnvelope"]),
    Question(
      path: "/ogc/collections/map.cells/position",
      parameters: ["coords": "POINT(0.00001 -0.00001)"]),
    Question(
      path: "/ogc/collections/map.cells/position",
      parameters: ["coords": "POINT(0.00001 -0.00001)", "f": "CSV"]),
    Question(
      path: "/ogc/collections/map.cells/radius",
      parameters: ["coords": "POINT(0.00001 -0.00001)", "within": "2"]),
    Question(
      path: "/ogc/collections/map.cells/area", parameters: ["coords": "POLYGON((\(area)))"]),
    Question(
      path: "/ogc/collections/map.cells/area",
      parameters: ["coords": "POLYGON((\(area)))", "parameter-name": "Band_0_mean"]),
    Question(
      path: "/ogc/collections/map.cells/trajectory",
      parameters: ["coords": "LINESTRING(0.000005 -0.00001,0.00002 -0.00001)"]),
  ]

  private static func replies(reference: String) throws -> [(path: String, reply: ServiceReply)] {
    let folder = try TemporaryFolder()
    try folder.write(
      "cells.asc",
      "ncols 4\nnrows 3\nxllcorner 0\nyllcorner -3\ncellsize 1\n0 1 2 3\n4 5 6 7\n8 9 10 11\n")
    try folder.write("cells.prj", reference)
    try folder.write(
      "map.json",
      #"{"operationalLayers":[{"id":"cells","layerType":"RasterLayer","url":"cells.asc"}],"#
        + #""version":"2.31"}"#)
    let service = try TestService(maps: [folder.path("map.json")])
    return questions.map { question in
      if let body = question.body {
        let type = body.hasPrefix("{") ? "application/json" : "text/csv"
        let request = ServiceRequest(
          .post, question.path, contentType: type, body: Array(body.utf8))
        return (question.path, service.service.reply(request))
      }
      var parameters = question.parameters
      if question.path.hasPrefix("/arcgis") { parameters["f"] = "json" }
      return (question.path, service.reply(question.path, parameters))
    }
  }

  private static let sinusoidal =
    #"],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["Sinusoidal"],"#
    + #"PARAMETER["longitude_of_center",0],PARAMETER["false_easting",0],"#
    + #"PARAMETER["false_northing",0],UNIT["metre",1]]"#

  /// The datum of the raster is unknown.
  @Test func ballparkTransformations() throws {
    let reference =
      #"PROJCS["s",GEOGCS["unknown",DATUM["Unknown based on Bessel 1841 ellipsoid","#
      + #"SPHEROID["Bessel 1841",6377397.155,299.1528128]"# + Self.sinusoidal
    for (path, reply) in try Self.replies(reference: reference) {
      let text = String(decoding: try reply.bytes().prefix(300), as: UTF8.self)
      #expect(reply.status == 200 && !text.contains("\"error\""), "\(path): \(text)")
      #expect(
        reply.warnings.filter { $0.contains("ballpark") }.count == 1, "\(path): \(reply.warnings)")
    }
  }

  @Test func exactTransformations() throws {
    let reference =
      #"PROJCS["s",GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]"#
      + Self.sinusoidal
    for (path, reply) in try Self.replies(reference: reference) {
      let text = String(decoding: try reply.bytes().prefix(300), as: UTF8.self)
      #expect(reply.status == 200 && !text.contains("\"error\""), "\(path): \(text)")
      #expect(reply.warnings == [], "\(path)")
    }
  }

  /// The grid for the transformation of these shapes from NAD27 is not installed.
  @Test func shapesOfFeatures() throws {
    let folder = try TemporaryFolder()
    let service = try TestService.of(
      #"{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"EPSG:4267"}},"#
        + #""features":[{"type":"Feature","properties":{"n":1},"geometry":"#
        + #"{"type":"Point","coordinates":[-63.5,43.5]}}]}"#,
      folder: folder)
    let path = Self.rest + "/FeatureServer/0/query"
    let parameters = ["where": "1=1", "f": "json", "outFields": "*"]
    let replies: [(ServiceReply, isExact: Bool?)] = [
      (service.reply(path, parameters), true),
      (
        service.reply(
          path, parameters.merging(["outSR": "4326", "returnGeometry": "false"]) { $1 }), nil
      ),
      (service.reply(path, parameters.merging(["outSR": "4267"]) { $1 }), true),
      (service.reply(path, parameters.merging(["outSR": "4326"]) { $1 }), false),
      (service.reply(path, parameters.merging(["f": "geojson"]) { $1 }), false),
      (service.reply("/ogc/collections/map.f/items", ["f": "json"]), false),
    ]
    for (reply, isExact) in replies {
      let text = String(decoding: try reply.bytes(), as: UTF8.self)
      #expect(reply.status == 200 && text.contains("63.5") == (isExact == true), "\(text)")
      #expect(
        reply.warnings.filter { $0.contains("a grid that is missing") }.count
          == (isExact == false ? 1 : 0), "\(reply.warnings)")
    }
  }

  /// Shapes from NAD27, and a filter in WGS84 of shapes in NAD27.
  @Test(arguments: [4267, 4326])
  func shapesOfRequests(code: Int) throws {
    let folder = try TemporaryFolder()
    let service = try TestService.of(
      #"{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"EPSG:4267"}},"#
        + #""features":[{"type":"Feature","properties":{"n":1},"geometry":"#
        + #"{"type":"Point","coordinates":[-63.5,43.5]}}]}"#,
      folder: folder)
    let geometry = "/arcgis/rest/services/Utilities/Geometry/GeometryServer/"
    let query = Self.rest + "/FeatureServer/0/query"
    let filter = [
      "f": "json", "geometry": "-64,43,-63,44", "geometryType": "esriGeometryEnvelope",
      "inSR": "\(code)",
    ]
    for (reply, expected) in [
      (
        service.reply(
          geometry + "project",
          ["f": "json", "inSR": "4267", "outSR": "\(code)", "geometries": "-63.5,43.5"]),
        code == 4326
      ),
      (
        service.reply(
          geometry + "buffer",
          [
            "f": "json", "inSR": "4267", "outSR": "\(code)", "geometries": "-63.5,43.5",
            "distances": "10", "geodesic": "true",
          ]), code == 4326
      ),
      (service.reply(query, filter.merging(["returnCountOnly": "true"]) { $1 }), code == 4326),
      (service.reply(query, filter.merging(["returnIdsOnly": "true"]) { $1 }), code == 4326),
      (
        service.reply(
          query, ["f": "json", "where": "1=1", "returnExtentOnly": "true", "outSR": "\(code)"]),
        code == 4326
      ),
    ] {
      let text = String(decoding: try reply.bytes(), as: UTF8.self)
      #expect(reply.status == 200 && !text.contains("\"error\""), "\(text)")
      #expect(
        reply.warnings.filter { $0.contains("a grid that is missing") }.count == (expected ? 1 : 0),
        "\(text): \(reply.warnings)")
    }
  }
}
