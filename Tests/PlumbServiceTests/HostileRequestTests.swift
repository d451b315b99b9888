import Foundation
import Plumb
import PlumbService
import PlumbTestSupport
import Testing

/// Attacks by means of requests, and the limits that prevent them.
@Suite struct HostileRequestTests {
  @Test(arguments: [
    "/../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/arcgis/rest/services/..%2f..%2fetc/MapServer",
    "/arcgis/rest/services/%00/MapServer", "/arcgis/rest/services/cape%2fMapServer", "/%ff%fe",
    "/arcgis/rest/services//vsicurl/http:/a/MapServer", "/api/../arcgis",
  ])
  func pathsDoNotLeaveTheService(path: String) throws {
    let reply = try TestService.sample.get().service.reply(
      ServiceRequest(.get, path, query: "f=json"))
    let text = String(decoding: try reply.bytes(), as: UTF8.self)
    #expect(reply.status == 404 || text.contains("\"error\""), "\(path): \(text)")
    #expect(!text.contains("root:"))
  }

  @Test func pagesEscape() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "map.json",
      #"{"operationalLayers":[{"id":"x","title":"<script>alert(1)</script>","#
        + #""layerType":"ArcGISFeatureLayer","url":"nothing.geojson"}],"version":"2.31"}"#)
    let service = try TestService(maps: [folder.path("map.json")])
    let page = service.reply("/arcgis/rest/services/map/MapServer", ["f": "html"])
    let text = String(decoding: try page.bytes(), as: UTF8.self)
    #expect(page.contentType.hasPrefix("text/html") && !text.contains("<script"), "\(text)")
    // The page at the root is always the same; data are inserted as text.
    let root = String(decoding: try service.reply("/").bytes(), as: UTF8.self)
    #expect(!root.contains("alert"))
  }

  @Test func deepJSONIsAnError() throws {
    let service = try TestService.sample.get()
    let deep = String(repeating: "[", count: 100_000)
    let reply = service.api("identify", deep)
    #expect(reply.status == 400)
    let geometry = try service.json("cape/FeatureServer/2/query", ["geometry": "{rings:" + deep])
    #expect(try geometry.failure().code == 400)
  }

  /// Long input is read in one pass, or rejected.
  @Test func longParametersAreBounded() throws {
    let service = try TestService.sample.get()
    let digits = String(repeating: "1", count: 100_000)
    let number = try service.json(
      "Utilities/Geometry/GeometryServer/project",
      ["geometries": "[{\"x\":\(digits),\"y\":1}]", "inSR": "4326", "outSR": "3857"])
    #expect(try number.failure().code == 400)
    let having = try service.json(
      "cape/FeatureServer/2/query",
      [
        "outStatistics": "[{statisticType:'count',onStatisticField:'*'}]",
        "having": String(repeating: "count(", count: 10_000),
      ])
    #expect(try having.failure().message.contains("having"))
    let line = (0..<20_000).map { "[\($0),0]" }.joined(separator: ",")
    let samples = try service.json(
      "cape_18/ImageServer/getSamples",
      ["geometry": "{paths:[[\(line)]]}", "sampleCount": "100000"])
    #expect(try samples.failure().message.contains("sampleCount"))
  }

  /// The edges of features to buffer and of areas cross only as often as GEOS can process in memory.
  @Test func crossingsOfFeaturesAreBounded() throws {
    let service = try TestService.sample.get()
    func teeth(_ place: (Int, Int) -> String) -> String {
      "[" + (0..<300).map { place($0, $0 % 2) + "," + place($0, 1 - $0 % 2) }.joined(separator: ",")
        + "]"
    }
    let upright = teeth { "[\(18 + Double($0) / 300),\(-34 - $1)]" }
    let level = teeth { "[\(18 + $1),\(-34 - Double($0) / 300)]" }
    func features(_ type: String, _ coordinates: String...) -> String {
      let list = coordinates.map {
        #"{"type":"Feature","properties":{},"geometry":{"type":"\#(type)","coordinates":\#($0)}}"#
      }
      return #"{"type":"FeatureCollection","features":[\#(list.joined(separator: ","))]}"#
    }
    let both = features("LineString", upright, level)
    let one = features("MultiLineString", "[\(upright),\(level)]")
    for (text, isUnion) in [(both, true), (one, true), (one, false)] {
      let reply = service.api(
        "buffer", #"{"features":\#(text),"distance":1,"geodesic":true,"union":\#(isUnion)}"#)
      let answer = String(decoding: try reply.bytes(), as: UTF8.self)
      #expect(reply.status == 400 && answer.contains(#""code":"limit""#), "\(answer)")
      #expect(answer.contains("edges cross more than"), "\(answer)")
    }
    let apart = service.api(
      "buffer", #"{"features":\#(both),"distance":1000,"geodesic":true,"union":false}"#)
    #expect(apart.status == 200)
  }

  /// The points of `getSamples` are limited by `--max-points`, and not as the vertices of a shape.
  @Test func manyPointsAreSampled() throws {
    let service = try TestService.sample.get()
    func sampled(_ count: Int) throws -> [String: Any] {
      let points = (0..<count).map { "[18.\(4 + $0 % 3),-34]" }.joined(separator: ",")
      return try service.json(
        "cape_18/ImageServer/getSamples", ["geometry": "{points:[\(points)]}"])
    }
    #expect(try sampled(260_000).list("samples").count == 260_000)
    #expect(try sampled(1_000_001).failure().message.contains("1000000"))
  }

  /// Pieces of real requests, truncated and combined: there is always a reply, and it is always
  /// valid. `PLUMB_FUZZED_REQUESTS` sets the number.
  @Test func fuzzedQueriesGetReplies() throws {
    let service = try TestService.sample.get()
    let paths = [
      "cape/MapServer/identify", "cape/FeatureServer/2/query", "cape/MapServer/export",
      "cape/MapServer/0/query", "cape_18/ImageServer/getSamples",
      "Utilities/Geometry/GeometryServer/buffer", "Utilities/Geometry/GeometryServer/project",
      "Utilities/Geometry/GeometryServer/relation", "gas/UtilityNetworkServer/trace",
    ]
    let pieces = [
      "f=json", "where=1=1", "where=POP>'x'", "where=%27", "geometry=18.5,-34", "geometry={x:1,y:",
      "geometry={%22rings%22:[[[0,0],[1,1],[0,0]]]}", "geometry=1,2,3,4", "inSR=4326", "inSR=1",
      "outSR=3857", "outSR=%00", "outFields=*", "outFields=NAME,,POP", "returnIdsOnly=true",
      "returnCountOnly=true", "orderByFields=POP DESC", "resultOffset=999999999999",
      "tolerance=5", "tolerance=-1", "mapExtent=18,-35,19,-33", "mapExtent=1,1,1,1",
      "imageDisplay=100,100,96", "imageDisplay=0,0", "layers=all", "layers=show:1,2",
      "layers=top:9999", "bbox=18,-35,19,-33", "size=10,10", "size=1e9,1", "geometries=1,2",
      "geometries=[{x:1,y:2}]", "distances=1e300", "distances=5", "unit=9001", "geodesic=true",
      "traceType=isolation", "traceLocations=[]", "outStatistics=[]", "having=COUNT(", "&&&", "=",
      "%", "%zz", "\u{0}", "geometryPrecision=17", "maxAllowableOffset=1e308", "distance=1e9",
      "sr={wkt:'PROJCS['}", "sr=+proj=pipeline", "objectIds=1,2,3", "objectIds=[]",
    ]
    var random = SeededGenerator(seed: 99)
    let count = ProcessInfo.processInfo.environment["PLUMB_FUZZED_REQUESTS"].flatMap { Int($0) }
    for _ in 0..<(count ?? 3000) {
      let path = paths.randomElement(using: &random) ?? ""
      var query = "f=json"
      for _ in 0..<Int.random(in: 0...7, using: &random) {
        var piece = Array((pieces.randomElement(using: &random) ?? "").utf8)
        if Int.random(in: 0..<8, using: &random) == 0, !piece.isEmpty {
          piece[Int.random(in: 0..<piece.count, using: &random)] =
            UInt8.random(in: 0...255, using: &random)
        }
        query += "&" + String(decoding: piece, as: UTF8.self)
      }
      let reply = service.service.reply(
        ServiceRequest(.get, "/arcgis/rest/services/" + path, query: query))
      let bytes = try reply.bytes()
      #expect(reply.status == 200)
      // A bare `f` requests a page.
      let isPageRequest = query.dropFirst("f=json".count).lowercased().split(separator: "&")
        .contains { $0 == "f" || $0.hasPrefix("f=") }
      let isJSON = (try? JSONSerialization.jsonObject(with: Data(bytes))) != nil
      #expect(isJSON || isPageRequest && bytes.starts(with: "<!".utf8), "\(path)?\(query)")
    }
  }
}
