import Foundation
import Plumb
import PlumbService
import PlumbTestSupport
import Testing

/// A monitor in a temporary folder, and its replies.
struct LiveScene {
  let folder: TemporaryFolder
  let monitor: LiveMonitor
  private let service: Service

  /// A square of one degree, and one next to it.
  static let fences = """
    {"type":"FeatureCollection","features":[
    {"type":"Feature","id":1,"properties":{"name":"Box","kind":"area"},"geometry":{"type":"Polygon",
      "coordinates":[[[0,0],[1,0],[1,1],[0,1],[0,0]]]}},
    {"type":"Feature","id":2,"properties":{"name":"East","kind":"area"},"geometry":{"type":"Polygon",
      "coordinates":[[[2,0],[3,0],[3,1],[2,1],[2,0]]]}}]}
    """

  /// - Parameter options: members in addition to the fences.
  init(
    _ options: String = "", _ limits: MonitorLimits = .init()
  ) throws {
    folder = try TemporaryFolder()
    try folder.write("fences.geojson", Self.fences)
    try folder.write(
      "monitor.json",
      #"{"fences":"fences.geojson"\#(options.isEmpty ? "" : ",")\#(options)}"#)
    monitor = try LiveMonitor(
      name: "m", path: folder.path("monitor.json"), limits, Workers(count: 2))
    service = Service(
      try ServiceCatalog(maps: [], networks: [], .init()), monitors: [monitor])
  }

  func sendRequest(
    _ method: ServiceRequest.Method, _ path: String, _ body: String = "", type: String = "",
    query: String = "", sender: String = ""
  ) -> ServiceReply {
    var request = ServiceRequest(
      method, "/monitor/m" + path, query: query, contentType: type, body: Array(body.utf8))
    request.sender = sender
    return service.reply(request)
  }

  @discardableResult
  func post(
    _ body: String, type: String = "application/json", status: Int = 200
  ) throws -> [String: Any] {
    let reply = sendRequest(.post, "/locations", body, type: type)
    let text = String(decoding: try reply.bytes(), as: UTF8.self)
    #expect(reply.status == status, "\(text)")
    return try TestService.object(reply)
  }

  /// One location as an object.
  static func location(_ id: String, _ second: Int, _ x: Double, _ y: Double = 0.5) -> String {
    #"{"id":"\#(id)","time":\#(1_777_630_000 + second),"lon":\#(x),"lat":\#(y)}"#
  }

  /// The lines of all events so far.
  var events: [String] {
    (monitor.log.events(after: 0, bytes: .max) ?? []).map {
      String(decoding: $0.json, as: UTF8.self)
    }
  }

  /// Each event as `entity type fence`.
  func brief() throws -> [String] {
    try events.map { line in
      let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
      let event = try #require(value as? [String: Any])
      let parts = ["entity", "type", "fence"].map { event[$0] as? String ?? "?" }
      return parts.joined(separator: " ")
    }
  }
}

extension [String: Any] {
  /// The messages of the rejected rows.
  func refusals() throws -> [String] {
    try list("refusals").map { try #require($0["message"] as? String) }
  }

  func count(_ name: String) -> Int? { self[name] as? Int }
}
