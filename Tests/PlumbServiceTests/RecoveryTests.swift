import Foundation
import Plumb
import PlumbIO
import PlumbService
import PlumbTestSupport
import Synchronization
import Testing

/// Remote layers that are not available at first.
@Suite struct RecoveryTests {
  private static let layer = """
    {"id":0,"name":"p","type":"Feature Layer","geometryType":"esriGeometryPoint","objectIdField":"OID",
    "fields":[{"name":"OID","type":"esriFieldTypeOID"}],"maxRecordCount":10,"capabilities":"Query",
    "extent":{"xmin":0,"ymin":0,"xmax":9,"ymax":9,"spatialReference":{"wkid":4326}}}
    """
  private static let found = """
    {"objectIdFieldName":"OID","geometryType":"esriGeometryPoint","spatialReference":{"wkid":4326},
    "fields":[{"name":"OID","type":"esriFieldTypeOID"}],
    "features":[{"attributes":{"OID":1},"geometry":{"x":1,"y":1}}]}
    """

  @Test(.timeLimit(.minutes(5))) func layersAreBackWhenTheirServicesAre() async throws {
    let isUp = Mutex(false)
    let far = try ScriptedServer { request in
      guard isUp.withLock({ $0 }) else {
        return ScriptedServer.Reply("<html>closed</html>", status: "503 Service Unavailable")
      }
      return ScriptedServer.Reply(request.path.hasSuffix("/query") ? Self.found : Self.layer)
    }
    let folder = try TemporaryFolder()
    try folder.write(
      "m.json",
      #"{"spatialReference":{"wkid":4326},"operationalLayers":[{"id":"a","layerType":"ArcGISFeatureLayer","#
        + "\"url\":\"\(far.url("rest/services/s/FeatureServer/0"))\"}]}")
    var settings = ServiceSettings()
    settings.access = .hosts([try #require(NetworkHost("127.0.0.1:\(far.port)"))])
    let service = try TestService(maps: [folder.path("m.json")], settings)
    func sendRequest() throws -> [String: Any] {
      let request = ServiceRequest(
        .post, "/api/identify", contentType: "application/json",
        body: Array(#"{"at":[[1,1]]}"#.utf8))
      let object = try TestService.object(service.service.reply(request))
      return try #require((object["results"] as? [[String: Any]])?.first)
    }
    func count() throws -> Int { (try sendRequest()["geoElements"] as? [Any])?.count ?? -1 }
    #expect(try sendRequest()["error"] is [String: Any])
    isUp.withLock { $0 = true }
    // The layer is not requested again each time, because a failure is remembered for a few
    // seconds.
    try await waitUntil("the layer is requested again") { try count() != 0 }
    #expect(try count() == 1)
  }

  /// A map whose service becomes available later receives its sublayers and its extent without
  /// SIGHUP.
  @Test(.timeLimit(.minutes(5))) func mapsAreRenewedWhenServicesComeBack() async throws {
    let isUp = Mutex(false)
    let root = """
      {"layers":[{"id":0,"name":"p"}],"tables":[],"spatialReference":{"wkid":4326}}
      """
    let far = try ScriptedServer { request in
      guard isUp.withLock({ $0 }) else {
        return ScriptedServer.Reply("<html>closed</html>", status: "503 Service Unavailable")
      }
      if request.path.hasSuffix("/layers") {
        return ScriptedServer.Reply("{\"layers\":[\(Self.layer)],\"tables\":[]}")
      }
      if request.path.hasSuffix("/query") { return ScriptedServer.Reply(Self.found) }
      return ScriptedServer.Reply(request.path.hasSuffix("/MapServer") ? root : Self.layer)
    }
    let folder = try TemporaryFolder()
    let document =
      #"{"spatialReference":{"wkid":4326},"operationalLayers":[{"id":"here","#
      + #""layerType":"ArcGISFeatureLayer","url":"here.geojson"},{"id":"a","title":"far","#
      + #""layerType":"ArcGISMapServiceLayer","#
      + "\"url\":\"\(far.url("rest/services/s/MapServer"))\"}]}"
    try folder.write("m.json", document)
    let here =
      #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"#
      + #""geometry":{"type":"Point","coordinates":[1,1]}}]}"#
    try folder.write("here.geojson", here)
    var settings = ServiceSettings()
    settings.access = .hosts([try #require(NetworkHost("127.0.0.1:\(far.port)"))])
    let service = try TestService(maps: [folder.path("m.json")], settings)
    try folder.write("n.json", document)
    let other = try TestService(maps: [folder.path("n.json")], settings)
    func map() throws -> [String: Any] {
      try #require(try TestService.object(service.reply("/api/page")).list("maps").first)
    }
    func layers() throws -> [String] {
      try service.json("m/MapServer").list("layers").compactMap { $0["name"] as? String }
    }
    #expect(try layers() == ["far", "here"])
    let failures = try map().list("failures")
    #expect(failures.map { $0.count("layer") } == [0])
    #expect((failures.first?["message"] as? String)?.contains("503") == true, "\(failures)")
    #expect(service.service.renew() == (false, []))
    isUp.withLock { $0 = true }
    // If the document is broken in the meantime, the map is kept, and the error is reported once.
    try folder.write("m.json", "{")
    var messages: [String] = []
    try await waitUntil("the error is reported") {
      let (isRenewed, lines) = service.service.renew()
      #expect(!isRenewed)
      messages = lines
      return !messages.isEmpty
    }
    #expect(
      messages.count == 1 && messages[0].hasPrefix("m cannot be reopened and is kept as it is: "))
    #expect(try layers() == ["far", "here"])
    #expect(service.service.renew() == (false, []))
    // Once the document is valid again, the map is reopened with all layers.
    try folder.write("m.json", document)
    #expect(service.service.renew() == (true, []))
    // Existing layers keep their numbers.
    #expect(try layers() == ["far", "here", "p"])
    let listed = try service.json("m/MapServer").list("layers")
    #expect(listed.map { $0.count("parentLayerId") } == [-1, -1, 0])
    #expect(listed[0]["subLayerIds"] as? [Int] == [2])

    // A map is not reloaded if it would lose a layer.
    try FileManager.default.removeItem(atPath: folder.path("here.geojson"))
    for _ in 0..<20 {
      #expect(other.service.renew() == (false, []))
      try await Task.sleep(for: .milliseconds(20))
    }
    try folder.write("here.geojson", here)
    try await waitUntil("the map is renewed") { other.service.renew().isRenewed }
    let renewed = try other.json("n/MapServer").list("layers").compactMap { $0["name"] as? String }
    #expect(renewed == ["far", "here", "p"])
    let page = try #require(try TestService.object(other.reply("/api/page")).list("maps").first)
    #expect(page["extent"] as? [Double] == [1, 1, 1, 1])
    #expect(try page.list("failures").isEmpty)
    #expect(other.service.renew() == (false, []))
  }
}
