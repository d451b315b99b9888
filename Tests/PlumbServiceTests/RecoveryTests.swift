import Foundation
import Plumb
import PlumbIO
import PlumbService
import PlumbTestSupport
import Synchronization
import Testing

/// Layers of other machines that were not there when they were asked first.
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

  @Test(.timeLimit(.minutes(1))) func layersAreBackWhenTheirServicesAre() async throws {
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
    func ask() throws -> [String: Any] {
      let request = ServiceRequest(
        .post, "/api/identify", contentType: "application/json",
        body: Array(#"{"at":[[1,1]]}"#.utf8))
      let object = try TestService.object(service.service.answer(request))
      return try #require((object["results"] as? [[String: Any]])?.first)
    }
    func count() throws -> Int { (try ask()["geoElements"] as? [Any])?.count ?? -1 }
    #expect(try ask()["error"] is [String: Any])
    isUp.withLock { $0 = true }
    // Not at every question: a failure is kept for some seconds.
    while try count() == 0 { try await Task.sleep(for: .milliseconds(200)) }
    #expect(try count() == 1)
  }

  /// A map whose service comes late gets its sublayers and its extent without a signal.
  @Test(.timeLimit(.minutes(1))) func mapsAreRenewedWhenServicesComeBack() async throws {
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
      #"{"spatialReference":{"wkid":4326},"operationalLayers":[{"id":"a","title":"far","#
      + #""layerType":"ArcGISMapServiceLayer","#
      + "\"url\":\"\(far.url("rest/services/s/MapServer"))\"}]}"
    try folder.write("m.json", document)
    var settings = ServiceSettings()
    settings.access = .hosts([try #require(NetworkHost("127.0.0.1:\(far.port)"))])
    let service = try TestService(maps: [folder.path("m.json")], settings)
    try folder.write("n.json", document)
    let other = try TestService(maps: [folder.path("n.json")], settings)
    func map() throws -> [String: Any] {
      try #require(try TestService.object(service.answer("/api/page")).list("maps").first)
    }
    func layers() throws -> [String] {
      try service.json("m/MapServer").list("layers").compactMap { $0["name"] as? String }
    }
    #expect(try layers() == ["far"])
    #expect(try map()["extent"] is NSNull)
    let failures = try map().list("failures")
    #expect(failures.map { $0.count("layer") } == [0])
    #expect((failures.first?["message"] as? String)?.contains("503") == true, "\(failures)")
    #expect(try service.service.renew() == nil)
    isUp.withLock { $0 = true }
    // A document that is broken meanwhile leaves the map as it is, and is said once.
    try folder.write("m.json", "{")
    var isBroken = false
    while !isBroken {
      do {
        #expect(try service.service.renew() == nil)
        try await Task.sleep(for: .milliseconds(200))
      } catch is PlumbError {
        isBroken = true
      }
    }
    #expect(try layers() == ["far"])
    #expect(try service.service.renew() == nil)

    while try other.service.renew() == nil { try await Task.sleep(for: .milliseconds(200)) }
    let renewed = try other.json("n/MapServer").list("layers").compactMap { $0["name"] as? String }
    #expect(renewed == ["far", "p"])
    let page = try #require(try TestService.object(other.answer("/api/page")).list("maps").first)
    #expect(page["extent"] as? [Double] == [1, 1, 1, 1])
    #expect(try page.list("failures").isEmpty)
    #expect(try other.service.renew() == nil)
  }
}
