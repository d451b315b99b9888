import Foundation
import Plumb
import PlumbService
import PlumbTestSupport
import Testing

/// Requests that time out at many moments of each verb: the reply is the complete result or an
/// error.
@Suite(.serialized) struct CancelledRequestTests {
  /// A request for each verb.
  struct Verb: Sendable, CustomTestStringConvertible {
    var name: String
    var request: ServiceRequest
    var testDescription: String { name }

    init(_ name: String, _ path: String, _ parameters: [String: String]) {
      self.name = name
      let form = TestService.form(parameters.merging(["f": "json"]) { current, _ in current })
      request = ServiceRequest(
        .post, path, contentType: "application/x-www-form-urlencoded", body: Array(form.utf8))
    }

    init(_ name: String, body: String, query: String = "", type: String = "application/json") {
      self.name = name
      request = ServiceRequest(
        .post, "/api/" + name, query: query, contentType: type, body: Array(body.utf8))
    }

    init(ogc name: String, _ parameters: [String: String]) {
      self.name = name
      request = ServiceRequest(
        .get, "/ogc/collections/" + name, query: TestService.form(parameters),
        origin: "http://plumb")
    }
  }

  private static let points: [(x: Double, y: Double)] = {
    var generator = SeededGenerator(seed: 11)
    return (0..<3000).map { _ in
      (
        Double.random(in: 18.3...18.95, using: &generator),
        Double.random(in: -34.3 ... -33.7, using: &generator)
      )
    }
  }()

  private static func list(_ count: Int, _ open: String, _ close: String) -> String {
    points.prefix(count).map { "\(open)\($0.x),\($0.y)\(close)" }.joined(separator: ",")
  }

  private static let rest = "/arcgis/rest/services/"

