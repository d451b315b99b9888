import Foundation
import Plumb
import PlumbTestSupport
import Synchronization
import Testing

/// Replies and requests of services, and limits on documents that refer to services.
@Suite struct RemoteServiceTests {
  private typealias Reply = ScriptedServer.Reply

  private static let layer = #"""
    {"id":0,"name":"p","type":"Feature Layer","geometryType":"esriGeometryPoint","objectIdField":"OID",
    "fields":[{"name":"OID","type":"esriFieldTypeOID"},{"name":"N","type":"esriFieldTypeString"},
    {"name":"T","type":"esriFieldTypeDate"}],"extent":{"xmin":0,"ymin":0,"xmax":10,"ymax":10,
    "spatialReference":{"wkid":4326}},"maxRecordCount":2,"advancedQueryCapabilities":
    {"supportsPagination":PAGES},"capabilities":"Query"}
    """#

  /// A layer of points (1, 1) to (5, 5), at most two per reply.
  private static func points(
    hasPages: Bool = true, token: String? = nil
  ) -> @Sendable (ScriptedServer.Request) -> Reply {
    { request in
      if let token, request.parameters["token"] != token {
        return Reply(#"{"error":{"code":499,"message":"Token Required","details":[]}}"#)
      }
      guard request.path.hasSuffix("/query") else {
        return Reply(layer.replacing("PAGES", with: "\(hasPages)"))
      }
      var ids = Array(1...5)
      if let list = request.parameters["objectIds"] {
        ids = list.split(separator: ",").compactMap { Int($0) }
      } else if let text = request.parameters["geometry"],
        let box = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any],
        let low = box["xmin"] as? Double, let high = box["xmax"] as? Double
      {
        ids = ids.filter { Double($0) >= low && Double($0) <= high }
      }
      if request.parameters["returnCountOnly"] == "true" {
        return Reply("{\"count\":\(ids.count)}")
      }
      if request.parameters["returnIdsOnly"] == "true" {
        return Reply("{\"objectIdFieldName\":\"OID\",\"objectIds\":\(ids)}")
      }
      let start = hasPages ? Int(request.parameters["resultOffset"] ?? "") ?? 0 : 0
      let page = ids.dropFirst(start).prefix(2)
      let features = page.map {
        #"{"attributes":{"OID":\#($0),"N":"n\#($0)","T":1714557600000},"geometry":{"x":\#($0),"y":\#($0)}}"#
      }.joined(separator: ",")
      let fields =
        #"[{"name":"OID","type":"esriFieldTypeOID"},{"name":"N","type":"esriFieldTypeString"},"#
        + #"{"name":"T","type":"esriFieldTypeDate"}]"#
      return Reply(
        "{\"objectIdFieldName\":\"OID\",\"geometryType\":\"esriGeometryPoint\","
          + "\"spatialReference\":{\"wkid\":4326},\"fields\":\(fields),\"features\":[\(features)],"
          + "\"exceededTransferLimit\":\(start + page.count < ids.count)}")
    }
  }

  private func host(_ server: ScriptedServer) -> NetworkHost {
    NetworkHost("127.0.0.1:\(server.port)")!
  }

  /// A map of one layer.
  private func map(
    _ url: String, type: String = "ArcGISFeatureLayer", access: DocumentAccess,
    signIn: SignIn? = nil, more: String = ""
  ) throws -> Map {
    let folder = try TemporaryFolder()
    try folder.write(
      "m.json",
      #"{"spatialReference":{"wkid":4326},"operationalLayers":[{"id":"a","title":"a","layerType":"#
        + "\"\(type)\",\"url\":\"\(url)\"\(more)}]}")
    let map = try Map.open(path: folder.path("m.json"), access: access, signIn: signIn)
    return map
  }

  private func names(_ results: [IdentifyLayerResult]) -> [String] {
    results.flatMap(\.geoElements).compactMap { element in
      guard case .feature(let feature) = element else { return nil }
      return feature.attributes.first { $0.name == "N" }?.value.text
    }
  }

  private func fault(_ map: Map) throws -> LayerError {
    let results = try map.identifyLayers(at: Point(x: 1, y: 1), IdentifyOptions())
    return try #require(results.first?.error)
  }

  // MARK: Features

  @Test(arguments: [true, false]) func pagesAreAllRead(_ hasPages: Bool) throws {
    let server = try ScriptedServer(answer: Self.points(hasPages: hasPages))
    let map = try map(server.url("rest/services/s/FeatureServer/0"), access: .hosts([host(server)]))
    let options = IdentifyOptions(tolerance: .mapUnits(20), maximumResultsPerLayer: nil)
    let results = try map.identifyLayers(at: Point(x: 3, y: 3), options)
    // The feature at the point, followed by the others by distance on the ground.
    #expect(names(results) == ["n3", "n4", "n2", "n5", "n1"])
    guard case .feature(let first)? = results.first?.geoElements.first else {
      Issue.record("no feature")
      return
    }
    // Times are text, as they are in files.
    #expect(first.attributes.first { $0.name == "T" }?.value == .text("2024-05-01T10:00:00Z"))
    #expect(names(try map.identifyLayers(at: Point(x: 2, y: 2))) == ["n2"])
  }

  @Test func manyPointsNeedFewRequests() async throws {
    let server = try ScriptedServer(answer: Self.points())
    let map = try map(server.url("rest/services/s/FeatureServer/0"), access: .hosts([host(server)]))
    let x = (0..<1000).map { Double($0 % 6) }
    let results = try await map.identify(atEach: x, x, reference: .wgs84)
    for (row, found) in results.enumerated() {
      #expect(names(found) == (x[row] == 0 ? [] : ["n\(Int(x[row]))"]))
    }
    #expect(server.requests.count <= 100, "\(server.requests.count) requests")
  }

  @Test func conditionsAreTheServices() throws {
    let server = try ScriptedServer(answer: Self.points())
    let map = try map(
      server.url("rest/services/s/FeatureServer/0"), access: .hosts([host(server)]),
      more: #","layerDefinition":{"definitionExpression":"CURRENT_USER = 'x'"}"#)
    _ = try map.identifyLayers(at: Point(x: 1, y: 1))
    #expect(server.requests.last?.parameters["where"] == "CURRENT_USER = 'x'")
  }

  @Test func popupsNameAttachments() async throws {
    let points = Self.points()
    let server = try ScriptedServer { request in
      if request.path.hasSuffix("/queryAttachments") {
        let groups = (request.parameters["objectIds"] ?? "").split(separator: ",").map {
          #"{"parentObjectId":\#($0),"attachmentInfos":[{"id":7,"name":"p\#($0).jpg","#
            + #""contentType":"image/jpeg","size":12,"url":"http://x/y?token=secret"}]}"#
        }
        return Reply("{\"attachmentGroups\":[\(groups.joined(separator: ","))]}")
      }
      guard !request.path.hasSuffix("/query") else { return points(request) }
      return Reply(
        Self.layer.replacing("PAGES", with: "true").replacing(
          "\"id\":0", with: "\"id\":0,\"hasAttachments\":true"))
    }
    let layer = server.url("rest/services/s/FeatureServer/0")
    for (isShown, count) in [(true, 1), (false, 0)] {
      let map = try map(
        layer, access: .hosts([host(server)]),
        more: #","popupInfo":{"title":"{N}","showAttachments":\#(isShown)}"#)
      let x = (0..<500).map { Double($0 % 6) }
      let before = server.requests.count
      let results = try await map.identify(atEach: x, x, reference: .wgs84)
      for (row, found) in results.enumerated() where x[row] > 0 {
        let popup = try #require(found.first?.popups.first)
        #expect(popup.attachments.map(\.name) == (isShown ? ["p\(Int(x[row])).jpg"] : []))
        #expect(
          popup.attachments.map(\.url) == (isShown ? ["\(layer)/\(Int(x[row]))/attachments/7"] : [])
        )
      }
      let requestCount = server.requests.dropFirst(before).count {
        $0.path.hasSuffix("queryAttachments")
      }
      #expect(requestCount == count)
    }
  }

  // MARK: Credentials

  @Test func tokensGoToTheirOriginAlone() throws {
    let server = try ScriptedServer(answer: Self.points(token: "the-secret"))
    let other = try ScriptedServer(answer: Self.points(token: "never"))
    let hosts = [host(server), host(other)]
    let first = try map(
      server.url("rest/services/s/FeatureServer/0"), access: .hosts(hosts),
      signIn: SignIn(token: "the-secret", host: hosts[0]))
    #expect(names(try first.identifyLayers(at: Point(x: 1, y: 1))) == ["n1"])
    #expect(!server.requests.contains { $0.path.contains("the-secret") })
    let second = try map(
      other.url("rest/services/s/FeatureServer/0"), access: .hosts(hosts),
      signIn: SignIn(token: "the-secret", host: hosts[0]))
    #expect(try fault(second).message.contains("499"))
    for request in other.requests {
      #expect(request.parameters["token"] == nil && request.headers["x-esri-authorization"] == nil)
    }
  }

  @Test func redirectsElsewhereLoseTheToken() throws {
    let thief = try ScriptedServer(answer: Self.points())
    let target = thief.url("rest/services/s/FeatureServer/0")
    let server = try ScriptedServer { request in
      guard request.parameters["token"] != nil else {
        return Reply(#"{"error":{"code":499,"message":"Token Required"}}"#)
      }
      var reply = Reply("", status: "307 Temporary Redirect")
      reply.headers = ["Location: \(target)?token=\(request.parameters["token"] ?? "")"]
      return reply
    }
    let map = try map(
      server.url("rest/services/s/FeatureServer/0"),
      access: .hosts([host(server), host(thief)]), signIn: SignIn(token: "the-secret"))
    _ = try? map.identifyLayers(at: Point(x: 1, y: 1))
    #expect(!thief.requests.isEmpty)
    for request in thief.requests {
      #expect(!request.body.contains("the-secret") && request.parameters["token"] == nil)
      #expect(!request.headers.values.contains { $0.contains("the-secret") })
    }
  }

  @Test func passwordsBecomeTokensThatAreRenewed() throws {
    let issued = Counter()
    let points = Self.points()
    let server = try ScriptedServer { request in
      if request.path == "/arcgis/rest/info" {
        let port = request.headers["host"] ?? ""
        return Reply(
          #"{"authInfo":{"isTokenBasedSecurity":true,"tokenServicesUrl":"http://\#(port)/tokens"}}"#
        )
      }
      if request.path == "/tokens" {
        guard request.method == "POST", request.parameters["password"] == "pass word&" else {
          return Reply(#"{"error":{"code":400,"message":"Invalid credentials"}}"#)
        }
        return Reply(#"{"token":"t\#(issued.next())","expires":1}"#)
      }
      // The first token is valid for one request.
      let token = request.parameters["token"]
      if token == nil { return Reply(#"{"error":{"code":499,"message":"Token Required"}}"#) }
      if token == "t1", request.path.hasSuffix("query") {
        return Reply(#"{"error":{"code":498,"message":"Invalid Token"}}"#)
      }
      return points(request)
    }
    let url = server.url("arcgis/rest/services/s/FeatureServer/0")
    let good = try map(
      url, access: .hosts([host(server)]), signIn: SignIn(user: "u", password: "pass word&"))
    #expect(names(try good.identifyLayers(at: Point(x: 1, y: 1))) == ["n1"])
    #expect(issued.next() == 3)
    let bad = try map(
      url, access: .hosts([host(server)]), signIn: SignIn(user: "u", password: "wrong-one"))
    let message = try fault(bad).message
    #expect(message.contains("Invalid credentials") && !message.contains("wrong-one"))
  }

  private final class Counter: Sendable {
    private let state = Mutex(0)
    func next() -> Int {
      state.withLock {
        $0 += 1
        return $0
      }
    }
  }

  // MARK: Access

  @Test func hostsHaveToBeAllowed() throws {
    let server = try ScriptedServer(answer: Self.points())
    let url = server.url("rest/services/s/FeatureServer/0")
    let port = Int(server.port)
    let named = url.replacing("127.0.0.1", with: "localhost.localdomain.test")
    let refused: [(String, DocumentAccess)] = [
      (url, .folder), (url, .hosts([NetworkHost("127.0.0.2")!])),
      (url, .hosts([NetworkHost("127.0.0.1:\(port == 9 ? 10 : 9)")!])),
      // Other spellings of the address.
      (url.replacing("127.0.0.1", with: "0x7f.1"), .hosts([NetworkHost("0x7f.1")!])),
      (url.replacing("127.0.0.1", with: "2130706433"), .hosts([NetworkHost("2130706433")!])),
      (url.replacing("127.0.0.1", with: "0"), .hosts([NetworkHost("0")!])),
      (url.replacing("//", with: "//allowed@"), .hosts([NetworkHost("allowed")!])),
      (named, .hosts([NetworkHost("127.0.0.1")!])),
    ]
    for (url, access) in refused {
      let error = try fault(map(url, access: access))
      #expect(!error.message.isEmpty, "\(url)")
    }
    #expect(server.requests.isEmpty)
    for host in ["127.0.0.1", "127.0.0.1:\(port)"] {
      let map = try map(url, access: .hosts([NetworkHost(host)!]))
      #expect(names(try map.identifyLayers(at: Point(x: 1, y: 1))) == ["n1"])
    }
    let local = try map(
      url.replacing("127.0.0.1", with: "localhost"), access: .hosts([NetworkHost("localhost")!]))
    #expect(names(try local.identifyLayers(at: Point(x: 1, y: 1))) == ["n1"])
  }

  @Test func redirectsAreCheckedEachTimeAndLimited() throws {
    let inner = try ScriptedServer(answer: Self.points())
    let target = inner.url("rest/services/s/FeatureServer/0")
    let server = try ScriptedServer { _ in
      var reply = Reply("", status: "302 Found")
      reply.headers = ["Location: \(target)"]
      return reply
    }
    let map = try map(
      server.url("rest/services/s/FeatureServer/0"), access: .hosts([host(server)]))
    let error = try fault(map)
    #expect(error.message.contains("is not an allowed host"), "\(error.message)")
    #expect(error.remedies.contains { $0.settings.contains(.allowHost) })
    #expect(inner.requests.isEmpty)
    let circle = try ScriptedServer { request in
      var reply = Reply("", status: "302 Found")
      reply.headers = ["Location: \(request.path)x"]
      return reply
    }
    let endless = try self.map(
      circle.url("rest/services/s/FeatureServer/0"), access: .hosts([host(circle)]))
    #expect(try fault(endless).message.contains("more than 5 times"))
    #expect(circle.requests.count == 6)
  }

  @Test func rastersOfAllowedHostsAreReadAlone() throws {
    let folder = try TemporaryFolder()
    let files = try TemporaryFolder()
    let name = "evi_cape_town.tif"
    try FileManager.default.copyItem(
      atPath: TestPaths.rasters + "/" + name, toPath: files.path(name))
    // A folder's listing is requested once. If the files have changed, it is treated as that of
    // another server.
    var server = try RangeServer(folder: files.path, lists: true)
    var host: NetworkHost { NetworkHost("127.0.0.1:\(server.port)")! }
    let point = Point(x: 18.6, y: -34.1, spatialReference: .wgs84)
    func identifyLayer(_ file: String, _ access: DocumentAccess) throws -> IdentifyLayerResult {
      try folder.write(
        "m.json",
        #"{"spatialReference":{"wkid":4326},"operationalLayers":[{"id":"a","layerType":"RasterLayer","#
          + "\"url\":\"\(server.url(file))\"}]}")
      let map = try Map.open(path: folder.path("m.json"), access: access)
      return try #require(try map.identifyLayers(at: point).first)
    }
    func value(_ result: IdentifyLayerResult) -> String? {
      guard case .cell(let cell)? = result.geoElements.first else { return nil }
      return cell.attributes.first { $0.name == "Band_0" }.map { "\($0.value)" }
    }
    let refused = try identifyLayer(name, .folder)
    #expect(refused.error?.message.contains("is not an allowed host") == true)
    #expect(refused.error?.remedies.contains { $0.settings.contains(.allowHost) } == true)
    #expect(try identifyLayer(name, .hosts([NetworkHost("127.0.0.1:1")!])).error != nil)
    #expect(server.requests.isEmpty)
    let local = try Map(layers: [
      RasterLayer(
        LayerProperties(id: "a"), raster: Raster.open(TestPaths.rasters + "/" + name))
    ]).identifyLayers(at: point)
    let found = try identifyLayer(name, .hosts([host]))
    #expect(value(found) != nil && value(found) == value(local[0]), "\(found.error?.message ?? "")")
    // Side files are used, but must not refer to other files.
    let side = name + ".aux.xml"
    try files.write(
      side,
      #"<PAMDataset><PAMRasterBand band="1"><NoDataValue>1478</NoDataValue></PAMRasterBand></PAMDataset>"#
    )
    server = try RangeServer(folder: files.path, lists: true)
    #expect(value(try identifyLayer(name, .hosts([host]))) == "null")
    let hostile: [(String, String, String)] = [
      (
        side, "/secret.vrt",
        #"<PAMDataset><Metadata domain="OVERVIEWS"><MDI key="OVERVIEW_FILE">/secret.vrt</MDI>"#
          + "</Metadata></PAMDataset>"
      ),
      (
        side, "/secret.tif",
        #"<PAMDataset><Metadata domain="GEOLOCATION"><MDI key="X_DATASET">/secret.tif</MDI>"#
          + "</Metadata></PAMDataset>"
      ),
      (side, "/secret", "<PAMDataset><SRS>+init=/secret:x</SRS></PAMDataset>"),
      (name + ".msk", "mask", "<VRTDataset/>"),
    ]
    for (file, word, text) in hostile {
      try files.write(file, text)
      server = try RangeServer(folder: files.path, lists: true)
      let result = try identifyLayer(name, .hosts([host]))
      #expect(result.geoElements.isEmpty)
      #expect(result.error?.message.contains("refers to") == true)
      #expect(result.error?.message.contains(word) == true, "\(String(describing: result.error))")
      try FileManager.default.removeItem(atPath: files.path(file))
    }
    // Overviews may be in any format, and are ignored.
    try files.write(name + ".ovr", "<VRTDataset/>")
    server = try RangeServer(folder: files.path, lists: true)
    #expect(value(try identifyLayer(name, .hosts([host]))) == value(local[0]))
    #expect(!server.requests.contains { $0.path.hasSuffix(".ovr") })
    // Another format may refer to other files.
    try files.write("m.vrt", "<VRTDataset/>")
    #expect(
      try identifyLayer("m.vrt", .hosts([host])).error?.message.contains("only to TIFF") == true)
  }

  @Test func rastersAreNotReadFromTargetsOfRedirects() throws {
    let files = try TemporaryFolder()
    let inner = try RangeServer(folder: files.path)
    let target = inner.url("a.tif")
    let server = try ScriptedServer { _ in
      var reply = Reply("", status: "302 Found")
      reply.headers = ["Location: \(target)"]
      return reply
    }
    let map = try map(server.url("a.tif"), type: "RasterLayer", access: .hosts([host(server)]))
    let error = try fault(map)
    #expect(error.message.contains("is not an allowed host"), "\(error.message)")
    #expect(inner.requests.isEmpty)
  }

  @Test func documentsOfServicesNameNoFiles() throws {
    let folder = try TemporaryFolder()
    try folder.write("secret.geojson", #"{"type":"FeatureCollection","features":[]}"#)
    let path = folder.path("secret.geojson")
    let server = try ScriptedServer { _ in
      Reply(
        #"{"operationalLayers":[{"id":"a","layerType":"ArcGISFeatureLayer","url":"\#(path)"},"#
          + #"{"id":"b","layerType":"ArcGISFeatureLayer","url":"http://127.0.0.1:1/x/FeatureServer/0"}]}"#
      )
    }
    let map = try Map.open(path: server.url("map.json"))
    let results = try map.identifyLayers(at: Point(x: 1, y: 1))
    #expect(results.count == 2)
    #expect(results.allSatisfy { $0.error != nil })
  }

  // MARK: Slow services

  /// The work is on a separate thread, because tasks of the pool must not block.
  private final class Running<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)

    init(_ body: @escaping @Sendable () throws -> Value) {
      Thread.detachNewThread { [self] in
        let found = Result { try body() }
        result.withLock { $0 = found }
      }
    }

    var value: Value {
      get async throws {
        try await waitUntil("there is a result") { result.withLock { $0 != nil } }
        return try result.withLock { $0! }.get()
      }
    }
  }

  /// A server that waits for the semaphore before it replies.
  private func gated(_ gate: DispatchSemaphore, _ part: String) throws -> ScriptedServer {
    let answer = Self.points()
    return try ScriptedServer { request in
      if request.path.hasSuffix(part) {
        _ = gate.wait(timeout: .now() + 60)
        gate.signal()
      }
      return answer(request)
    }
  }

  @Test(.timeLimit(.minutes(1)), arguments: ["/0", "/query"])
  func slowServicesDoNotDelayOthers(_ part: String) async throws {
    let gate = DispatchSemaphore(value: 0)
    let (slow, fast) = (try gated(gate, part), try ScriptedServer(answer: Self.points()))
    let folder = try TemporaryFolder()
    let layers = [("a", slow), ("b", fast)].map { id, server in
      #"{"id":"\#(id)","layerType":"ArcGISFeatureLayer","url":"#
        + "\"\(server.url("rest/services/s/FeatureServer/0"))\"}"
    }
    try folder.write(
      "m.json",
      #"{"spatialReference":{"wkid":4326},"operationalLayers":["#
        + layers.joined(separator: ",") + "]}")
    let map = try Map.open(
      path: folder.path("m.json"), access: .hosts([host(slow), host(fast)]))
    let waiting = Running {
      try MapIdentifier(map, layer: "a").identify(x: 1, y: 1).flatMap(\.geoElements).count
    }
    try await waitUntil("the service is requested") {
      slow.requests.contains { $0.path.hasSuffix(part) }
    }
    let found = Running { try MapIdentifier(map, layer: "b").identify(x: 2, y: 2) }
    #expect(names(try await found.value) == ["n2"])
    gate.signal()
    #expect(try await waiting.value == 1)
    // A layer that two threads open at the same time is opened only once.
    let all = try map.identifyLayers(at: Point(x: 1, y: 1))
    #expect(names(all) == ["n1", "n1"])
  }

  @Test(.timeLimit(.minutes(1))) func sublayersOpenOnceForAllThreads() async throws {
    let gate = DispatchSemaphore(value: 0)
    let answer = Self.points()
    let server = try ScriptedServer { request in
      guard request.path.hasSuffix("FeatureServer") else { return answer(request) }
      _ = gate.wait(timeout: .now() + 60)
      gate.signal()
      return Reply(#"{"layers":[{"id":0,"name":"p","type":"Feature Layer"}]}"#)
    }
    let map = try map(
      server.url("rest/services/s/FeatureServer"), type: "ArcGISMapServiceLayer",
      access: .hosts([host(server)]))
    let waiting = (0..<4).map { _ in Running { try MapIdentifier(map).identify(x: 1, y: 1) } }
    try await waitUntil("the service is requested") {
      server.requests.count { $0.path.hasSuffix("FeatureServer") } >= 2
    }
    gate.signal()
    for one in waiting {
      let results = try await one.value
      #expect(names(results[0].sublayerResults) == ["n1"], "\(results)")
    }
    #expect(map.layers[0].sublayers.count == 1)
  }

  // MARK: Faulty replies

  @Test func liesAreTheirLayersErrors() throws {
    let good = try ScriptedServer(answer: Self.points())
    let lies: [(String, @Sendable (ScriptedServer.Request) -> Reply)] = [
      ("HTML", { _ in Reply("<html>login</html>", type: "text/html") }),
      ("cannot be read", { _ in Reply("{\"a\":") }),
      ("nothing", { _ in Reply("") }),
      ("cannot be read", { _ in Reply(String(repeating: "[", count: 100_000)) }),
      ("cannot be read", { _ in Reply("{}" + String(repeating: "x", count: 10)) }),
      ("404", { _ in Reply("{}", status: "404 Not Found") }),
      ("reports 500: no", { _ in Reply(#"{"error":{"code":500,"message":"no"}}"#) }),
      (
        "was interrupted",
        { _ in
          var reply = Reply(Self.layer)
          reply.truncated = 20
          return reply
        }
      ),
      (
        "no list of features",
        { $0.path.hasSuffix("query") ? Reply(#"{"features":7}"#) : Self.points()($0) }
      ),
      (
        "keeps returning the same page",
        { request in
          var same = request
          same.parameters["resultOffset"] = "0"
          return Self.points()(same)
        }
      ),
      (
        "larger than",
        { _ in Reply("{\"x\":\"" + String(repeating: "y", count: 20 << 20) + "\"}") }
      ),
    ]
    for (word, lie) in lies {
      let server = try ScriptedServer(answer: lie)
      let folder = try TemporaryFolder()
      let urls = [server, good].map { $0.url("rest/services/s/FeatureServer/0") }
      try folder.write(
        "m.json",
        #"{"spatialReference":{"wkid":4326},"operationalLayers":["#
          + urls.enumerated().map {
            #"{"id":"l\#($0)","layerType":"ArcGISFeatureLayer","url":"\#($1)"}"#
          }.joined(separator: ",") + "]}")
      let map = try Map.open(
        path: folder.path("m.json"), access: .hosts([host(server), host(good)]))
      let results = try map.identifyLayers(
        at: Point(x: 1, y: 1), IdentifyOptions(tolerance: .mapUnits(20)))
      #expect(results.count == 2)
      let error = results.first { $0.layerContent.id == "l0" }?.error
      #expect(error?.message.contains(word) == true, "\(word): \(error?.message ?? "none")")
      #expect(error?.message.contains("\n") == false)
      #expect(results.first { $0.layerContent.id == "l1" }?.error == nil)
    }
  }

  // MARK: Images

  @Test func imagesWithoutAGridHaveValuesAndNoCells() throws {
    let server = try ScriptedServer { request in
      if request.path.hasSuffix("identify") {
        return Reply(#"{"objectId":0,"name":"Pixel","value":"7, NoData","properties":{}}"#)
      }
      if request.path.hasSuffix("getSamples") {
        return Reply(
          #"{"samples":[{"locationId":1,"value":"1 2"},{"locationId":0,"value":"300 2"}]}"#)
      }
      return Reply(
        #"{"extent":{"xmin":0,"ymin":0,"xmax":10,"ymax":10,"spatialReference":{"wkid":4326}},"#
          + #""pixelSizeX":3,"pixelSizeY":3,"bandCount":2,"pixelType":"U8"}"#)
    }
    let map = try map(
      server.url("rest/services/s/ImageServer"), type: "ArcGISImageServiceLayer",
      access: .hosts([host(server)]))
    let results = try map.identifyLayers(at: Point(x: 1, y: 1))
    guard case .cell(let cell)? = results.first?.geoElements.first else {
      Issue.record("no cell")
      return
    }
    #expect(cell["Band_0"] == .cell(.unsigned(7)) && cell["Band_1"] == .null)
    #expect(cell.footprint.isEmpty)
    #expect(try map.identifyLayers(at: Point(x: 11, y: 1)).isEmpty)
    // A value outside the type's range is an error.
    let identifier = try MapIdentifier(map)
    let cells = try #require(identifier.rasters).sample(x: [1, 2], y: [1, 2])[0]
    #expect(cells.status(at: 0) == .readError)
    #expect(identifier.rasters?.sampler.drainFailures().messages.isEmpty == false)
  }

  /// A part that a service announces but does not return is an error and is not omitted.
  @Test(arguments: [
    (#""hasRasterAttributeTable":true"#, "no table today"),
    (#""bandDescriptions":[{"scale":"a tenth"}]"#, "scale"),
  ])
  func imagesThatDoNotSayAllAreFaults(member: String, message: String) throws {
    let server = try ScriptedServer { request in
      if request.path.hasSuffix("rasterAttributeTable") {
        return Reply(#"{"error":{"code":500,"message":"no table today"}}"#)
      }
      return Reply(
        #"{"extent":{"xmin":0,"ymin":0,"xmax":10,"ymax":10,"spatialReference":{"wkid":4326}},"#
          + #""pixelSizeX":1,"pixelSizeY":1,"bandCount":1,"pixelType":"U8",\#(member)}"#)
    }
    let map = try map(
      server.url("rest/services/s/ImageServer"), type: "ArcGISImageServiceLayer",
      access: .hosts([host(server)]))
    let found = try fault(map).description
    #expect(found.contains(message), "\(found)")
  }

  /// Sublayers of cells: a number is a value. A sublayer without a description, or with unreadable
  /// errors, has failed.
  @Test(arguments: [
    ("", #""results":[{"layerId":0,"value":12,"attributes":{}}]"#, ""),
    ("", #""results":[],"errors":[{"message":"a disk"}]"#, "layerId"),
    (#""error":{"code":500,"message":"a disk"}"#, #""results":[]"#, "a disk"),
  ])
  func cellsOfMapServices(layer: String, found: String, message: String) throws {
    let server = try ScriptedServer { request in
      if request.path.hasSuffix("/identify") { return Reply("{\(found)}") }
      if request.path.hasSuffix("/0") { return Reply("{\(layer)}") }
      if request.path.hasSuffix("/layers") {
        return Reply("<html>nothing</html>", status: "404 Not Found")
      }
      return Reply(
        #"{"layers":[{"id":0,"name":"r","type":"Raster Layer"}],"spatialReference":{"wkid":4326}}"#)
    }
    let map = try map(
      server.url("rest/services/s/MapServer"), type: "ArcGISMapServiceLayer",
      access: .hosts([host(server)]))
    let result = try map.identifyLayers(at: Point(x: 1, y: 1)).first?.sublayerResults.first
    if !message.isEmpty {
      #expect(result?.error?.description.contains(message) == true, "\(result as Any)")
    } else if case .cell(let cell)? = result?.geoElements.first {
      #expect(cell["Band_0"] == .cell(.signed(12)) && cell.status == [.ok])
    } else {
      Issue.record("\(result as Any)")
    }
  }

  // MARK: Web map services

  private static let capabilities = #"""
    <?xml version="1.0"?><WMS_Capabilities version="1.3.0" xmlns="http://www.opengis.net/wms">
    <Capability><Request><GetFeatureInfo><Format>FORMAT</Format></GetFeatureInfo></Request>
    <Layer><CRS>EPSG:3857</CRS><Layer queryable="1"><Name>roads</Name></Layer></Layer></Capability>
    </WMS_Capabilities>
    """#

  @Test(arguments: [
    (
      "application/json",
      #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"N":"x"},"geometry":null}]}"#
    ),
    (
      "application/vnd.ogc.gml",
      "<msGMLOutput><roads_layer><roads_feature><N>x</N></roads_feature></roads_layer></msGMLOutput>"
    ),
    ("text/plain", "Results for FeatureType 'roads':\n----\nN = 'x'\n----\n"),
  ]) func webMapServicesReturnFeatures(_ form: (type: String, text: String)) throws {
    let server = try ScriptedServer { request in
      request.parameters["request"] == "GetCapabilities"
        ? Reply(Self.capabilities.replacing("FORMAT", with: form.type), type: "text/xml")
        : Reply(form.text, type: form.type)
    }
    let map = try map(
      server.url("wms?map=x"), type: "WMS", access: .hosts([host(server)]),
      more: #","visibleLayers":["roads"]"#)
    let results = try map.identifyLayers(at: Point(x: 1, y: 1))
    #expect(names(results) == ["x"], "\(results)")
    #expect(results.first?.layerContent.type == "WMS")
    let lastParameters = try #require(server.requests.last?.parameters)
    #expect(
      lastParameters["map"] == "x" && lastParameters["query_layers"] == "roads"
        && lastParameters["crs"] == "EPSG:3857")
    #expect(lastParameters["info_format"] == form.type && lastParameters["i"] == "50")
  }

  // MARK: Portals

  @Test(arguments: [("Feature Service", "FeatureServer"), ("Map Service", "MapServer")])
  func itemsReferToServicesAndMaps(_ service: (type: String, name: String)) throws {
    let points = Self.points()
    let server = try ScriptedServer { request in
      let host = request.headers["host"] ?? ""
      switch request.path {
      case "/sharing/rest/content/items/abc":
        return Reply(
          #"{"id":"abc","type":"\#(service.type)","url":"http://\#(host)/s/\#(service.name)"}"#)
      case "/sharing/rest/content/items/map1": return Reply(#"{"id":"map1","type":"Web Map"}"#)
      case "/sharing/rest/content/items/map1/data":
        return Reply(
          #"{"baseMap":{"title":"Streets","baseMapLayers":[{"id":"b","title":"World"}]},"#
            + #""operationalLayers":[{"id":"a","layerType":"ArcGISFeatureLayer","itemId":"abc","#
            + #""layerId":0},{"id":"t","title":"Tiles","layerType":"VectorTileLayer"}]}"#)
      case "/s/\(service.name)":
        return Reply(#"{"layers":[{"id":0,"name":"p"},{"id":1,"name":"q"}]}"#)
      default: return points(request)
      }
    }
    let map = try Map.open(path: server.url("home/item.html?id=map1"))
    #expect(names(try map.identifyLayers(at: Point(x: 1, y: 1))) == ["n1"])
    #expect(map.notes.count == 2)
    #expect(map.notes.contains { $0.contains("World") })
    #expect(map.notes.contains { $0.contains("Tiles") })
  }
}
