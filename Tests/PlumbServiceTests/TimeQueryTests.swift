import Foundation
import PlumbService
import PlumbTestSupport
import Testing

/// `time` on layers with one date field.
@Suite struct TimeQueryTests {
  /// 2026-05-31T10:00:00Z, one hour later, a time before 1970, and a missing time.
  private static let times: [Int?] = [1_780_221_600_000, 1_780_225_200_000, -1, nil]

  private static func features(_ second: String = "") -> String {
    let seen = [
      "\"2026-05-31T12:00:00+02:00\"", "\"2026-05-31T11:00:00Z\"",
      "\"1969-12-31T23:59:59.999Z\"", "null",
    ]
    let list = seen.enumerated().map { index, time in
      #"{"type":"Feature","properties":{"seen":\#(time),"name":"n\#(index + 1)"\#(second)},"#
        + #""geometry":{"type":"Point","coordinates":[18.\#(index),-34]}}"#
    }
    return #"{"type":"FeatureCollection","features":[\#(list.joined(separator: ","))]}"#
  }

  private static func ids(_ reply: [String: Any]) throws -> [Int] {
    try reply.attributes().compactMap { $0["OBJECTID"] as? Int }
  }

  @Test(arguments: [
    ("", [1, 2, 3, 4]), ("null,null", [1, 2, 3, 4]), ("null", [1, 2, 3, 4]), (",", [1, 2, 3, 4]),
    ("1780221600000", [1]), ("1780221600001", []), ("-1", [3]),
    ("1780221600000,1780225200000", [1, 2]), ("1780221600001,1780225199999", []),
    ("null,1780221600000", [1, 3]), ("1780221600000,null", [1, 2]),
    (" 1780221600000 , NULL ", [1, 2]), (",0", [3]), ("1.7802216e12,", [1, 2]),
    ("-9e18,9e18", [1, 2, 3]),
  ])
  func rowsAreThoseOfTheTime(time: String, expected: [Int]) throws {
    let folder = try TemporaryFolder()
    let service = try TestService.of(Self.features(), folder: folder)
    let query = ["where": "1=1", "time": time]
    for server in ["MapServer", "FeatureServer"] {
      let path = "map/\(server)/0/query"
      let extendedParameters = query.merging(["outFields": "OBJECTID"]) { $1 }
      #expect(try Self.ids(service.json(path, extendedParameters)) == expected)
      let count = try service.json(path, query.merging(["returnCountOnly": "true"]) { $1 })
      #expect(count["count"] as? Int == expected.count)
      let ids = try service.json(path, query.merging(["returnIdsOnly": "true"]) { $1 })
      #expect(ids["objectIds"] as? [Int] == expected)
      let sum = try service.json(
        path,
        query.merging([
          "outStatistics":
            #"[{"statisticType":"count","onStatisticField":"name","outStatisticFieldName":"n"}]"#
        ]) { $1 })
      #expect(try sum.attributes().first?["n"] as? Int == expected.count)
      // With another condition, both conditions must be met.
      let both = try service.json(
        path, ["where": "name = 'n1'", "time": time, "outFields": "OBJECTID"])
      #expect(try Self.ids(both) == expected.filter { $0 == 1 })
    }
    // As a form and as JSON, with different case.
    for (type, body) in [
      ("application/x-www-form-urlencoded", TestService.form(["TIME": time, "where": "1=1"])),
      ("application/json", #"{"Time":"\#(time)","where":"1=1"}"#),
    ] {
      let reply = service.service.reply(
        ServiceRequest(
          .post, "/arcgis/rest/services/map/FeatureServer/0/query",
          query: "f=json&returnIdsOnly=true", contentType: type, body: Array(body.utf8)))
      #expect(try TestService.object(reply)["objectIds"] as? [Int] == expected)
    }
  }

  @Test(arguments: ["noon", "1,2,3", "5,4", "2026-05-31", "1;2", "[1,2]"])
  func mistakesAreReported(time: String) throws {
    let folder = try TemporaryFolder()
    let service = try TestService.of(Self.features(), folder: folder)
    let reply = try service.json("map/FeatureServer/0/query", ["where": "1=1", "time": time])
    #expect(try reply.failure().message.hasPrefix("'time' parameter is invalid: "))
  }

  @Test func layersDescribeTheirTime() throws {
    let folder = try TemporaryFolder()
    let service = try TestService.of(Self.features(), folder: folder)
    for server in ["MapServer", "FeatureServer"] {
      let info = try service.json("map/\(server)/0").object("timeInfo")
      #expect(info["startTimeField"] as? String == "seen" && info["endTimeField"] is NSNull)
      #expect(info["timeExtent"] as? [Int] == [-1, 1_780_225_200_000])
      #expect(try info.object("timeReference")["timeZone"] as? String == "UTC")
    }
  }

  /// Without a date field, or with two, the time field is undefined.
  @Test(arguments: [
    (#","day":"2026-05-31""#, "the layer has 2 fields of dates; compare one of them in where")
  ])
  func anAmbiguousTimeIsAnError(second: String, message: String) throws {
    let folder = try TemporaryFolder()
    let service = try TestService.of(Self.features(second), folder: folder)
    let layer = try service.json("map/FeatureServer/0")
    #expect(layer["timeInfo"] == nil)
    let query = try service.json("map/FeatureServer/0/query", ["where": "1=1", "time": "1"])
    #expect(try query.failure().message == "'time' parameter is not supported: " + message)
    // The request does not contain a time.
    let open = try service.json("map/FeatureServer/0/query", ["where": "1=1", "time": "null,null"])
    #expect(try open.attributes().count == 4)
    for (operation, more) in [
      ("export", ["bbox": "17,-35,19,-33", "bboxSR": "4326"]),
      (
        "identify",
        [
          "geometry": "18,-34", "tolerance": "3", "mapExtent": "17,-35,19,-33",
          "imageDisplay": "100,100,96", "sr": "4326",
        ]
      ),
    ] {
      for time in ["1", "null,1"] {
        let reply = try service.json(
          "map/MapServer/" + operation, more.merging(["time": time, "f": "image"]) { $1 })
        #expect(
          try reply.failure().message == "'time' parameter is not supported: no layer has exactly "
            + "one field of dates; leave it out")
      }
    }
    let none = try TestService.sample.get().json(
      "cape/FeatureServer/2/query", ["where": "1=1", "time": "1"])
    #expect(
      try none.failure().message
        == "'time' parameter is not supported: the layer has no field of dates; leave it out")
  }