  static let verbs: [Verb] = {
    let rows = points.prefix(120).map { "\($0.x),\($0.y)\n" }.joined()
    let objects = list(24, #"{"x":"#, "}").replacing(",-", with: #","y":-"#)
    let locations = list(2500, "(", ")").replacing(",-", with: " -")
    let view = ["bbox": "18.3,-34.3,18.95,-33.7", "bboxSR": "4326", "size": "100,100"]
    let around = [
      "geometry": "18.6,-33.95", "geometryType": "esriGeometryPoint", "sr": "4326",
      "tolerance": "20", "mapExtent": "18.3,-34.3,18.95,-33.7", "imageDisplay": "400,400,96",
      "layers": "all",
    ]
    // Degenerate lines are also areas: from each point to the middle of the map.
    let square = (
      open: #"{"type":"Feature","properties":{},"geometry":{"type":"LineString","coordinates":["#
        + "[18.6,-34],[",
      close: "]]}}"
    )
    return [
      Verb("identify", body: #"{"map":"cape","tolerance":"2km","at":[\#(list(4, "[", "]"))]}"#),
      Verb("sample", body: "lon,lat\n" + rows, query: "map=cape&tolerance=2km", type: "text/csv"),
      Verb(
        "buffer",
        body: #"{"at":[\#(list(40, "[", "]"))],"distance":900,"unit":"m","geodesic":true}"#),
      Verb(
        "trace",
        body: #"{"network":"gas","type":"isolation","start":["M0054:Load"],"#
          + #""filter-category":"Isolating"}"#),
      Verb(
        "zonal",
        body: #"{"rasters":["e=cape_18"],"stat":"mean,median,area","features":{"type":"#
          + #""FeatureCollection","features":[\#(list(200, square.open, square.close))]}}"#),
      Verb(
        "statistics", rest + "cape_18/ImageServer/computeStatisticsHistograms",
        ["geometry": "18.3,-34.3,18.95,-33.7", "sr": "4326"]),
      Verb("map identify", rest + "cape/MapServer/identify", around),
      Verb(
        "export", rest + "cape/MapServer/export", view.merging(["f": "image"]) { $1 }),
      Verb("legend", rest + "cape/MapServer/legend", [:]),
      Verb(
        "query", rest + "cape/FeatureServer/2/query",
        ["where": "1=1", "outFields": "*", "outSR": "3857"]),
      Verb(
        "getSamples", rest + "cape_18/ImageServer/getSamples",
        [
          "geometry": #"{"points":[\#(list(3000, "[", "]"))]}"#,
          "geometryType": "esriGeometryMultipoint", "sr": "4326",
        ]),
      Verb(
        "exportImage", rest + "cape_18/ImageServer/exportImage",
        view.merging(["f": "image", "size": "400,400"]) { $1 }),
      Verb(
        "geometry buffer", rest + "Utilities/Geometry/GeometryServer/buffer",
        [
          "geometries": #"{"geometryType":"esriGeometryPoint","geometries":[\#(objects)]}"#,
          "inSR": "4326", "outSR": "4326", "distances": "900", "unit": "9001", "geodesic": "true",
        ]),
      Verb(
        ogc: "cape.wards/items",
        ["limit": "200", "crs": "http://www.opengis.net/def/crs/EPSG/0/3857"]),
      Verb(ogc: "cape.evi/position", ["coords": "MULTIPOINT(\(locations))"]),
      Verb(
        ogc: "cape.evi/area",
        ["coords": "POLYGON((18.4 -34,18.5 -34,18.5 -33.9,18.4 -33.9,18.4 -34))"]),
    ]
  }()

  /// Status and body, without the time of day.
  private static func outcome(_ service: Service, _ request: ServiceRequest) throws -> String {
    let reply = service.reply(request)
    let bytes = try reply.bytes()
    // Latin-1 keeps bytes that are not UTF-8.
    let text = String(bytes: bytes, encoding: .isoLatin1) ?? ""
    return "\(reply.status) "
      + text.replacing(/"timeStamp":"[^"]*"/, with: "\"timeStamp\":\"\"")
  }

  @Test(arguments: verbs) func theReplyIsCompleteOrAnError(verb: Verb) throws {
    let service = try TestService.sample.get().service
    let whole = try Self.outcome(service, verb.request)
    #expect(whole.hasPrefix("200 ") && !whole.hasPrefix("200 {\"error\""), "\(whole.prefix(400))")
    let seconds = try RandomMoments.seconds { _ = try Self.outcome(service, verb.request) }
    var moments = RandomMoments(seed: 21, seconds: seconds)
    while moments.needsMore(8) {
      let run = CancelledRun(after: moments.next()) { try Self.outcome(service, verb.request) }
      moments.record(wasStrike: run.wasStrike)
      #expect(run.isRight { $0 == whole })
    }
    #expect(moments.areStrikes, "\(moments.strikes) of \(moments.count)")
    // Replies do not contain partial results of cancelled work.
    #expect(try Self.outcome(service, verb.request) == whole)
    if ProcessInfo.processInfo.environment["PLUMB_CANCELLATIONS"] != nil {
      print(
        "\(verb.name): \(moments.strikes) of \(moments.count) moments during the work of "
          + "\((seconds * 1e4).rounded() / 10) ms, \(whole.count) bytes")
    }
  }

  /// Clients receive a timeout or a lack of memory as an error in the error format of the address.
  @Test(arguments: [(false, 504), (true, 503)])
  func repliesToCancelledRequestsAreErrors(lacksMemory: Bool, status: Int) throws {
    func reply(_ path: String, _ progress: String? = nil) -> ServiceReply {
      Service.cancelledReply(at: path, lacksMemory: lacksMemory, progress: progress)
    }
    let esri = reply("/arcgis/rest/services/cape/MapServer/identify")
    #expect(esri.status == 200)
    #expect(try TestService.object(esri).failure().code == status)
    let problem = reply("/ogc/collections/cape.evi/position")
    #expect(problem.status == status && problem.contentType == "application/problem+json")
    #expect(try TestService.object(problem)["status"] as? Int == status)
    for path in ["/api/sample", "/monitor/m/locations"] {
      let reply = reply(path, "the rows before row 5 were accepted")
      #expect(reply.status == status)
      let error = try TestService.object(reply).object("error")
      #expect(error["code"] as? String == "limit")
      #expect((error["message"] as? String)?.hasSuffix(" row 5 were accepted") == true)
    }
  }

  /// Locations of a cancelled request are processed up to some row, and no event is lost or
  /// invented.
  @Test func locationsOfLateRequestsCountUpToARow() throws {
    let lines = (0..<12_000).map { row in
      LiveScene.location("e\(row % 40)", row, Double(row % 37) / 12)
    }
    let whole = try LiveScene()
    func post(_ scene: LiveScene, from row: Int) throws -> Int {
      let reply = scene.sendRequest(
        .post, "/locations", lines[row...].joined(separator: "\n"), type: "application/x-ndjson")
      return reply.status
    }
    let start = ContinuousClock.now
    #expect(try post(whole, from: 0) == 200)
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let expected = try whole.brief()
    #expect(expected.count > 1000)
    var moments = RandomMoments(seed: 31, seconds: seconds)
    while moments.needsMore(5) {
      let scene = try LiveScene()
      let run = CancelledRun(after: moments.next()) { try post(scene, from: 0) }
      moments.record(wasStrike: run.wasStrike)
      #expect(run.isRight { $0 == 200 })
      if case .failure = run.result {
        // The state of the entities matches the reply: the remaining locations cause the same
        // events.
        let row = run.progress.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        if row < lines.count { #expect(try post(scene, from: row) == 200) }
      }
      #expect(try scene.brief() == expected)
    }
    #expect(moments.areStrikes)
  }

  /// A track of a cancelled request is replayed completely or not at all, in agreement with the
  /// reported progress.
  @Test func tracksOfLateRequestsAreReplayedWholeOrNotAtAll() throws {
    let rows = (0..<30_000).map { row in
      "e\(row % 40),\(1_777_630_000 + row),\(Double(row % 37) / 12),0.5\n"
    }
    let track = "id,time,x,y\n" + rows.joined()
    func replay(_ scene: LiveScene) -> Int {
      scene.sendRequest(.post, "/replay", track, type: "text/csv", query: "speed=max").status
    }
    func events(_ scene: LiveScene) throws -> [String] {
      try waitUntil("the replay has ended") {
        let state = String(decoding: try scene.sendRequest(.get, "/replay").bytes(), as: UTF8.self)
        return !state.contains("\"running\":true")
      }
      return try scene.brief()
    }
    let whole = try LiveScene()
    let start = ContinuousClock.now
    #expect(replay(whole) == 202)
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let expected = try events(whole)
    #expect(expected.count > 900)
    var moments = RandomMoments(seed: 33, seconds: seconds)
    while moments.needsMore(5) {
      let scene = try LiveScene()
      let run = CancelledRun(after: moments.next()) { replay(scene) }
      moments.record(wasStrike: run.wasStrike)
      #expect(run.isRight { $0 == 202 })
      var isReplayed = true
      if case .failure = run.result { isReplayed = run.progress != nil }
      #expect(try events(scene) == (isReplayed ? expected : []))
    }
    #expect(moments.areStrikes, "\(moments.strikes) of \(moments.count)")
  }
}
