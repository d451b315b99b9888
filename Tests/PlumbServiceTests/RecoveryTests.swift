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
}