  @Test func picturesAndIdentifyShowTheTime() throws {
    let folder = try TemporaryFolder()
    let service = try TestService.of(Self.features(), folder: folder)
    let box = ["bbox": "17.9,-34.2,18.4,-33.8", "bboxSR": "4326", "size": "200,160", "f": "image"]
    func picture(_ more: [String: String]) throws -> [UInt8] {
      let reply = service.reply(
        "/arcgis/rest/services/map/MapServer/export", box.merging(more) { $1 })
      #expect(reply.contentType == "image/png")
      return try reply.bytes()
    }
    let all = try picture([:])
    let some = try picture(["time": "1780221600000,null"])
    #expect(try some == picture(["layerDefs": #"{"0":"name IN ('n1', 'n2')"}"#]))
    #expect(some != all)
    #expect(try picture(["time": "null,null"]) == all)
    #expect(
      try picture(["time": "1780221600000,null", "layerDefs": #"{"0":"name <> 'n1'"}"#])
        == picture(["layerDefs": #"{"0":"name = 'n2'"}"#]))
    func found(_ geometry: String, _ time: String) throws -> [String] {
      let reply = try service.json(
        "map/MapServer/identify",
        [
          "geometry": geometry, "tolerance": "3", "mapExtent": "17,-35,19,-33", "sr": "4326",
          "imageDisplay": "1000,1000,96", "time": time, "layers": "all",
        ])
      return try reply.list("results").compactMap { $0["value"] as? String }
    }
    #expect(try found("18,-34", "") == ["n1"])
    #expect(try found("18,-34", "1780221600000") == ["n1"])
    #expect(try found("18,-34", "1780225200000,null") == [])
    #expect(try found("17.5,-34.5,18.5,-33.5", "null,1780221600000").sorted() == ["n1", "n3"])
  }

  @Test func aScaleIsRoundTheMiddleOfTheBox() throws {
    let service = try TestService.sample.get()
    let reply = try service.json(
      "cape/MapServer/export",
      ["bbox": "0,0,1000,3000", "bboxSR": "3857", "size": "400,300", "mapScale": "50000"])
    #expect(abs(try #require(reply["scale"] as? Double) - 50_000) < 1e-6)
    let extent = try reply.object("extent")
    let side = 50_000 * 0.0254 / 96
    #expect(abs(try #require(extent["xmin"] as? Double) - (500 - 200 * side)) < 1e-6)
    #expect(abs(try #require(extent["ymax"] as? Double) - (1500 + 150 * side)) < 1e-6)
    let fine = try service.json(
      "cape/MapServer/export",
      [
        "bbox": "0,0,1000,3000", "bboxSR": "3857", "size": "400,300", "mapScale": "50000",
        "dpi": "192",
      ])
    #expect(abs(try #require(fine["scale"] as? Double) - 50_000) < 1e-6)
    #expect(
      abs(try #require(fine.object("extent")["xmin"] as? Double) - (500 - 100 * side)) < 1e-6)
    for scale in ["0", "-5", "x", "1e99"] {
      let reply = try service.json(
        "cape/MapServer/export", ["bbox": "0,0,1000,3000", "bboxSR": "3857", "mapScale": scale])
      #expect(try reply.failure().message.hasPrefix("'mapScale' parameter is invalid"))
    }
  }
}
