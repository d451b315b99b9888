import Foundation
import Plumb
import PlumbService
import PlumbTestSupport
import Testing

/// Rule: an extent whose west exceeds its east crosses the antimeridian, in every service.
@Suite struct AntimeridianServiceTests {
  private static let fiji =
    #"{"type":"FeatureCollection","features":["#
    + #"{"type":"Feature","properties":{"n":1},"geometry":{"type":"Point","coordinates":[-179.9,-17]}},"#
    + #"{"type":"Feature","properties":{"n":2},"geometry":{"type":"Point","coordinates":[179.9,-17]}},"#
    + #"{"type":"Feature","properties":{"n":3},"geometry":{"type":"Point","coordinates":[179,10]}}]}"#

  @Test func `queries accept boxes across 180 degrees`() throws {
    let folder = try TemporaryFolder()
    let service = try TestService.of(Self.fiji, folder: folder)
    let metres = 6_378_137 * Double.pi / 180
    for (geometry, reference) in [
      ("179,-18,-179,-16", "4326"), ("{xmin:179,ymin:-18,xmax:-179,ymax:-16}", "4326"),
      ("179,-18,181,-16", "4326"), ("-181,-18,-179,-16", "4326"),
      ("\(179 * metres),-2100000,\(-179 * metres),-1800000", "3857"),
    ] {
      let reply = try service.json(
        "map/FeatureServer/0/query",
        [
          "geometry": geometry, "geometryType": "esriGeometryEnvelope", "inSR": reference,
          "returnCountOnly": "true",
        ])
      #expect(reply["count"] as? Int == 2, "\(geometry): \(reply)")
    }
    let bad = try service.json(
      "map/FeatureServer/0/query",
      [
        "geometry": "600000,0,500000,10", "geometryType": "esriGeometryEnvelope", "inSR": "32633",
        "returnCountOnly": "true",
      ])
    #expect(try bad.failure().message.contains("west"))
  }

  @Test func `extents take the short way around`() throws {
    let folder = try TemporaryFolder()
    let service = try TestService.of(Self.fiji, folder: folder)
    for path in ["map/MapServer", "map/FeatureServer"] {
      let extent = try service.json(path).object("fullExtent")
      #expect(extent["xmin"] as? Double == 179 && extent["xmax"] as? Double == 180.1, "\(extent)")
    }
    let layer = try service.json("map/FeatureServer/0").object("extent")
    #expect(layer["xmin"] as? Double == 179 && layer["xmax"] as? Double == 180.1, "\(layer)")
    let document = try service.json(
      "map/FeatureServer/0/query", ["where": "n < 3", "returnExtentOnly": "true"])
    let outputExtent = try document.object("extent")
    #expect(
      outputExtent["xmin"] as? Double == 179.9 && outputExtent["xmax"] as? Double == 180.1,
      "\(outputExtent)")
    let page = try TestService.object(service.reply("/api/page"))
    let maps = try page.list("maps")
    let box = try #require(maps.first?["extent"] as? [Double])
    #expect(box[0] == 179 && (box[2] + 179.9).magnitude < 1e-9, "west of east: \(box)")
  }

  @Test func `export draws both sides`() throws {
    let folder = try TemporaryFolder()
    let service = try TestService.of(Self.fiji, folder: folder)
    func count(_ box: String, _ more: [String: String]) throws -> Int {
      let parameters = ["bbox": box, "size": "200,100", "format": "svg", "f": "image"]
      let reply = service.reply(
        "/arcgis/rest/services/map/MapServer/export", parameters.merging(more) { _, new in new })
      return String(decoding: try reply.bytes(), as: UTF8.self).components(separatedBy: "<path")
        .count
    }
    let empty = try count("0,0,1,1", ["bboxSR": "4326"])
    let one = try count("179.55,-17.1,179.95,-16.9", ["bboxSR": "4326"]) - empty
    #expect(one > 0)
    for (box, more) in [
      ("179.5,-17.5,-179.5,-16.5", ["bboxSR": "4326"]),
      ("179.5,-17.5,-179.5,-16.5", ["bboxSR": "4326", "imageSR": "3857"]),
      ("19980000,-1930000,20090000,-1870000", ["bboxSR": "3857"]),
      ("19980000,-1930000,-19980000,-1870000", ["bboxSR": "3857"]),
    ] {
      #expect(try count(box, more) - empty == 2 * one, "\(box) \(more)")
    }
  }

  @Test func `identify measures pixels of a view across 180 degrees`() throws {
    let folder = try TemporaryFolder()
    let service = try TestService.of(Self.fiji, folder: folder)
    for extent in ["179,-18,-179,-16", "179,-18,181,-16"] {
      let reply = try service.json(
        "map/MapServer/identify",
        [
          "geometry": "{x:180,y:-17}", "geometryType": "esriGeometryPoint", "sr": "4326",
          "mapExtent": extent, "imageDisplay": "200,200,96", "tolerance": "12", "layers": "all",
        ])
      // A pixel is a hundredth of a degree.
      #expect(try reply.list("results").count == 2, "\(extent): \(reply)")
    }
  }
}
